/**
 * Devices that go together are one outage, recorded once, with its members and the cause: dependencies, how much is gone, and
 * whether the gateway is there. It follows from when each of them was last seen: agents notice one after the other that
 * devices are gone, after some minutes of grace or, for those that sleep, after a quarter of an hour.
 * @promise Trouble at a site makes one event, and its end another: `functions/monitoring/outages/connections.test.ts`,
 *   `test/api/outages.test.ts`.
 */

import { MAX_MEMBERS } from '../../../shared/api/events.ts';
import { type DeviceRecord, UNKNOWN_NAMES } from '../../../shared/device.ts';
import { reasonSentence } from '../../../shared/reason-text.ts';
import type { Occurrence } from '../../devices/collection/change-row.ts';
import type { DeviceKey, StoredDevice } from '../../devices/collection/device-codec.ts';
import type { Snapshot } from '../../devices/collection/snapshot.ts';
import { readTime } from '../../devices/time.ts';
import { causeOf, type Group } from './outage-cause.ts';
import type { Outage, SiteState } from './site-state.ts';

/** The effect of an agent's sightings on a collection. */
interface Seen {
  before: Snapshot;
  put: readonly StoredDevice[];
  /** When the agent noticed the changes (Unix, ms). */
  noticed: ReadonlyMap<DeviceKey, number>;
  /** Its name. */
  agent: string;
  /** From one of its scans to the next. */
  intervalMs: number;
  /** Unix, ms. */
  now: number;
}

interface TakenOutages {
  /** The same object when nothing has changed. */
  state: SiteState;
  occurrences: Occurrence[];
  /** By device that has gone or come back with an outage, its id: such devices need no notifications of their own. */
  outages: Map<DeviceKey, string>;
}

/** Devices last seen within this span have gone at the same time, whatever the interval. */
const LEAST_SPAN_MS = 2 * 60_000;
/** Scans between the times when devices that go together were last seen: a scan may miss a device. */
const LOOKS = 1.5;
/** A device that was last seen longer before its absence was noticed has gone at an unknown time. */
const NOTICED_WITHIN_MS = 20 * 60_000;
const NOTICED_WITHIN_LOOKS = 4;
/** After the root has been back for so long, devices that are still gone have another reason. */
const FOLLOW_WITHIN_MS = 15 * 60_000;
/** How long an outage that is over is kept, for devices that come back later. */
const REMEMBER_MS = 24 * 3_600_000;
/** After that time the absence is the normal state. */
const LONGEST_MS = 7 * 24 * 3_600_000;
const MAX_OUTAGES = 20;
/** Groups of devices that are examined, the largest first. */
const MAX_GROUPS = 8;

const outageId = ({ at }: Pick<Outage, 'at'>): string => String(at);

/** The effect of devices that go and come back on the outages of a site. Idempotent. */
export function takeOutages(state: SiteState, seen: Seen): TakenOutages {
  const changes = seen.put.flatMap((after) => changeOf(seen, after) ?? []);
  if (changes.length === 0) return { state, occurrences: [], outages: new Map() };
  const known = state.outages.filter(
    ({ at, overAt }) => seen.now - at < LONGEST_MS && seen.now - (overAt ?? seen.now) < REMEMBER_MS,
  );
  const outages = new Map<DeviceKey, string>();
  const came = new Map<Outage, Change[]>();
  for (const change of changes) {
    const outage = known.find((one) => isOf(one, change.sign));
    if (outage === undefined) continue;
    outages.set(change.key, outageId(outage));
    if (change.isBack) came.set(outage, [...(came.get(outage) ?? []), change]);
  }
  const gone = goneAfter(seen);
  const occurrences: Occurrence[] = [];
  const after = known.flatMap((outage) => {
    const back = came.get(outage) ?? [];
    const still = gone.filter(({ sign }) => isOf(outage, sign));
    if (still.length === 0 && back.length === 0) return []; // Its devices were deleted.
    const next = resumed(outage, back, still, seen.now);
    if (next.overAt !== null && outage.overAt === null) occurrences.push(over(next, still));
    return still.length === 0 ? [] : [next];
  });
  for (let room = MAX_OUTAGES - after.length; room > 0; room--) {
    const free = gone.filter(({ sign }) => !after.some((one) => isOf(one, sign)));
    const found = begun(free, changes, seen);
    if (found === null) break;
    after.push(found.outage);
    occurrences.push(found.occurrence);
    for (const { key, sign } of changes) if (isOf(found.outage, sign)) outages.set(key, outageId(found.outage));
  }
  const isSame = JSON.stringify(after) === JSON.stringify(state.outages);
  return { state: isSame ? state : { ...state, outages: after }, occurrences, outages };
}

interface Change {
  key: DeviceKey;
  isBack: boolean;
  /** When it was last seen before it was gone, and when the agent noticed that it has gone or come (Unix, ms). */
  sign: number;
  noticed: number;
}

