/** One site with very many devices that change: units a second of its partition, and whether readers can follow. */
import { CATCH_UP_VERSIONS } from '../../store/devices/snapshots.ts';
import type { Deployment } from '../costs/deployment.ts';
import { DEVICES_OF_A_CHANGE, dailyUse, JOURNAL_BYTES } from '../costs/discovery.ts';
import { type Load, monthlyCosts, totalOf } from '../costs/month.ts';
import { DAYS_A_MONTH, PRICES, ROW_BYTES } from '../costs/prices.ts';
import { QUOTAS } from './limits.ts';

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
  /** Whether an instance is too far behind for the journal when it is asked again, and loads the whole collection. */
  reloads: boolean;
  readsPerSecond: number;
}

/** A load is strongly consistent when the last change is younger. */
const SETTLE_SECONDS = 2;
/** A read unit, when strongly consistent; otherwise half of it. */
const UNIT_BYTES = 4_096;
const journalRowBytes = (devices: number) => JOURNAL_BYTES.row + JOURNAL_BYTES.device * devices;
const SECONDS_A_DAY = 86_400;
/**
 * Of one change, when nobody else makes one: the version, the journal, the devices at the same time, the version again, at
 * 5 ms each; and 30 ms of a third of a processor, for planning and 27 calls of the table.
 */
const CHANGE_SECONDS = (4 * 5 + 30) / 1_000;

/** Devices a minute that one process can tell the table of. */
const MOST_PER_MINUTE = (DEVICES_OF_A_CHANGE / CHANGE_SECONDS) * 60;

export function useOf(site: LargeSite): LargeSiteUse {
  const { devices, changedPerMinute, instances, askedEverySeconds } = site;
  const told = Math.min(changedPerMinute, MOST_PER_MINUTE);
  const { changes } = dailyUse(devices, { transitionsPerDevice: transitionsOf(site) / devices });
  const versionsPerSecond = changes / SECONDS_A_DAY;
  const behind = versionsPerSecond * askedEverySeconds;
  const reloads = behind > CATCH_UP_VERSIONS;
  const inOne = (told * 24 * 60) / changes;
  const catchUpUnits = Math.ceil((behind * journalRowBytes(inOne)) / UNIT_BYTES) / 2;
  const isConsistent = versionsPerSecond * SETTLE_SECONDS > 1;
  const loadUnits = Math.ceil((devices * ROW_BYTES) / UNIT_BYTES) / (isConsistent ? 1 : 2);
  return {
    writerBusy: (versionsPerSecond * CHANGE_SECONDS * changedPerMinute) / told,
    reloads,
    readsPerSecond: (instances / askedEverySeconds) * (1 + (reloads ? loadUnits : catchUpUnits)),
  };
}

/** US dollars a month, for everything but the answers to requests. */
export function costOfLargeSite(site: LargeSite, deployment: Deployment): number {
  const { reads: _reads, alarms: _alarms, ...used } = monthlyCosts(deployment, loadOf(site));
  const reads = Math.min(useOf(site).readsPerSecond, QUOTAS.partitionReads) * SECONDS_A_DAY * DAYS_A_MONTH;
  return totalOf(used) + (reads * PRICES.million.readUnit) / 1e6;
}

function loadOf(site: LargeSite): Load {
  const none = { calls: 0, commands: 0, waitSeconds: 0 };
  const transitionsPerDevice = transitionsOf(site) / site.devices;
  return { sites: 1, devicesPerSite: site.devices, hasDiscovery: true, transitionsPerDevice, ...none };
}

/** That are told in a day. */
function transitionsOf({ changedPerMinute }: LargeSite): number {
  return Math.min(changedPerMinute, MOST_PER_MINUTE) * 24 * 60;
}
