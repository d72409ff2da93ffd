/** An event as one sentence in parts: text of devices is a link or a value of its own. */
import texts from 'messages:events';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { DeviceField } from '../../../shared/device.ts';
import { isObserved, type ObservedType } from '../../../shared/event-text.ts';
import { UNKNOWN_NAMES } from '../../../shared/words.ts';
import { fieldName } from '../../text/device-fields.ts';
import { observedSentence } from '../../text/said-texts.ts';

export type Part = { text: string } | { device: string } | { value: string };

export interface FieldChange {
  field: string;
  from: string;
  to: string;
}

interface Sentence {
  parts: Part[];
  /** Those that do not fit into the sentence. */
  changes: FieldChange[];
}

type Template = keyof typeof texts.sentences;
type Values = Partial<Record<'from' | 'to' | 'field' | 'count' | 'deleted', string>>;
type Changes = DeviceEvent['changes'];

export function sentenceOf(event: DeviceEvent, siteName?: string): Sentence {
  const { type, device, changes, cause } = event;
  if (isObserved(type)) return observed(type, event, siteName);
  if (device === null) return manyOf(event);
  const name = deviceLabel(device);
  const say = (template: Template, values: Values = {}) => sentence(template, { ...values, device: name });
  const sayChange = (change: Changes[DeviceField], ...templates: [Template, Template, Template]) =>
    say(templateOf(change, ...templates), valuesOf(change));
  const isSeen = cause === 'sighting';
  switch (type) {
    case 'new':
      return say(isSeen ? 'firstSeen' : 'added');
    case 'online':
      return say(isSeen ? 'online' : 'setOnline');
    case 'offline':
      return say(isSeen ? 'offline' : 'setOffline');
    case 'down':
      return say(isSeen ? 'down' : 'setDown');
    case 'ip-changed':
      return sayChange(changes.devLastIP, 'addressGot', 'addressChanged', 'addressLost');
    case 'conflict':
      return sayChange(changes.devConflict, 'conflict', 'conflict', 'conflictOver');
    case 'renamed': {
      const { from, to } = valuesOf(changes.devName);
      if (isUnknown(to)) return say('nameLost', { from });
      return isUnknown(from) ? say('named') : say('renamed', { from });
    }
    case 'edited':
      return edited(changes, say);
    case 'archived':
    case 'deleted':
    case 'restored':
    case 'imported':
    case 'found':
      return say(type);
  }
}

function observed(type: ObservedType, event: DeviceEvent, siteName: string | undefined): Sentence {
  const { device, subject } = event;
  const isOfSite = subject?.kind === 'site' || subject?.kind === 'internet';
  const text = observedSentence(type, event, device !== null ? '' : isOfSite ? (siteName ?? null) : null);
  return { parts: device === null ? [{ text }] : [{ device: deviceLabel(device) }, { text: ` ${text}` }], changes: [] };
}

export function deviceLabel({ name, mac }: { name: string; mac: string }): string {
  if (!isUnknown(name)) return name;
  return mac === '' ? texts.unnamed : mac;
}

export function textOf({ parts, changes }: Sentence): string {
  const said = parts.map((part) => ('text' in part ? part.text : 'device' in part ? part.device : part.value)).join('');
  return [said, ...changes.map(({ field, from, to }) => `${field} ${from} ${to}`)].join(' ');
}

function manyOf({ type, cause, count = 0, deleted = 0 }: DeviceEvent): Sentence {
  const counted = (number: number) => texts.countedDevices({ count: number });
  if (type === 'imported' && deleted > 0 && deleted < count) {
    const values = { count: counted(count - deleted), deleted: counted(deleted) };
    return sentence('manyImportedAndDeleted', values);
  }
  return sentence(templateOfMany(type, cause), { count: counted(count) });
}

function templateOfMany(type: DeviceEvent['type'], cause: DeviceEvent['cause']): Template {
  if (type === 'found') return 'manyFound';
  if (cause === 'sighting') return 'manySeen';
  if (type === 'imported') return 'manyImported';
  if (type === 'edited') return 'manyEdited';
  if (type === 'deleted') return 'manyDeleted';
  return type === 'restored' ? 'manyRestored' : 'many';
}

/** Flags have sentences of their own, by their new value. */
const FLAGS: Partial<Record<DeviceField, readonly [off: Template, on: Template]>> = {
  devIsArchived: ['unarchived', 'archived'],
  devIsNew: ['acknowledged', 'markedNew'],
  devFavorite: ['noFavourite', 'favourite'],
  devAlertDown: ['alertOff', 'alertOn'],
};
const YES_OR_NO: readonly string[] = [...Object.keys(FLAGS), 'devPresentLastScan', 'devStaticIP', 'devRandomMAC'];

function edited(changes: Changes, say: (template: Template, values?: Values) => Sentence): Sentence {
  const every = Object.entries(changes) as [DeviceField, Changes[DeviceField]][];
  // The icon follows the type and is not readable.
  const others = every.filter(([field]) => field !== 'devIcon');
  const all = others.length === 0 ? every : others;
  const [first] = all;
  if (first === undefined) return say('extraEdited');
  const [field, change] = first;
  if (all.length > 1) {
    const { parts } = say('edited', { count: texts.countedFields({ count: all.length }) });
    return { parts, changes: all.map(([name, one]) => shownChange(name, one)) };
  }
  const flag = FLAGS[field];
  if (flag !== undefined) return say(flag[change?.to === 1 ? 1 : 0]);
  const template = templateOf(change, 'fieldSet', 'fieldChanged', 'fieldCleared');
  return say(template, { field: fieldName(field), ...shownValues(field, change) });
}

function shownChange(field: DeviceField, change: Changes[DeviceField]): FieldChange {
  const { from, to } = shownValues(field, change);
  const { nothing } = texts;
  return { field: fieldName(field), from: from || nothing, to: to || nothing };
}

function shownValues(field: DeviceField, change: Changes[DeviceField]): { from: string; to: string } {
  if (!YES_OR_NO.includes(field)) return valuesOf(change);
  const word = (value: unknown) => (value === 1 ? texts.yes : texts.no);
  return { from: word(change?.from), to: word(change?.to) };
}

function valuesOf(change: Changes[DeviceField]): { from: string; to: string } {
  return { from: String(change?.from ?? ''), to: String(change?.to ?? '') };
}

function templateOf(change: Changes[DeviceField], set: Template, changed: Template, cleared: Template): Template {
  const { from, to } = valuesOf(change);
  if (to === '') return cleared;
  return from === '' ? set : changed;
}

const isUnknown = (name: string): boolean => name === '' || UNKNOWN_NAMES.includes(name);

/** Marks the places of the values, so that each can be shown in its own way. */
const PLACES = {
  ...{ device: '\0device\0', from: '\0from\0', to: '\0to\0' },
  ...{ field: '\0field\0', count: '\0count\0', deleted: '\0deleted\0' },
};

function sentence(template: Template, values: Values & { device?: string }): Sentence {
  const parts = texts.sentences[template](PLACES)
    .split('\0')
    .flatMap((piece, i): Part[] => {
      if (i % 2 === 0) return piece === '' ? [] : [{ text: piece }];
      const name = piece as keyof typeof PLACES;
      const value = values[name] ?? '';
      if (name === 'device') return [{ device: value }];
      return [name === 'from' || name === 'to' ? { value } : { text: value }];
    });
  return { parts, changes: [] };
}
