/** The last day of a site: what was monitored, and what happened in which hour. */
import type { DeviceEvent, EventType } from '../../../shared/api/events.ts';
import type { AnswerOf } from '../../api/client.ts';
import type { Stretch } from '../../ui/chart/band.tsx';
import type { TimeSpan } from '../../ui/chart/time-span.ts';

/** A slot of the presence is half an hour, so a younger reply is the same. */
export const PRESENCE_POLL_MS = 5 * 60_000;
export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A later one hides an earlier one. */
export const DAY_STATES = ['up', 'unknown', 'dark', 'lost'] as const;
export type DayState = (typeof DAY_STATES)[number];

export const MARKS = {
  problem: ['down', 'outage', 'internet-lost', 'site-dark', 'agent-lost', 'check-down', 'conflict'],
  new: ['new'],
  back: ['outage-over', 'internet-back', 'site-back', 'agent-back', 'check-up'],
  arrived: ['online'],
  left: ['offline'],
} as const satisfies Record<string, readonly EventType[]>;
export type Mark = keyof typeof MARKS;

const MARK_OF = new Map<EventType, Mark>(
  (Object.keys(MARKS) as Mark[]).flatMap((mark) => MARKS[mark].map((type) => [type, mark] as const)),
);
export const DAY_TYPES: readonly EventType[] = [...MARK_OF.keys()];

/** 24 hours, to the end of the present one. */
export function dayUntil(now: number): TimeSpan {
  const to = new Date(now).setMinutes(60, 0, 0);
  return { from: to - DAY_MS, to };
}

export interface Slot extends TimeSpan {
  /** The newest first. */
  events: DeviceEvent[];
  counts: Record<Mark, number>;
}

/** Without what people have entered or imported. @param hours of each slot */
export function slotsOf(events: readonly DeviceEvent[], { from, to }: TimeSpan, hours: number): Slot[] {
  const step = hours * HOUR_MS;
  const slots = Array.from({ length: (to - from) / step }, (_, i): Slot => {
    const begin = from + i * step;
    const counts = { problem: 0, new: 0, back: 0, arrived: 0, left: 0 };
    return { from: begin, to: begin + step, events: [], counts };
  });
  const newestFirst = [...events].sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  for (const event of newestFirst) {
    const { at, type, cause, device, subject, count = 1 } = event;
    const slot = slots[Math.floor((Date.parse(at) - from) / step)];
    const mark = MARK_OF.get(type);
    if (slot === undefined || mark === undefined || (cause !== 'sighting' && cause !== 'observation')) continue;
    slot.events.push(event);
    slot.counts[mark] += device === null && subject === undefined ? count : 1;
  }
  return slots;
}

type Since = string | null;

/**
 * What was monitored until now, without gaps.
 * @param presence in slots, each with null where no device was monitored; undefined while it loads
 * @param open since when no agent is connected, and since when the internet is down
 */
export function stretchesOf(
  presence: Pick<AnswerOf<'GET /devices/presence'>, 'from' | 'slotSeconds' | 'online'> | undefined,
  events: readonly DeviceEvent[],
  open: { darkSince: Since; lostSince: Since },
  { from, to }: TimeSpan,
): Stretch<DayState>[] {
  if (presence === undefined) return [];
  const { from: begin, slotSeconds, online } = presence;
  const slotMs = slotSeconds * 1000;
  const unknown = online.flatMap((count, i): Stretch<DayState>[] => {
    const at = Date.parse(begin) + i * slotMs;
    return count === null ? [{ state: 'unknown', from: at, to: at + slotMs }] : [];
  });
  const spells = [
    ...unknown,
    ...spellsOf('dark', events, ['site-dark', 'site-back'], open.darkSince, to),
    ...spellsOf('lost', events, ['internet-lost', 'internet-back'], open.lostSince, to),
  ];
  const inside = (at: number) => Math.min(to, Math.max(from, at));
  const edges = [...new Set([from, to, ...spells.flatMap((spell) => [inside(spell.from), inside(spell.to)])])];
  edges.sort((one, other) => one - other);
  const stretches: Stretch<DayState>[] = [];
  for (const [i, edge] of edges.slice(0, -1).entries()) {
    const states = spells.filter((spell) => spell.from <= edge && spell.to > edge).map(({ state }) => state);
    const state = DAY_STATES.findLast((one) => states.includes(one)) ?? 'up';
    const end = edges[i + 1] ?? to;
    const last = stretches.at(-1);
    if (last?.state === state) last.to = end;
    else stretches.push({ state, from: edge, to: end });
  }
  return stretches;
}

/** An end says how long it was; a beginning alone says nothing, unless it is `open`. */
function spellsOf(
  state: DayState,
  events: readonly DeviceEvent[],
  [begins, ends]: readonly [EventType, EventType],
  open: Since,
  to: number,
): Stretch<DayState>[] {
  const over = events.flatMap(({ type, at, detail }): Stretch<DayState>[] => {
    const end = Date.parse(at);
    if (type !== ends) return [];
    const begun = events.filter((event) => event.type === begins && event.at <= at).map((event) => event.at);
    const seconds = detail?.seconds;
    const begin = typeof seconds === 'number' ? end - seconds * 1000 : Date.parse(begun.sort().at(-1) ?? at);
    return [{ state, from: begin, to: end }];
  });
  return open === null ? over : [...over, { state, from: Date.parse(open), to }];
}

/** The sum of each state but `up`. */
export function sumsOf(stretches: readonly Stretch<DayState>[]): { state: DayState; ms: number }[] {
  return DAY_STATES.filter((state) => state !== 'up')
    .map((state) => {
      const some = stretches.filter((stretch) => stretch.state === state);
      return { state, ms: some.reduce((sum, { from, to }) => sum + to - from, 0) };
    })
    .filter(({ ms }) => ms > 0);
}
