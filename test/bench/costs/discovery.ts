/** What discovery of a site uses in a day; `test/api/discovery.test.ts` compares the figures with what is measured. */
import { MAX_SIGHTINGS } from '../../../shared/agent/discovery.ts';
import { ROW_BYTES } from './prices.ts';

/** How often a device comes or goes in a day. */
const TRANSITIONS_PER_DEVICE = 5;
const CYCLES_A_DAY = 24 * 60;
const GONE_WITHIN_MINUTES = 5;
const MANY_GONE = 3;
/** Instances of ingest and of the API that start anew in a day, and read the whole collection. */
const COLD_LOADS_A_DAY = 24;

/** A sighting with a name and a vendor, as JSON. */
const SIGHTING_BYTES = 250;
export const IOT_UNIT_BYTES = 5_000;
/** What an eventually consistent read unit covers. */
const READ_UNIT_BYTES = 8_192;
/** Devices of a change that is one row of the journal. */
const DEVICES_OF_A_CHANGE = 25;
/** The entry in the journal, and the version of the collection. */
const WRITES_OF_A_CHANGE = 2;
/** The row of a device; with what the device says of itself, half of them are longer than the kilobyte of a unit. */
const WRITES_OF_A_DEVICE = 1.5;
/** Of the site, its agents, the version of its collection, and its state. */
export const READS_OF_A_MESSAGE = 3.5;
/** Of a row of the journal, packed, for each device in it and beside them: measured with sightings of 1 to 25 devices. */
const JOURNAL_BYTES = { row: 150, device: 25 };
/** DynamoDB bills it for each row that it keeps. */
const ROW_OVERHEAD_BYTES = 100;
/** An agent asks for a confirmation so often at most, as long as it has something to tell. */
const CONFIRMATIONS_A_DAY = 24 * 2;

interface DailyUse {
  messages: number;
  /** Of 5 KB. */
  payloadUnits: number;
  /** Messages that ingest answers. */
  confirmations: number;
  /** Versions of the collection. */
  changes: number;
  writes: number;
  reads: number;
  /** That are added to the journal. */
  journalBytes: number;
}

/** @param readsOfOthers requests for the devices of the site, each of which catches up with what has changed */
export function dailyUse(
  devices: number,
  {
    transitionsPerDevice = TRANSITIONS_PER_DEVICE,
    readsOfOthers = 6_600,
    /** The part of the messages for whose site ingest has to load the collection, because it keeps others in memory. */
    notInMemory = 0,
  } = {},
): DailyUse {
  const transitions = devices * transitionsPerDevice;
  // Who has come is told after the look. Who has gone is told with them, or after five minutes, or with two others.
  const ofAMinute = transitions / 2 / CYCLES_A_DAY;
  const heldMinutes = Math.min(GONE_WITHIN_MINUTES, MANY_GONE / ofAMinute);
  const nobodyComes = Math.exp(-ofAMinute * heldMinutes);
  const perMinute = 1 - Math.exp(-ofAMinute) + (ofAMinute * nobodyComes) / (2 - nobodyComes);
  const withNews = CYCLES_A_DAY * perMinute;
  const inOne = withNews === 0 ? 0 : transitions / withNews;
  const loadUnits = Math.ceil((devices * ROW_BYTES) / READ_UNIT_BYTES);
  const digests = Math.ceil(devices / MAX_SIGHTINGS);
  const messages = withNews * Math.max(1, Math.ceil(inOne / MAX_SIGHTINGS)) + digests;
  const asked = Math.min(messages, CONFIRMATIONS_A_DAY + digests);
  // What is not confirmed is said again: half of what comes between two confirmations, or less, so that it fits.
  const repeated = Math.min(transitions / 2 / asked, IOT_UNIT_BYTES / SIGHTING_BYTES / 2) || 0;
  const perMessage = inOne + repeated;
  const changes = withNews * Math.ceil(inOne / DEVICES_OF_A_CHANGE);
  return {
    messages,
    payloadUnits:
      withNews * Math.ceil((perMessage * SIGHTING_BYTES) / IOT_UNIT_BYTES) +
      Math.ceil((devices * SIGHTING_BYTES) / IOT_UNIT_BYTES),
    confirmations: asked,
    changes,
    writes: transitions * WRITES_OF_A_DEVICE + WRITES_OF_A_CHANGE * changes,
    reads:
      (READS_OF_A_MESSAGE + notInMemory * loadUnits) * messages +
      // Whether the site has hooks.
      changes +
      Math.min(readsOfOthers, changes) +
      COLD_LOADS_A_DAY * loadUnits,
    journalBytes: changes * (JOURNAL_BYTES.row + ROW_OVERHEAD_BYTES) + transitions * JOURNAL_BYTES.device,
  };
}
