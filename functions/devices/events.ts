/**
 * Derives events, which users see, from the entries of a collection's journal.
 * @promise Events follow from the journal alone: `functions/devices/events.test.ts`, `test/api/agreement.test.ts`.
 */
import type { DeviceEvent, EventType } from '../../shared/api/events.ts';
import { DEVICE_FIELDS, type DeviceField, type DeviceRecord, UNKNOWN_NAMES } from '../../shared/device.ts';
import { type Cause, type DeviceChange, type Edits, type JournalEntry, LEARNT } from './collection/change-row.ts';
import { type DeviceKey, positionOf, unpackRecord, WITHOUT_MAC } from './collection/device-codec.ts';
import { readTime } from './time.ts';

type Changes = DeviceEvent['changes'];
/** An event without what all events of an entry share. */
type OneEvent = Pick<
  DeviceEvent,
  'type' | 'device' | 'changes' | 'count' | 'deleted' | 'subject' | 'detail' | 'reasonCode' | 'members' | 'outage'
> & {
  /** How many seconds before the change it happened. */
  lag?: number;
};

/**
 * The events of one change, in an order that never varies, because their ids have their index. A change of many devices is
 * one event, and so is what the first scans of a network find. One device can have several: it came online, and with
 * another address.
 * @param nameOf the current name of a device, for a change that does not contain it
 */
export function eventsOf(entry: JournalEntry, nameOf: (key: DeviceKey) => string): DeviceEvent[] {
  const { version, at, actor, cause, devices } = entry;
  const events = [...(devices === null ? ofMany(entry) : ofDevices(devices, entry, nameOf)), ...besides(entry, nameOf)];
  return events.map(({ type, device, changes, lag = 0, ...counts }, i) => ({
    id: `${version}.${i}`,
    at: new Date(at.getTime() - lag * 1000).toISOString(),
    recordedAt: at.toISOString(),
    type,
    device,
    changes,
    actor,
    cause,
    ...counts,
  }));
}

function ofDevices(
  devices: readonly DeviceChange[],
  { at, cause, lags, outages }: Pick<JournalEntry, 'at' | 'cause' | 'lags' | 'outages'>,
  nameOf: (key: DeviceKey) => string,
): OneEvent[] {
  const events: OneEvent[] = [];
  const found: number[] = [];
  for (const [i, change] of devices.entries()) {
    const lag = lags?.[i] ?? 0;
    for (const event of ofOneDevice(change, { at, cause }, nameOf)) {
      if (event.type === 'found') found.push(lag);
      else events.push({ ...event, lag, ...outageOf(event, outages?.get(change[0])) });
    }
  }
  if (found.length === 0) return events;
  return [...events, { type: 'found', device: null, changes: {}, count: found.length, lag: Math.min(...found) }];
}

const PRESENCE: readonly EventType[] = ['online', 'offline', 'down'];
const outageOf = ({ type }: OneEvent, outage: string | undefined) =>
  outage !== undefined && PRESENCE.includes(type) ? { outage } : {};

/** What happened without changing a device. */
function besides({ occurrences = [], at }: JournalEntry, nameOf: (key: DeviceKey) => string): OneEvent[] {
  return occurrences.map(({ at: second, device, members, ...event }) => ({
    ...event,
    device: device === undefined ? null : named(device, nameOf(device)),
    changes: {},
    ...(members === undefined ? {} : { members: members.map((key) => named(key, nameOf(key))) }),
    lag: Math.max(0, Math.floor(at.getTime() / 1000) - second),
  }));
}

const named = (key: DeviceKey, name: string) => ({ mac: key.startsWith(WITHOUT_MAC) ? '' : key, key, name });

/** The event type of a change of many devices. What agents find of many at once can be of several types. */
const OF_MANY: Record<Cause, EventType> = {
  edit: 'edited',
  import: 'imported',
  delete: 'deleted',
  restore: 'restored',
  sighting: 'edited',
  observation: 'edited',
  join: 'edited',
};

function ofMany({ cause, counts: { put, removed } }: JournalEntry): OneEvent[] {
  return [{ type: OF_MANY[cause], device: null, changes: {}, count: put + removed, deleted: removed }];
}

type Made = Pick<JournalEntry, 'at' | 'cause'>;

