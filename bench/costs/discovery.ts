/**
 * What discovery costs in the cloud, beside the rest: computed from what was measured of messages and writes
 * (`test/discovery.test.ts`) and from list prices.
 */
import { MAX_SIGHTINGS } from '../../shared/agent/discovery.ts';
import { markdownTable } from './markdown-table.ts';
import { CALLS_OF_A_QUEUED_MESSAGE, DAYS_A_MONTH, INGEST_SECONDS, PRICES, ROW_BYTES } from './prices.ts';

/** What is assumed of a site. */
const TRANSITIONS_PER_DEVICE = 5;
const CYCLES_A_DAY = 24 * 60;
/** A dashboard that asks every 13 seconds, as in the table above it. */
const CALLS_A_DAY = 6_600;
/** Instances of ingest and of the API that start anew in a day, and read the whole collection. */
const COLD_LOADS_A_DAY = 24;

/** A sighting with a name and a vendor, as JSON. */
const SIGHTING_BYTES = 250;
const IOT_UNIT_BYTES = 5_000;
/** What an eventually consistent read unit covers. */
const READ_UNIT_BYTES = 8_192;
/** Devices of a change that is one row of the journal. */
export const DEVICES_OF_A_CHANGE = 25;
/** Promised beside one for each transition. */
const WRITES_OF_A_CHANGE = 4;

export interface DailyUse {
  messages: number;
  iotUnits: number;
  rules: number;
  invocations: number;
  /** Versions of the collection. */
  changes: number;
  writes: number;
  reads: number;
}

/** What one site with one agent uses in a day, beside what it uses without discovery. */
export function dailyUse(devices: number, transitionsPerDevice = TRANSITIONS_PER_DEVICE): DailyUse {
  const transitions = devices * transitionsPerDevice;
  // Who has come is told after the look, who has gone after the second look. Transitions are independent of each other.
  const occasions = 2 * CYCLES_A_DAY;
  const withNews = occasions * (1 - Math.exp(-transitions / occasions));
  const inOne = withNews === 0 ? 0 : transitions / withNews;
  const messages = withNews * Math.max(1, Math.ceil(inOne / MAX_SIGHTINGS)) + Math.ceil(devices / MAX_SIGHTINGS);
  const payloadUnits =
    withNews * Math.ceil((inOne * SIGHTING_BYTES) / IOT_UNIT_BYTES) +
    Math.ceil((devices * SIGHTING_BYTES) / IOT_UNIT_BYTES);
  const changes = withNews * Math.ceil(inOne / DEVICES_OF_A_CHANGE);
  return {
    messages,
    // Each message is confirmed by one that is published and delivered.
    iotUnits: payloadUnits + 2 * messages,
    rules: payloadUnits,
    invocations: messages,
    changes,
    writes: transitions + WRITES_OF_A_CHANGE * changes,
    reads:
      // The agents of the site and the version of its collection; the version again for each change.
      2 * messages +
      changes +
      // A read that is behind catches up from the journal.
      Math.min(CALLS_A_DAY, changes) +
      COLD_LOADS_A_DAY * Math.ceil((devices * ROW_BYTES) / READ_UNIT_BYTES),
  };
}

/** US dollars a month. @param ingestGb memory of the function */
export function monthlyCost(
  { messages, iotUnits, rules, invocations, writes, reads }: DailyUse,
  ingestGb: number,
): { broker: number; ingest: number; database: number } {
  const { million } = PRICES;
  const inMonth = (millionths: number) => (millionths * DAYS_A_MONTH) / 1_000_000;
  const compute = INGEST_SECONDS * ingestGb * million.gbSecond + million.invocation;
  const queued = CALLS_OF_A_QUEUED_MESSAGE * million.queueCall;
  return {
    broker: inMonth(iotUnits * million.iotMessage + rules * million.iotRule + messages * queued),
    ingest: inMonth(invocations * compute),
    database: inMonth(writes * million.writeUnit + reads * million.readUnit),
  };
}

const COLUMNS = [100, 10_000];

export function discoveryTable(ingestGb: number): string {
  const uses = COLUMNS.map((devices) => dailyUse(devices));
  const costs = uses.map((use) => monthlyCost(use, ingestGb));
  const count = (value: number) => (Math.round(value / 10) * 10).toLocaleString('en');
  const dollars = (value: number) => value.toFixed(2);
  return markdownTable([
    ['', ...COLUMNS.map((devices) => `${devices.toLocaleString('en')} devices`)],
    ['messages of the agent, a day', ...uses.map(({ messages }) => count(messages))],
    ['messages that IoT Core bills, of 5 KB', ...uses.map(({ iotUnits }) => count(iotUnits))],
    ['rules, with their actions', ...uses.map(({ rules }) => count(rules))],
    ['invocations of ingest', ...uses.map(({ invocations }) => count(invocations))],
    ['DynamoDB: writes, at most', ...uses.map(({ writes }) => count(writes))],
    ['DynamoDB: reads', ...uses.map(({ reads }) => count(reads))],
    ['**a month:** IoT Core and queue', ...costs.map(({ broker }) => dollars(broker))],
    ['Lambda', ...costs.map(({ ingest }) => dollars(ingest))],
    ['DynamoDB', ...costs.map(({ database }) => dollars(database))],
    ['**together**', ...costs.map((all) => `**${dollars(all.broker + all.ingest + all.database)}**`)],
  ]);
}
