/** When devices were online, from the journal of their collection: the newest entry first, walked back from how they are. */
import type { JournalEntry } from '../../devices/collection/change-row.ts';
import type { SiteWatch } from '../../devices/collection/coverage-row.ts';
import { type DeviceKey, positionOf, type StoredDevice, unpackRecord } from '../../devices/collection/device-codec.ts';

/** Whether a device is online; null: nobody knows, because nobody watched it, or there was no such device. */
export type Presence = boolean | null;

/** How it is from `at` on (Unix, s), up to the next one. */
export interface Turn {
  at: number;
  is: Presence;
}

/** From `from` on and before `until`; Unix, s. */
export interface Span {
  from: number;
  until: number;
}

/** How something changed: undefined where the journal does not say how it was. */
interface Step {
  at: number;
  before: Presence | undefined;
  after: Presence;
}

export class PresenceWalk {
  /** Of each device, the newest first. */
  readonly #steps = new Map<DeviceKey, Step[]>();
  /** Whether somebody watches the site, the newest first. */
  readonly #watching: Step[] = [];

  /** Takes the entry before those that it has. A change of many devices does not say which of them came or went. */
  take({ at, devices, lags, told = [] }: JournalEntry): void {
    const second = Math.floor(at.getTime() / 1000);
    for (const [i, [key, kind, detail]] of (devices ?? []).entries()) {
      const time = second - (lags?.[i] ?? 0);
      if (kind === '-') this.#add(key, { at: time, before: undefined, after: null });
      else if (kind === '+') {
        const { devPresentLastScan } = unpackRecord(detail, key);
        this.#add(key, { at: time, before: null, after: devPresentLastScan === 1 });
      } else {
        const [before, after] = detail[positionOf('devPresentLastScan')] ?? [];
        if (before !== after) this.#add(key, { at: time, before: before === 1, after: after === 1 });
      }
    }
    for (const { type, at: time } of [...told].reverse()) {
      if (type === 'site-dark') this.#watching.push({ at: time, before: true, after: null });
      if (type === 'site-back') this.#watching.push({ at: time, before: null, after: true });
    }
  }

  #add(key: DeviceKey, step: Step): void {
    const steps = this.#steps.get(key);
    if (steps === undefined) this.#steps.set(key, [step]);
    else steps.push(step);
  }

  /** A walk that begins with these entries, which came after those of this one, in order. It takes no others. */
  followedBy(entries: readonly JournalEntry[]): PresenceWalk {
    const walk = new PresenceWalk();
    for (const entry of entries.toReversed()) walk.take(entry);
    for (const [key, steps] of this.#steps) walk.#steps.set(key, [...(walk.#steps.get(key) ?? []), ...steps]);
    walk.#watching.push(...this.#watching);
    return walk;
  }

  /** The devices that have changed. */
  keys(): Iterable<DeviceKey> {
    return this.#steps.keys();
  }

  /**
   * How a device was, in order, if all entries were taken back to the beginning of the span.
   * @param device as it is now; undefined when it is not there any more
   * @param watch how it is watched now, and since when nobody watches its site
   */
  turnsOf(
    key: DeviceKey,
    device: StoredDevice | undefined,
    { watch, staleSince }: { watch: SiteWatch; staleSince: string | null },
    { from, until }: Span,
  ): Turn[] {
    const now = device === undefined ? null : device.record.devPresentLastScan === 1;
    const own = turnsOf(this.#steps.get(key) ?? [], now, from);
    const unknown = [
      turnsOf(this.#watching, staleSince === null ? true : null, from),
      staleSince === null ? [] : endingAt(Date.parse(staleSince) / 1000, from),
      device === undefined ? [] : watchedIn(device, watch, from),
      device === undefined ? [] : bornIn(device, from),
    ];
    const turns = unknown.reduce(maskedBy, own);
    return turns.filter(({ at }) => at < until);
  }
}

/** @param steps the newest first; those of agents that tell late may not be in the order of their times */
function turnsOf(steps: readonly Step[], now: Presence, from: number): Turn[] {
  const oldest = steps.at(-1);
  const turns: Turn[] = [{ at: from, is: oldest === undefined ? now : (oldest.before ?? null) }];
  for (const { at, after } of [...steps].reverse()) {
    const last = turns.at(-1) as Turn;
    if (at <= last.at) last.is = after;
    else if (after !== last.is) turns.push({ at, is: after });
  }
  return turns;
}

/** What is known up to a time, and not behind it. */
function endingAt(at: number, from: number): Turn[] {
  return at <= from
    ? [{ at: from, is: null }]
    : [
        { at: from, is: true },
        { at: Math.floor(at), is: null },
      ];
}

function watchedIn(device: StoredDevice, watch: SiteWatch, from: number): Turn[] {
  const { state, since } = watch.of(device);
  if (state === 'never-watched') return [{ at: from, is: null }];
  return state === 'unwatched' && since !== null ? endingAt(Date.parse(since) / 1000, from) : [];
}

/** Nothing is known of it before its first connection. */
function bornIn({ record: { devFirstConnection } }: StoredDevice, from: number): Turn[] {
  const at = Date.parse(`${devFirstConnection.replace(' ', 'T')}Z`) / 1000;
  if (!(at > from)) return [];
  return [
    { at: from, is: null },
    { at, is: true },
  ];
}

/** What the turns say while the mask says something. Both begin at the same time; no mask hides nothing. */
function maskedBy(turns: readonly Turn[], mask: readonly Turn[]): Turn[] {
  if (mask.length === 0) return [...turns];
  const times = [...new Set([...turns, ...mask].map(({ at }) => at))].sort((a, b) => a - b);
  const masked: Turn[] = [];
  let [own, other] = [0, 0];
  for (const at of times) {
    while ((turns[own + 1]?.at ?? Infinity) <= at) own++;
    while ((mask[other + 1]?.at ?? Infinity) <= at) other++;
    const is = mask[other]?.is === null ? null : (turns[own]?.is ?? null);
    if (masked.at(-1)?.is !== is) masked.push({ at, is });
  }
  return masked;
}

/** How many seconds of a span it was online, and of how many that is known. */
export function onlineIn(turns: readonly Turn[], { from, until }: Span): { online: number; known: number } {
  let [online, known] = [0, 0];
  for (const [i, { at, is }] of turns.entries()) {
    const seconds = Math.min(turns[i + 1]?.at ?? until, until) - Math.max(at, from);
    if (is === null || seconds <= 0) continue;
    known += seconds;
    if (is) online += seconds;
  }
  return { online, known };
}