/** Whether a device has gone or come; null for any other change of it. */
function changeOf({ before, noticed, now }: Seen, { key, record }: StoredDevice): Change | null {
  const known = before.get(key)?.record;
  if (known === undefined || known.devPresentLastScan === record.devPresentLastScan || record.devIsArchived === 1)
    return null;
  const isBack = record.devPresentLastScan === 1;
  return { key, isBack, sign: readTime((isBack ? known : record).devLastConnection), noticed: noticed.get(key) ?? now };
}

/** The devices that are offline after the change. */
function goneAfter({ before, put }: Seen): Group['gone'] {
  const changed = new Map(put.map((device) => [device.key, device]));
  return before.devices.flatMap(({ key, record: known }) => {
    const record = changed.get(key)?.record ?? known;
    const isGone = record.devPresentLastScan === 0 && record.devIsArchived === 0 && record.devLastConnection !== '';
    return isGone ? [{ key, record, sign: readTime(record.devLastConnection) }] : [];
  });
}

function isOf({ at, withinMs }: Pick<Outage, 'at' | 'withinMs'>, sign: number): boolean {
  return Math.abs(sign - at) <= withinMs;
}

/** A known outage, after devices of it have come or gone. */
function resumed(outage: Outage, back: readonly Change[], still: Group['gone'], now: number): Outage {
  const { root } = outage;
  const count = Math.max(outage.count, still.length);
  const rootBackAt = back.find(({ key }) => key === root)?.noticed ?? outage.rootBackAt;
  const isRootGone = still.some(({ key }) => key === root);
  const next = { ...outage, count, rootBackAt: isRootGone ? null : rootBackAt };
  if (outage.overAt !== null) return next;
  const hasFollowed = next.rootBackAt !== null && now - next.rootBackAt >= FOLLOW_WITHIN_MS;
  if (!hasFollowed && (back.length === 0 || still.length * 2 >= count)) return next;
  const overAt = Math.max(outage.at, next.rootBackAt ?? 0, ...back.map(({ noticed }) => noticed));
  return { ...next, overAt };
}

function over(outage: Outage, still: Group['gone']): Occurrence {
  const { at, overAt, count } = outage;
  const end = overAt ?? at;
  return {
    type: 'outage-over',
    at: Math.floor(end / 1000),
    subject: { kind: 'outage', id: outageId(outage), name: '' },
    detail: { seconds: Math.round((end - at) / 1000), back: count - still.length, still: still.length },
    members: still.slice(0, MAX_MEMBERS).map(({ key }) => key),
    count,
  };
}

/** The outage with the most devices, of which one has just gone; null when too few have gone together. */
function begun(
  free: Group['gone'],
  changes: readonly Change[],
  { before, agent, intervalMs }: Seen,
): { outage: Outage; occurrence: Occurrence } | null {
  const withinMs = Math.max(LEAST_SPAN_MS, Math.round(intervalMs * LOOKS));
  const noticedWithinMs = NOTICED_WITHIN_MS + NOTICED_WITHIN_LOOKS * intervalMs;
  const news = new Set(
    changes.flatMap(({ key, isBack, sign, noticed }) => (!isBack && noticed - sign <= noticedWithinMs ? [key] : [])),
  );
  const groups = [...new Set(free.flatMap(({ key, sign }) => (news.has(key) ? endsOf(sign, free, withinMs) : [])))]
    .map((end) => ({ end, gone: free.filter(({ sign }) => sign <= end && sign >= end - withinMs) }))
    .sort((a, b) => b.gone.length - a.gone.length || a.end - b.end)
    .slice(0, MAX_GROUPS);
  for (const { end, gone } of groups) {
    const cause = causeOf({ gone, before, agent });
    if (cause === null) continue;
    const { root } = cause;
    const outage = { at: end, withinMs, count: gone.length, root, rootBackAt: null, overAt: null };
    const first = [...gone].sort((a, b) => Number(b.key === root) - Number(a.key === root) || nameOrder(a, b));
    const occurrence: Occurrence = {
      type: 'outage',
      at: Math.floor(end / 1000),
      subject: { kind: 'outage', id: outageId(outage), name: '' },
      detail: { cause: cause.cause, why: reasonSentence(cause.why) },
      reasonCode: cause.why,
      members: first.slice(0, MAX_MEMBERS).map(({ key }) => key),
      count: gone.length,
    };
    return { outage, occurrence };
  }
  return null;
}

/** The times at which a group with this device can end. */
function endsOf(sign: number, free: Group['gone'], withinMs: number): number[] {
  return free.flatMap((one) => (one.sign >= sign && one.sign <= sign + withinMs ? [one.sign] : []));
}

/** Named devices first, because only some members are listed. */
function nameOrder({ record: a }: { record: DeviceRecord }, { record: b }: { record: DeviceRecord }): number {
  const isNamed = ({ devName }: DeviceRecord) => Number(!UNKNOWN_NAMES.includes(devName));
  return isNamed(b) - isNamed(a) || (a.devName < b.devName ? -1 : Number(a.devName > b.devName));
}
