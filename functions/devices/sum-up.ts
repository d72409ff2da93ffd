/** Sums up the events of a span of time: by device, in sentences, and all of them in one sentence. */
import type { ChangeGroup } from '../../shared/api/changes.ts';
import type { DeviceEvent, EventType } from '../../shared/api/events.ts';
import { lengthText } from '../../shared/event-text.ts';
import { thousands } from '../../shared/text.ts';
import { sentencesOf } from './change-sentences.ts';

interface SummedUp {
  summary: string;
  /** Ordered by the latest event, newest first. Every event counts in one group, and there in one sentence. */
  changes: ChangeGroup[];
}

/** @param events in any order */
export function sumUp(events: readonly DeviceEvent[]): SummedUp {
  const groups = new Map<string, DeviceEvent[]>();
  const ordered = events.map((event) => ({ event, order: orderOf(event) })).sort((a, b) => compare(a.order, b.order));
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
  return {
    summary: summaryOf(all),
    changes: changes.sort((a, b) => compare(b.last, a.last)).map(({ last, ...group }) => group),
  };
}

/** By time, and within a second by the order of recording. */
function orderOf({ at, id }: DeviceEvent): string {
  const [version = '', index = ''] = id.split('.');
  return `${at} ${version.padStart(16, '0')} ${index.padStart(7, '0')}`;
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** Types that are counted by event; with an `end`, their total duration, too. */
const COUNTED: [type: EventType, one: string, many: string, end?: EventType][] = [
  ['outage', 'outage', 'outages', 'outage-over'],
  ['site-dark', 'time without an agent', 'times without an agent', 'site-back'],
  ['internet-lost', 'time without internet', 'times without internet', 'internet-back'],
  ['agent-lost', 'agent lost', 'agents lost', 'agent-back'],
  ['agent-update-failed', 'failed update of an agent', 'failed updates of agents'],
  ['check-down', 'failed check', 'failed checks', 'check-up'],
  ['turn-missed', 'missed turn of schedules', 'missed turns of schedules'],
  ['speed-low', 'slow time', 'slow times', 'speed-normal'],
  ['certificate-ending', 'certificate about to end', 'certificates about to end'],
  ['address-changed', 'new public address', 'new public addresses'],
  ['route-changed', 'changed route', 'changed routes'],
  ['port-opened', 'port opened', 'ports opened'],
  ['port-closed', 'port closed', 'ports closed'],
  ['joined', 'device joined with other MACs', 'devices joined with other MACs'],
  ['split', 'device split', 'devices split'],
];
const CHANGED: readonly EventType[] = ['ip-changed', 'renamed', 'edited', 'conflict', 'archived', 'restored'];
const PRESENCE: readonly EventType[] = ['online', 'offline', 'down'];

function summaryOf(groups: readonly (readonly DeviceEvent[])[]): string {
  const events = groups.flat();
  if (events.length === 0) return 'Nothing changed.';
  const ofDevices = groups.filter(([event]) => event?.device);
  /** Devices with an event of the type, plus the counts of events about many devices. */
  const devicesWith = (type: EventType) =>
    events.reduce((sum, event) => sum + (event.type === type && event.device === null ? (event.count ?? 0) : 0), 0) +
    ofDevices.filter((group) => group.some((event) => event.type === type)).length;
  const has = (group: readonly DeviceEvent[], types: readonly EventType[]) =>
    group.some(({ type }) => types.includes(type));

  const parts: string[] = [];
  const say = (count: number, one: string, many: string, more = '') => {
    if (count > 0) parts.push(`${thousands(count)} ${count === 1 ? one : many}${more}`);
  };
  say(devicesWith('new'), 'new device', 'new devices');
  say(devicesWith('found'), 'device found', 'devices found');
  say(devicesWith('imported'), 'device imported', 'devices imported');
  say(devicesWith('deleted'), 'device deleted', 'devices deleted');
  for (const [type, one, many, end] of COUNTED) {
    const count = events.filter((event) => event.type === type).length;
    const ends = events.filter((event) => event.type === end);
    const seconds = ends.reduce((sum, { detail }) => sum + Number(detail?.seconds ?? 0), 0);
    const length = seconds === 0 ? '' : ` of ${lengthText(seconds)}${count === 1 ? '' : ' in all'}`;
    say(count, one, many, length);
  }
  const others = ofDevices.filter((group) => !has(group, ['new', 'deleted', 'imported']));
  const changed = others.filter((group) => has(group, CHANGED)).length + manyChanged(events);
  const cameOrWent = others.filter((group) => has(group, PRESENCE) && !has(group, CHANGED)).length;
  say(changed, 'device changed', 'devices changed');
  say(cameOrWent, 'device came or went', 'devices came or went');
  if (parts.length === 0) say(events.length, 'other event', 'other events');
  return `${parts.join(', ')}.`;
}

/** Devices in changes of many at once, other than imports and deletions. */
function manyChanged(events: readonly DeviceEvent[]): number {
  const isChange = ({ type, device }: DeviceEvent) => device === null && (type === 'edited' || type === 'restored');
  return events.filter(isChange).reduce((sum, { count = 0 }) => sum + count, 0);
}
