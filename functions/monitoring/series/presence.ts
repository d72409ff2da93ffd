/** When devices were online, from the journal of their collection: walked back, newest entry first, from the present state. */
import type { JournalEntry } from '../../devices/collection/change-row.ts';
import type { SiteWatch } from '../../devices/collection/coverage-row.ts';
import { type DeviceKey, positionOf, type StoredDevice, unpackRecord } from '../../devices/collection/device-codec.ts';
import { readTime } from '../../devices/time.ts';

/** Whether a device is online; null when that is unknown: no agent watched it, or it did not exist. */
export type Presence = boolean | null;

/** The state from `at` on (Unix, s), up to the next one. */
export interface StateChange {
  at: number;
  is: Presence;
}

/** Including `from`, excluding `until`; Unix, s. */
export interface Span {
  from: number;
  until: number;
}

/** A change; `before` is undefined where the journal does not have it. */
interface Step {
  at: number;
  before: Presence | undefined;
  after: Presence;
}

type Steps = Map<DeviceKey, Step[]>;

export class PresenceWalk {
  /** By device, newest first. */
  readonly #steps: Steps = new Map();
  /** When an alert was wanted, and when it was archived. */
  readonly #alerts: Steps = new Map();
  readonly #archived: Steps = new Map();
  /** Whether an agent watches the site, newest first. */
  readonly #watching: Step[] = [];

  /** Takes the entry before those it has. A change of many devices does not show which of them came or went. */
  take({ at, devices, lags, occurrences = [] }: JournalEntry): void {
    const second = Math.floor(at.getTime() / 1000);
    for (const [i, [key, kind, detail]] of (devices ?? []).entries()) {
      const time = second - (lags?.[i] ?? 0);
      if (kind === '-') add(this.#steps, key, { at: time, before: undefined, after: null });
      else if (kind === '+') {
        const { devPresentLastScan } = unpackRecord(detail, key);
        add(this.#steps, key, { at: time, before: null, after: devPresentLastScan === 1 });
      } else {
        const flags = [
          [this.#steps, 'devPresentLastScan'],
          [this.#alerts, 'devAlertDown'],
          [this.#archived, 'devIsArchived'],
        ] as const;
        for (const [steps, field] of flags) {
          const [before, after] = detail[positionOf(field)] ?? [];
          if (before !== after) add(steps, key, { at: time, before: before === 1, after: after === 1 });
        }
      }
    }
    for (const { type, at: time } of occurrences.toReversed()) {
      if (type === 'site-dark') this.#watching.push({ at: time, before: true, after: null });
      if (type === 'site-back') this.#watching.push({ at: time, before: null, after: true });
    }
  }

  /** A walk that begins with these entries, which follow those of this one, in order. It takes no others. */
  followedBy(entries: readonly JournalEntry[]): PresenceWalk {
    const walk = new PresenceWalk();
    for (const entry of entries.toReversed()) walk.take(entry);
    append(walk.#steps, this.#steps);
    append(walk.#alerts, this.#alerts);
    append(walk.#archived, this.#archived);
    walk.#watching.push(...this.#watching);
    return walk;
  }

  keys(): Iterable<DeviceKey> {
    return this.#steps.keys();
  }

  /**
   * The states of a device, in order, if all entries were taken back to the beginning of the span.
   * @param device in its present state; undefined when it no longer exists
   * @param watch how it is watched now, and since when no agent has watched its site
   */
  statesOf(
    key: DeviceKey,
    device: StoredDevice | undefined,
    { watch, staleSince }: { watch: SiteWatch; staleSince: string | null },
    { from, until }: Span,
  ): StateChange[] {
    const now = device === undefined ? null : device.record.devPresentLastScan === 1;
    const own = statesOf(this.#steps.get(key) ?? [], now, from);
    const masks = [
      statesOf(this.#watching, staleSince === null ? true : null, from),
      staleSince === null ? [] : endingAt(Date.parse(staleSince) / 1000, from),
      device === undefined ? [] : watchedIn(device, watch, from),
      device === undefined ? [] : bornIn(device, from),
      statesOf(this.#archived.get(key) ?? [], device?.record.devIsArchived === 1, from).map(unknownIfTrue),
    ];
    return masks.reduce(maskedBy, own).filter(({ at }) => at < until);
  }

  /** When an alert was wanted for a device, in order, under the same condition. */
  alertsOf(key: DeviceKey, device: StoredDevice | undefined, from: number): StateChange[] {
    return statesOf(this.#alerts.get(key) ?? [], device?.record.devAlertDown === 1, from);
  }
}

function add(all: Steps, key: DeviceKey, step: Step): void {
  const steps = all.get(key);
  if (steps === undefined) all.set(key, [step]);
  else steps.push(step);
}

function append(newer: Steps, older: Steps): void {
  for (const [key, steps] of older) newer.set(key, [...(newer.get(key) ?? []), ...steps]);
}

const unknownIfTrue = ({ at, is }: StateChange): StateChange => ({ at, is: is === true ? null : true });

/** @param steps newest first; late reports may be out of the order of their times */
function statesOf(steps: readonly Step[], now: Presence, from: number): StateChange[] {
  const oldest = steps.at(-1);
  const states: StateChange[] = [{ at: from, is: oldest === undefined ? now : (oldest.before ?? null) }];
  for (const { at, after } of [...steps].reverse()) {
    const last = states.at(-1) as StateChange;
    if (at <= last.at) last.is = after;
    else if (after !== last.is) states.push({ at, is: after });
  }
  return states;
}

/** A mask: known up to a time, and unknown after it. */
function endingAt(at: number, from: number): StateChange[] {
  const unknown = { at: Math.max(from, Math.floor(at)), is: null };
  return at <= from ? [unknown] : [{ at: from, is: true }, unknown];
}

function watchedIn(device: StoredDevice, watch: SiteWatch, from: number): StateChange[] {
  const { state, since } = watch.of(device);
  if (state === 'never-watched') return [{ at: from, is: null }];
  return state === 'unwatched' && since !== null ? endingAt(Date.parse(since) / 1000, from) : [];
}

/** A mask: unknown before the first connection. */
function bornIn({ record: { devFirstConnection } }: StoredDevice, from: number): StateChange[] {
  const at = readTime(devFirstConnection) / 1000;
  const born = { at, is: true };
  return at > from ? [{ at: from, is: null }, born] : [];
}

/** The states, unknown where the mask is. Both begin at the same time; an empty mask hides nothing. */
function maskedBy(states: readonly StateChange[], mask: readonly StateChange[]): StateChange[] {
  if (mask.length === 0) return [...states];
  const times = [...new Set([...states, ...mask].map(({ at }) => at))].sort((a, b) => a - b);
  const masked: StateChange[] = [];
  let [own, other] = [0, 0];
  for (const at of times) {
    while ((states[own + 1]?.at ?? Infinity) <= at) own++;
    while ((mask[other + 1]?.at ?? Infinity) <= at) other++;
    const is = mask[other]?.is === null ? null : (states[own]?.is ?? null);
    if (masked.at(-1)?.is !== is) masked.push({ at, is });
  }
  return masked;
}

/** The seconds of a span in which it was online, and in which that is known. */
export function onlineIn(states: readonly StateChange[], { from, until }: Span): { online: number; known: number } {
  let [online, known] = [0, 0];
  for (const [i, { at, is }] of states.entries()) {
    const seconds = Math.min(states[i + 1]?.at ?? until, until) - Math.max(at, from);
    if (is === null || seconds <= 0) continue;
    known += seconds;
    if (is) online += seconds;
  }
  return { online, known };
}
