/** One site with very many devices that change: units a second of its partition, and whether readers can follow. */
import { CATCH_UP_VERSIONS } from '../../store/devices/device-store.ts';
import type { Deployment } from '../costs/deployment.ts';
import { type DailyUse, DEVICES_OF_A_CHANGE, dailyUse, JOURNAL_BYTES, monthlyCost } from '../costs/discovery.ts';
import { totalOf } from '../costs/month.ts';
import { ROW_BYTES } from '../costs/prices.ts';
import { QUOTAS } from './limits.ts';
import { CHANGE_SECONDS } from './writers.ts';

export interface LargeSite {
  devices: number;
  /** Devices whose presence or name changes in a minute. */
  changedPerMinute: number;
  /** Instances of functions that answer requests about this site. */
  instances: number;
  /** Time between two requests at each of them. */
  askedEverySeconds: number;
}

export interface LargeSiteUse {
  /** Part of its time for which the one process that makes the changes would be busy; above 1 it falls behind. */
  writerBusy: number;
  /** How long it takes until all devices are told, while the writer falls behind; null while it does not. */
  behindSeconds: number | null;
  /** Changes of the collection that are made, of at most 25 devices each. */
  versionsPerSecond: number;
  writesPerSecond: number;
  /** Whether an instance is too far behind for the journal when it is asked again, and loads the whole collection. */
  reloads: boolean;
  readsPerSecond: number;
  /** To load the whole collection; by all instances at the same time if they have to. */
  loadSeconds: number;
  /** Whether a load ends: the journal has to reach back to its beginning. */
  loadEnds: boolean;
}

/** A load is strongly consistent when the last change is younger. */
const SETTLE_SECONDS = 2;
/** A read unit, when strongly consistent; otherwise half of it. */
const UNIT_BYTES = 4_096;
const journalRowBytes = (devices: number) => JOURNAL_BYTES.row + JOURNAL_BYTES.device * devices;
/** Processor time to read a row into memory, at 1 GB, which is 0.6 of a processor. */
const DECODE_SECONDS = 13e-6;
const SECONDS_A_DAY = 86_400;

/** Devices a minute that one process can tell the table of. */
const MOST_PER_MINUTE = (DEVICES_OF_A_CHANGE / CHANGE_SECONDS) * 60;

export function useOf(site: LargeSite): LargeSiteUse {
  const { devices, changedPerMinute, instances, askedEverySeconds } = site;
  const told = Math.min(changedPerMinute, MOST_PER_MINUTE);
  const { changes, writes } = dayOf(site);
  const versionsPerSecond = changes / SECONDS_A_DAY;
  const behind = versionsPerSecond * askedEverySeconds;
  const reloads = behind > CATCH_UP_VERSIONS;
  const inOne = (told * 24 * 60) / changes;
  const catchUpUnits = Math.ceil((behind * journalRowBytes(inOne)) / UNIT_BYTES) / 2;
  const isConsistent = versionsPerSecond * SETTLE_SECONDS > 1;
  const loadUnits = Math.ceil((devices * ROW_BYTES) / UNIT_BYTES) / (isConsistent ? 1 : 2);
  const atOnce = reloads ? instances : 1;
  const loadSeconds = Math.max((atOnce * loadUnits) / QUOTAS.partitionReads, devices * DECODE_SECONDS);
  return {
    writerBusy: (versionsPerSecond * CHANGE_SECONDS * changedPerMinute) / told,
    behindSeconds: told < changedPerMinute ? (devices / told) * 60 : null,
    versionsPerSecond,
    writesPerSecond: writes / SECONDS_A_DAY,
    reloads,
    readsPerSecond: (instances / askedEverySeconds) * (1 + (reloads ? loadUnits : catchUpUnits)),
    loadSeconds,
    loadEnds: versionsPerSecond * loadSeconds <= CATCH_UP_VERSIONS,
  };
}

/** US dollars a month, for everything but the answers to requests. @param memoryGb of functions, by their names */
export function costOfLargeSite(site: LargeSite, memoryGb: Deployment['memoryGb']): number {
  const reads = Math.min(useOf(site).readsPerSecond, QUOTAS.partitionReads) * SECONDS_A_DAY;
  return totalOf(monthlyCost({ ...dayOf(site), reads }, memoryGb));
}

function dayOf({ devices, changedPerMinute }: LargeSite): DailyUse {
  return dailyUse(devices, (Math.min(changedPerMinute, MOST_PER_MINUTE) * 24 * 60) / devices);
}
