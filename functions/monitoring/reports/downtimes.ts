/** The downtimes of a span of time, from its events: each begins with one, and ends with another about the same subject. */
import type { DeviceEvent, EventType } from '../../../shared/api/events.ts';
import type { Downtime } from '../../../shared/api/reports.ts';
import type { Span } from '../../devices/read-changes.ts';

type Kind = Downtime['kind'];

/** The events with which each kind begins and ends. */
const SPELLS: readonly (readonly [kind: Kind, begin: EventType, end: EventType])[] = [
  ['device', 'down', 'online'],
  ['outage', 'outage', 'outage-over'],
  ['site', 'site-dark', 'site-back'],
  ['internet', 'internet-lost', 'internet-back'],
  ['agent', 'agent-lost', 'agent-back'],
  ['check', 'check-down', 'check-up'],
];

/** The downtime that an event begins or ends; null for any other event. */
export function downtimeIn({ type, device, subject }: Pick<DeviceEvent, 'device' | 'subject'> & { type: string }) {
  const [kind, begin] = SPELLS.find(([, ...types]) => types.some((one) => one === type)) ?? [];
  const about = kind === 'device' ? device && { id: device.key, name: device.name } : subject;
  if (kind === undefined || !about) return null;
  return { kind, id: about.id, name: about.name, key: `${kind} ${about.id}`, begins: type === begin };
}

/** @param events of the span, in any order @returns the longest first */
export function downtimesOf(events: readonly DeviceEvent[], { since, until }: Span): Downtime[] {
  const found: Downtime[] = [];
  const open = new Map<string, Downtime>();
  const ordered = events.map((event) => ({ event, at: Date.parse(event.at) })).sort((a, b) => a.at - b.at);
  for (const { event, at } of ordered) {
    // The devices of an outage are reported by it.
    if (event.device !== null && event.outage !== undefined) continue;
    const spell = downtimeIn(event);
    if (spell === null) continue;
    const { key, begins } = spell;
    const known = open.get(key);
    if (begins) {
      if (known !== undefined) continue;
      const one = begun(spell, event, at);
      open.set(key, one);
      found.push(one);
    } else if (known !== undefined) {
      known.until = event.at;
      open.delete(key);
    } else {
      // It began before the span. Where the event does not say when, it is left out.
      const { seconds } = event.detail ?? {};
      if (typeof seconds === 'number') found.push({ ...begun(spell, event, at - seconds * 1000), until: event.at });
    }
  }
  const within = (time: number) => Math.min(Math.max(time, since.getTime()), until.getTime());
  for (const one of found) {
    const end = one.until === null ? until.getTime() : Date.parse(one.until);
    one.seconds = Math.round((within(end) - within(Date.parse(one.since))) / 1000);
  }
  return found.sort((a, b) => b.seconds - a.seconds);
}

function begun({ kind, id, name }: Pick<Downtime, 'kind' | 'id' | 'name'>, event: DeviceEvent, at: number): Downtime {
  const { detail = {}, reasonCode, count } = event;
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  return {
    ...{ kind, id, name },
    since: new Date(at).toISOString(),
    ...{ until: null, seconds: 0 },
    ...(kind === 'outage' && count !== undefined ? { count } : {}),
    why: text(detail.why) ?? text(detail.reason),
    cause: kind === 'outage' ? text(detail.cause) : null,
    reasonCode,
  };
}
