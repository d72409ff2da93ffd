/**
 * How many events of one type a receiver is told one by one. What comes after them within the same minute is counted,
 * and told as one event with a `count`.
 *
 * What is counted follows from the events and the state before them alone, and that state is written together with the
 * hook's cursor: whoever is stopped in between, and whoever comes second, makes the same deliveries again.
 */
import { type HookEvent, MAX_NAMED } from '../../shared/api/hook-events.ts';
import { BURST_NAME_CHARACTERS, type Burst, type Bursts } from './hook-store.ts';

export type ToTell = Omit<HookEvent, 'site'>;
type Held = NonNullable<Burst['held']>;

const WINDOW_MS = 60_000;

/**
 * @param changes what is to be told of each change; one with more events of a type than `most` becomes one at once,
 * because nothing is to be waited for
 * @param most how many of a type are told one by one within a minute
 */
export function summedUp(
  before: Bursts,
  changes: readonly (readonly ToTell[])[],
  { most, now }: { most: number; now: Date },
): { told: ToTell[]; bursts: Bursts } {
  const told: ToTell[] = [];
  const bursts: Bursts = { ...before };
  /** Ends what has begun a minute before that time. */
  function endUntil(at: number): void {
    for (const [type, burst] of Object.entries(bursts) as [HookEvent['type'], Burst][]) {
      if (burst.since + WINDOW_MS > at) continue;
      if (burst.held !== null) told.push(eventOf(type, burst.held));
      delete bursts[type];
    }
  }

  for (const events of changes) {
    const [first] = events;
    if (first === undefined) continue;
    const at = Date.parse(first.recordedAt);
    endUntil(at);
    for (const { type, events: some } of byType(events, most)) {
      for (const event of some) {
        if (thingsOf(event).length === 0) {
          told.push(event);
          continue;
        }
        const { since, told: already, held } = bursts[type] ?? { since: at, told: 0, held: null };
        const fits = already < most;
        if (fits) told.push(event);
        bursts[type] = { since, told: already + (fits ? 1 : 0), held: fits ? held : joined(held, event) };
      }
    }
  }
  endUntil(now.getTime());
  return { told, bursts };
}

/** When the next of what is held is to be told; null when nothing is. */
export function nextEnd(bursts: Bursts): Date | null {
  const ends = Object.values(bursts).flatMap(({ since, held }) => (held === null ? [] : [since + WINDOW_MS]));
  return ends.length === 0 ? null : new Date(Math.min(...ends));
}

/** The events of one change by type, where more than `most` of a type have become one. */
function byType(events: readonly ToTell[], most: number): { type: HookEvent['type']; events: readonly ToTell[] }[] {
  const types = [...new Set(events.map(({ type }) => type))];
  return types.map((type) => {
    const some = events.filter((event) => event.type === type);
    if (some.length <= most) return { type, events: some };
    const held = some.reduce<Held | null>(joined, null);
    return { type, events: held === null ? [] : [eventOf(type, held)] };
  });
}

/** What an event is about, if there are several of that kind. */
function thingsOf({ device, devices, subject }: ToTell): NonNullable<ToTell['devices']> {
  if (devices !== undefined || device !== null) return devices ?? (device === null ? [] : [device]);
  const isOneOfMany = subject !== undefined && ['agent', 'check', 'schedule'].includes(subject.kind);
  return isOneOfMany ? [{ mac: '', key: subject.id, name: subject.name }] : [];
}

function joined(held: Held | null, event: ToTell): Held {
  const { id, at, recordedAt, actor, cause, count } = event;
  const more = thingsOf(event);
  const known = held?.devices ?? [];
  const others = more.filter(({ key }) => known.every((one) => one.key !== key));
  const short = others.map((one) => ({ ...one, name: one.name.slice(0, BURST_NAME_CHARACTERS) }));
  return {
    count: (held?.count ?? 0) + (count ?? 1),
    devices: [...known, ...short].slice(0, MAX_NAMED),
    last: { id, at, recordedAt, actor, cause },
  };
}

function eventOf(type: HookEvent['type'], { count, devices, last }: Held): ToTell {
  return { ...last, cause: last.cause as ToTell['cause'], type, device: null, changes: {}, count, devices };
}
