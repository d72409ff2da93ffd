/**
 * Devices that go together are one outage, which is told once, with its members and with why: what depends on what, how much
 * is gone, and whether the gateway is there. It follows from when each of them was there last: agents find out one after the
 * other that devices are gone, after some minutes of grace or, of those that sleep, after a quarter of an hour.
 * @promise Trouble at a site makes one event, and its end another: `functions/monitoring/outages/connections.test.ts`,
 *   `test/api/outages.test.ts`.
 */

import { MAX_MEMBERS } from '../../../shared/api/events.ts';
import { type DeviceRecord, UNKNOWN_NAMES } from '../../../shared/device.ts';
import { reasonSentence } from '../../../shared/reason-text.ts';
import type { Told } from '../../devices/collection/change-row.ts';
import type { DeviceKey, StoredDevice } from '../../devices/collection/device-codec.ts';
import type { Snapshot } from '../../devices/collection/snapshot.ts';
import { readTime } from '../../devices/time.ts';
import { causeOf, type Group } from './outage-cause.ts';
import type { Outage, SiteState } from './site-state.ts';

/** What becomes of a collection by what an agent has seen. */
interface Seen {
  before: Snapshot;
  put: readonly StoredDevice[];
  /** When the agent noticed that (Unix, ms). */
  noticed: ReadonlyMap<DeviceKey, number>;
  /** Its name. */
  agent: string;
  /** From one of its looks to the next. */
  intervalMs: number;
  /** Unix, ms. */
  now: number;
}

interface TakenOutages {
  /** The same object when nothing has changed. */
  state: SiteState;
  told: Told[];
  /** The devices that have gone or come with an outage, and its id: nobody has to hear of each of them. */
  outages: Map<DeviceKey, string>;
}

/** Last signs that lie so near to each other are of one time, whatever the interval. */
const LEAST_SPAN_MS = 2 * 60_000;
/** Looks that may lie between the last signs of devices that go at the same time: one look may miss a device. */
const LOOKS = 1.5;
/** Who was there last so long before an agent noticed it has gone while nobody looked: nobody knows when. */
const NOTICED_WITHIN_MS = 20 * 60_000;
const NOTICED_WITHIN_LOOKS = 4;
/** When the device on which others depend has been back for so long, those that are gone are gone for another reason. */
const FOLLOW_WITHIN_MS = 15 * 60_000;
/** An outage that is over is remembered for so long, for those of its devices that come later. */
const REMEMBER_MS = 24 * 3_600_000;
/** After that it is how things are. */
const LONGEST_MS = 7 * 24 * 3_600_000;
const MAX_OUTAGES = 20;
/** Groups of devices that are judged, the largest first. */
const MAX_GROUPS = 8;

function outageId({ at }: Pick<Outage, 'at'>): string {
  return String(at);
}

/** What the devices that go and come make of the outages of a site. Taking the same again changes nothing. */
export function takeOutages(state: SiteState, seen: Seen): TakenOutages {
  const changes = seen.put.flatMap((after) => changeOf(seen, after) ?? []);
  if (changes.length === 0) return { state, told: [], outages: new Map() };
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
  const told: Told[] = [];
  const after = known.flatMap((outage) => {
    const back = came.get(outage) ?? [];
    const still = gone.filter(({ sign }) => isOf(outage, sign));
    if (still.length === 0 && back.length === 0) return []; // Somebody has deleted them.
    const next = resumed(outage, back, still, seen.now);
    if (next.overAt !== null && outage.overAt === null) told.push(over(next, still));
    return still.length === 0 ? [] : [next];
  });
  for (let room = MAX_OUTAGES - after.length; room > 0; room--) {
    const free = gone.filter(({ sign }) => !after.some((one) => isOf(one, sign)));
    const found = begun(free, changes, seen);
    if (found === null) break;
    after.push(found.outage);
    told.push(found.told);
    for (const { key, sign } of changes) if (isOf(found.outage, sign)) outages.set(key, outageId(found.outage));
  }
  const isSame = JSON.stringify(after) === JSON.stringify(state.outages);
  return { state: isSame ? state : { ...state, outages: after }, told, outages };
}

interface Change {
  key: DeviceKey;
  isBack: boolean;
  /** When there was last a sign of it before it was gone, and when the agent noticed that it has gone or come (Unix, ms). */
  sign: number;
  noticed: number;
}

/** That a device has gone or come; null for any other change of it. */
function changeOf({ before, noticed, now }: Seen, { key, record }: StoredDevice): Change | null {
  const known = before.get(key)?.record;
  if (known === undefined || known.devPresentLastScan === record.devPresentLastScan || record.devIsArchived === 1)
    return null;
  const isBack = record.devPresentLastScan === 1;
  return { key, isBack, sign: readTime((isBack ? known : record).devLastConnection), noticed: noticed.get(key) ?? now };
}

/** The devices that are not there after the change. */
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

/** An outage that is known, after devices of it have come or gone. */
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

function over(outage: Outage, still: Group['gone']): Told {
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

/** The outage with the most devices of which one has gone just now; null when too few have gone together. */
function begun(
  free: Group['gone'],
  changes: readonly Change[],
  { before, agent, intervalMs }: Seen,
): { outage: Outage; told: Told } | null {
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
    const told: Told = {
      type: 'outage',
      at: Math.floor(end / 1000),
      subject: { kind: 'outage', id: outageId(outage), name: '' },
      detail: { cause: cause.cause, why: reasonSentence(cause.why) },
      reasonCode: cause.why,
      members: first.slice(0, MAX_MEMBERS).map(({ key }) => key),
      count: gone.length,
    };
    return { outage, told };
  }
  return null;
}

/** The last signs with which a group can end that has a device with this one. */
function endsOf(sign: number, free: Group['gone'], withinMs: number): number[] {
  return free.flatMap((one) => (one.sign >= sign && one.sign <= sign + withinMs ? [one.sign] : []));
}

/** Those with a name first: of many members only some are named. */
function nameOrder({ record: a }: { record: DeviceRecord }, { record: b }: { record: DeviceRecord }): number {
  const isNamed = ({ devName }: DeviceRecord) => Number(!UNKNOWN_NAMES.includes(devName));
  return isNamed(b) - isNamed(a) || (a.devName < b.devName ? -1 : Number(a.devName > b.devName));
}
