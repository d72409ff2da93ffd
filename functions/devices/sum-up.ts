/** Sums up the events of a span of time: by device, in sentences, and all of them in one sentence. */
import { type ChangeGroup, SummaryPart } from '../../shared/api/changes.ts';
import type { DeviceEvent, EventType } from '../../shared/api/events.ts';
import { summaryText } from '../../shared/change-text.ts';
import { secondsOf, sentencesOf } from './change-sentences.ts';
import { byCodeUnits } from './sort-order.ts';

interface SummedUp {
  summary: string;
  summaryCodes: SummaryPart[];
  /** Ordered by the latest event, newest first. Every event counts in one group, and there in one sentence. */
  changes: ChangeGroup[];
}

/** @param events in any order */
export function sumUp(events: readonly DeviceEvent[]): SummedUp {
  const groups = new Map<string, DeviceEvent[]>();
  const ordered = events
    .map((event) => ({ event, order: orderOf(event) }))
    .sort((a, b) => byCodeUnits(a.order, b.order));
  for (const { event } of ordered) {
    const { device, subject } = event;
    const name = device !== null ? `device ${device.key}` : subject ? `${subject.kind} ${subject.id}` : '';
    const known = groups.get(name);
    if (known === undefined) groups.set(name, [event]);
    else known.push(event);
  }
  const all = [...groups.values()];
  const changes = all.map((group): ChangeGroup & { last: string } => {
    // The latest name. An event of a deletion has the name; others may lack it.
    const named = group.findLast(({ device }) => device !== null && device.name !== '') ?? group[0];
    return {
      device: named?.device ?? null,
      subject: named?.device ? null : (group.at(-1)?.subject ?? null),
      count: group.length,
      sentences: sentencesOf(group),
      last: group.at(-1)?.at ?? '',
    };
  });
  const summaryCodes = summaryOf(all);
  return {
    summary: summaryText(summaryCodes),
    summaryCodes,
    changes: changes.sort((a, b) => byCodeUnits(b.last, a.last)).map(({ last, ...group }) => group),
  };
}

/** By time, and within a second by the order of recording. */
function orderOf({ at, id }: DeviceEvent): string {
  const [version = '', index = ''] = id.split('.');
  return `${at} ${version.padStart(16, '0')} ${index.padStart(7, '0')}`;
}

/** The event that ends a counted one, with its duration. */
const ENDS: Partial<Record<SummaryPart['code'], EventType>> = {
  outage: 'outage-over',
  'site-dark': 'site-back',
  'internet-lost': 'internet-back',
  'agent-lost': 'agent-back',
  'check-down': 'check-up',
  'speed-low': 'speed-normal',
};
const CHANGED: readonly EventType[] = ['ip-changed', 'renamed', 'edited', 'conflict', 'archived', 'restored'];
const PRESENCE: readonly EventType[] = ['online', 'offline', 'down'];

function summaryOf(groups: readonly (readonly DeviceEvent[])[]): SummaryPart[] {
  const events = groups.flat();
  const ofDevices = groups.filter(([event]) => event?.device);
  /** Devices with an event of the type, plus the counts of events about many devices. */
  const devicesWith = (type: EventType) =>
    events.reduce((sum, event) => sum + (event.type === type && event.device === null ? (event.count ?? 0) : 0), 0) +
    ofDevices.filter((group) => group.some((event) => event.type === type)).length;
  const has = (group: readonly DeviceEvent[], types: readonly EventType[]) =>
    group.some(({ type }) => types.includes(type));

  const others = ofDevices.filter((group) => !has(group, ['new', 'deleted', 'imported']));
  const changed = others.filter((group) => has(group, CHANGED)).length + manyChanged(events);
  const cameOrWent = others.filter((group) => has(group, PRESENCE) && !has(group, CHANGED)).length;
  const counts: Partial<Record<SummaryPart['code'], number>> = { changed, 'came-or-went': cameOrWent };
  for (const type of ['new', 'found', 'imported', 'deleted'] as const) counts[type] = devicesWith(type);
  const parts = SummaryPart.shape.code.options.flatMap((code): SummaryPart[] => {
    const count = counts[code] ?? events.filter(({ type }) => type === code).length;
    const ends = events.filter(({ type }) => type === ENDS[code]);
    const seconds = ends.reduce((sum, event) => sum + (secondsOf(event) ?? 0), 0);
    return count === 0 ? [] : [{ code, values: { count, ...(seconds === 0 ? {} : { seconds }) } }];
  });
  return parts.length > 0 || events.length === 0 ? parts : [{ code: 'other', values: { count: events.length } }];
}

/** Devices in changes of many at once, other than imports and deletions. */
function manyChanged(events: readonly DeviceEvent[]): number {
  const isChange = ({ type, device }: DeviceEvent) => device === null && (type === 'edited' || type === 'restored');
  return events.filter(isChange).reduce((sum, { count = 0 }) => sum + count, 0);
}
