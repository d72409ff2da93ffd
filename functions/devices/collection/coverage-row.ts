/**
 * What the agents of a site watch, stored beside the time since which no agent has watched it: in the row of the site and in
 * that of its collection. Bounded, because the latter is read for every request about devices.
 */
import { hash } from 'node:crypto';
import * as z from 'zod';
import { type Coverage, NO_COVERAGE, type Watch, watchIn } from '../../../shared/coverage.ts';
import { type DeviceRecord, inCategory, SEEN_CATEGORIES, statusOf } from '../../../shared/device.ts';
import { inSlices } from '../../table/slices.ts';
import type { Item } from '../../table/table.ts';
import { formatTime } from '../time.ts';
import type { StoredDevice } from './device-codec.ts';
import type { Snapshot } from './snapshot.ts';

/** Watched networks. Devices of further ones count by the agents that see them. */
const MAX_WATCHED = 256;
/** Networks that are no longer watched: the latest ones. */
export const MAX_ENDED = 64;

const Stored = z.tuple([z.array(z.string()), z.array(z.tuple([z.string(), z.number()]))]);

/** @throws when the attribute is not from `encodeCoverage` */
export function coverageOf({ coverage }: Item): Coverage {
  if (typeof coverage !== 'string') return NO_COVERAGE;
  const [watched, ended] = Stored.parse(JSON.parse(coverage));
  return { watched, ended: new Map(ended) };
}

/** Null for an empty coverage. Equal coverages have the same text. */
export function encodeCoverage({ watched, ended }: Coverage): string | null {
  return watched.length + ended.size === 0 ? null : JSON.stringify([watched, [...ended]]);
}

/**
 * The coverage after a change.
 * @param known the coverages of the two rows. An end that only one row has, left by a writer that was stopped, is outdated
 *   if the other row has the network as watched.
 * @param watched the networks that are watched now
 * @param at when the others ended (Unix, ms), unless a row has it
 */
export function coverageAfter(known: readonly Coverage[], watched: readonly string[], at: number): Coverage {
  const now = [...new Set(watched)].sort().slice(0, MAX_WATCHED);
  const before = new Set(known.flatMap((one) => one.watched));
  const ended = new Map([...before].map((place) => [place, at]));
  for (const one of known) {
    for (const [place, since] of one.ended) {
      if (!before.has(place)) ended.set(place, Math.max(since, ended.get(place) ?? 0));
    }
  }
  for (const place of watched) ended.delete(place);
  const last = [...ended].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, MAX_ENDED);
  return { watched: now, ended: new Map(last) };
}

export class SiteWatch {
  readonly coverage: Coverage;
  /** Created on first use: every request about devices reads the coverage, and few need this. */
  #watch: ReturnType<typeof watchIn> | undefined;

  constructor(coverage: Coverage) {
    this.coverage = coverage;
  }

  /** Differs for each coverage: part of the tags of responses that show it. */
  get tag(): string {
    return hash('sha256', encodeCoverage(this.coverage) ?? '', 'base64url').slice(0, 8);
  }

  of({ record: { devLastIP, devAddresses }, sightings = {} }: StoredDevice): Watch {
    this.#watch ??= watchIn(this.coverage);
    return this.#watch({ devLastIP, devAddresses, agents: Object.keys(sightings) });
  }

  seesNow(device: StoredDevice): boolean {
    return statusOf(device.record) === 'online' && this.of(device).state === 'watched';
  }

  /** The record with its last-seen time as of `minute`, from `minuteOf`: while a device is online, only its coming is stored. */
  recordOf(device: StoredDevice, minute: Date): DeviceRecord {
    const { record } = device;
    const { state, since } = this.of(device);
    const seen = state === 'watched' ? minute : since === null ? null : new Date(since);
    if (seen === null || statusOf(record) !== 'online') return record;
    const devLastConnection = formatTime(seen);
    return devLastConnection > record.devLastConnection ? { ...record, devLastConnection } : record;
  }
}

export const minuteOf = (at: Date) => new Date(Math.floor(at.getTime() / 60_000) * 60_000);

export const NOT_WATCHED = new SiteWatch(NO_COVERAGE);

/** Devices that are not archived, by what agents see of them; devices that no agent watches count only as `unknown`. */
export type SeenCounts = Record<'online' | 'offline' | 'down' | 'unknown', number>;

/** Cached for a snapshot and a coverage. */
export function seenIn(snapshot: Snapshot, watch: SiteWatch): Promise<SeenCounts> {
  return snapshot.deriveFor('seen', watch.tag, async (devices) => {
    const counts = { online: 0, offline: 0, down: 0, unknown: 0 };
    for await (const slice of inSlices(devices)) {
      for (const device of slice) {
        if (!inCategory('my', device.record)) continue;
        if (watch.of(device).state !== 'watched') counts.unknown++;
        else for (const category of SEEN_CATEGORIES) if (inCategory(category, device.record)) counts[category]++;
      }
    }
    return counts;
  });
}