function ofOneDevice(change: DeviceChange, made: Made, nameOf: (key: DeviceKey) => string): OneEvent[] {
  const { cause } = made;
  const [key, kind, detail] = change;
  // A device that is joined goes on as part of another one, for which there is an event `joined`.
  if (kind === '-' && (cause === 'join' || cause === 'sighting')) return [];
  if (kind === '-') return [{ type: 'deleted', device: named(key, detail), changes: {} }];
  if (kind === '+') {
    const record = unpackRecord(detail, key);
    const device = named(key, record.devName);
    const added: OneEvent = { type: typeOfAdded(record, cause), device, changes: {} };
    if (cause !== 'sighting' || record.devConflict === '') return [added];
    return [added, { type: 'conflict', device, changes: { devConflict: { from: '', to: record.devConflict } } }];
  }
  const [, name = nameOf(key)] = detail[positionOf('devName')] ?? [];
  return ofEdits(detail, made).map(([type, changes]) => ({ type, device: named(key, String(name)), changes }));
}

/** Discovery marks what it adds as new, unless it was found by the first scan of a network. */
function typeOfAdded({ devIsNew }: DeviceRecord, cause: Cause): EventType {
  if (cause === 'import') return 'imported';
  if (cause === 'restore' || cause === 'join') return 'restored';
  return cause === 'sighting' && devIsNew === 0 ? 'found' : 'new';
}

/** What agents see that is no event. */
const SILENT_IN_SIGHTINGS: readonly DeviceField[] = [
  'devLastConnection', // It was seen again.
  'devAddresses', // Many hosts have temporary addresses that change each day (RFC 8981).
  'devPrimaryIPv4',
  'devPrimaryIPv6',
  'devRandomMAC',
  'devIcon', // Follows the type.
];
const RECOGNIZED: readonly DeviceField[] = ['devType', 'devVendor', 'devModel'];

/** The events of an edit: each changed field belongs to one of them. */
function ofEdits(edits: Edits, { at, cause }: Made): [EventType, Changes][] {
  const rest = new Map<DeviceField, [from: unknown, to: unknown]>();
  for (const field of DEVICE_FIELDS) {
    const values = edits[positionOf(field)];
    if (values !== undefined && values[0] !== values[1]) rest.set(field, values);
  }
  if (cause === 'sighting' || cause === 'observation') {
    // What is learnt of a device on its first day belongs to the event of its appearance.
    const [, first = ''] = edits[positionOf('devFirstConnection')] ?? [];
    const isYoung = first !== '' && at.getTime() - readTime(String(first)) < 86_400_000;
    // A first value is no event; a later change of it is.
    const isFirst = (field: DeviceField) => ['', ...UNKNOWN_NAMES].includes(String(rest.get(field)?.[0] ?? ''));
    for (const field of LEARNT) if (isYoung || isFirst(field)) rest.delete(field);
    if (rest.get('devLastIP')?.[0] === '') rest.delete('devLastIP');
  }
  const isNow = (field: DeviceField) => edits[positionOf(field)]?.[1] === 1;
  const events: [EventType, Changes][] = [];
  function take(type: EventType, ...fields: DeviceField[]): void {
    const changes: Changes = {};
    for (const field of fields) {
      const [from, to] = rest.get(field) ?? [];
      if (rest.delete(field)) changes[field] = { from: shown(from), to: shown(to) };
    }
    events.push([type, changes]);
  }

  const presence = ['devPresentLastScan', 'devLastConnection'] as const;
  if (rest.has('devPresentLastScan')) {
    // The presence of an archived device does not matter: its status does not change.
    if (isNow('devIsArchived')) for (const field of presence) rest.delete(field);
    else take(isNow('devPresentLastScan') ? 'online' : isNow('devAlertDown') ? 'down' : 'offline', ...presence);
  }
  if (rest.has('devLastIP')) take('ip-changed', 'devLastIP');
  if (rest.has('devConflict')) take('conflict', 'devConflict');
  if (rest.has('devName')) take('renamed', 'devName');
  if (rest.has('devIsArchived') && isNow('devIsArchived')) take('archived', 'devIsArchived');
  rest.delete('devOtherMACs'); // Has events of its own: `joined` and `split`.
  if (cause === 'sighting' || cause === 'join') {
    for (const field of SILENT_IN_SIGHTINGS) rest.delete(field);
    if (cause === 'join') {
      rest.delete('devFirstConnection');
      for (const field of RECOGNIZED) if (rest.get(field)?.[0] === '') rest.delete(field);
    }
  }
  if (rest.size > 0 || edits.x !== undefined) take('edited', ...rest.keys());
  return events;
}

function shown(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
