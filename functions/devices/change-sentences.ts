/** What has become of one device, or of one other thing, in a span of time: its events summed up in a few sentences. */
import type { ChangeSentence } from '../../shared/api/changes.ts';
import type { DeviceEvent, EventType } from '../../shared/api/events.ts';
import { DEVICE_FIELD_KINDS, DEVICE_FIELDS, type DeviceField, UNKNOWN_NAMES } from '../../shared/device.ts';
import { isObserved, lengthText, observedPredicate } from '../../shared/event-text.ts';
import { oneLine, startOf } from '../../shared/text.ts';

type Events = readonly DeviceEvent[];

const MAX_TEXT = 500;
const MAX_VALUE = 60;
/** Values of a chain, ports of a sentence and fields of an edit that are listed. */
const MAX_SAID = 8;

/**
 * Every event is part of exactly one sentence; those that belong together, such as going and coming back, share one.
 * @param events of one device or other thing, the oldest first
 * @returns the oldest first, by what happened last of each; without control characters
 */
export function sentencesOf(events: Events): ChangeSentence[] {
  const families = new Map<string, DeviceEvent[]>();
  for (const event of events) {
    const { type, device, subject } = event;
    // Two checks of one device are two things.
    const about = device === null || subject === undefined ? '' : ` ${subject.kind} ${subject.id}`;
    const name = `${FAMILY_OF[type] ?? type}${about}`;
    const known = families.get(name);
    if (known === undefined) families.set(name, [event]);
    else known.push(event);
  }
  return [...families.values()]
    .map((family): ChangeSentence => {
      const { at, type, device, subject } = lastOf(family);
      const name = device === null || subject === undefined ? '' : `${subject.name}: `;
      return { at, type, text: startOf(oneLine(name + textOf(family)), MAX_TEXT), count: family.length };
    })
    .sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
}

/** Something that begins and ends, and perhaps again and again. */
interface Spell {
  begins: readonly EventType[];
  /** What is said of it when it is over. */
  was: string | ((begun: DeviceEvent) => string);
}

const SPELLS: Record<string, Spell> = {
  presence: { begins: ['offline', 'down'], was: 'was offline' },
  check: { begins: ['check-down'], was: 'did not answer' },
  agent: { begins: ['agent-lost'], was: 'was not connected' },
  site: { begins: ['site-dark'], was: 'had no agent that was connected' },
  internet: { begins: ['internet-lost'], was: 'had no internet' },
  speed: { begins: ['speed-low'], was: 'was slow' },
  outage: {
    begins: ['outage'],
    was: ({ count = 0 }) => (count === 1 ? '1 device was gone' : `${count} devices were gone at once`),
  },
};

/** Types whose events share sentences. */
const FAMILY_OF: Partial<Record<EventType, string>> = {
  new: 'presence',
  online: 'presence',
  offline: 'presence',
  down: 'presence',
  'check-down': 'check',
  'check-up': 'check',
  'agent-lost': 'agent',
  'agent-back': 'agent',
  'site-dark': 'site',
  'site-back': 'site',
  'internet-lost': 'internet',
  'internet-back': 'internet',
  'speed-low': 'speed',
  'speed-normal': 'speed',
  outage: 'outage',
  'outage-over': 'outage',
  'port-opened': 'ports',
  'port-closed': 'ports',
};

const HAPPENED: Partial<Record<EventType, string>> = {
  new: 'appeared',
  online: 'came online',
  offline: 'went offline',
  down: 'went down',
  archived: 'was archived',
  deleted: 'was deleted',
  restored: 'was restored',
  imported: 'was imported',
};

function textOf(events: Events): string {
  const last = lastOf(events);
  const { type, device, subject } = last;
  const spell = SPELLS[FAMILY_OF[type] ?? ''];
  if (spell !== undefined) return spellText(events, spell);
  if (device === null && subject === undefined && !isObserved(type)) return textOfMany(type, events);
  switch (type) {
    case 'port-opened':
    case 'port-closed':
      return portsText(events);
    case 'ip-changed':
      return addressText('address', valuesOf(events, 'devLastIP'));
    case 'address-changed':
      return addressText(
        'public address',
        events.map(({ detail }) => [String(detail?.from ?? ''), String(detail?.to ?? '')]),
      );
    case 'renamed':
      return nameText(valuesOf(events, 'devName'));
    case 'conflict': {
      const to = valuesOf(events, 'devConflict').at(-1)?.[1] ?? '';
      return to === '' ? 'has no conflict any more' : `has a conflict: ${to}`;
    }
    case 'edited':
      return editText(events);
    default:
      return happened(last) + timesText(events.length);
  }
}

function happened(event: DeviceEvent): string {
  const { type } = event;
  return isObserved(type) ? observedPredicate(type, event) : (HAPPENED[type] ?? type);
}

/** How often and how long it was so; and what is known of one of which the span has only the end, or the beginning. */
function spellText(events: Events, { begins, was }: Spell): string {
  const ends: DeviceEvent[] = [];
  const open: DeviceEvent[] = [];
  let spells = 0;
  let seconds = 0;
  let begun: DeviceEvent | null = null;
  for (const event of events) {
    const last = open.at(-1);
    if (begins.includes(event.type)) open.push(event);
    else if (last === undefined || event.type === 'new') ends.push(event);
    else {
      open.pop();
      begun ??= last;
      spells++;
      seconds += Number(event.detail?.seconds ?? (Date.parse(event.at) - Date.parse(last.at)) / 1000);
    }
  }
  const parts: string[] = [];
  for (const type of new Set(ends.map((event) => event.type))) {
    const some = ends.filter((event) => event.type === type);
    parts.push(happened(lastOf(some)) + timesText(some.length));
  }
  if (begun !== null) {
    const said = typeof was === 'string' ? was : was(begun);
    const length = lengthText(seconds);
    parts.push(spells === 1 ? `${said} for ${length}` : `${said} ${spells} times, ${length} in all`);
  }
  const last = open.at(-1);
  if (last !== undefined) {
    const isAgain = parts.length > 0 && !isObserved(last.type);
    const said = isAgain ? `is ${last.type} again` : happened(last);
    parts.push(said + timesText(open.length));
  }
  return parts.join('; ');
}

/** What is open now that was not, what is closed, and what was opened and closed, or the other way round. */
function portsText(events: Events): string {
  const ports = new Map<string, { name: string; types: EventType[] }>();
  for (const { type, detail } of events) {
    const port = `${detail?.port ?? ''}/${detail?.protocol ?? 'tcp'}`;
    const service = detail?.service ? ` (${detail.service})` : '';
    const at = detail?.address ? ` at ${detail.address}` : '';
    ports.set(port + at, { name: port + service + at, types: [...(ports.get(port + at)?.types ?? []), type] });
  }
  const all = [...ports.values()];
  const isOpened = (type: EventType | undefined) => type === 'port-opened';
  const thoseThat = (began: boolean, ended: boolean, onlyOnce: boolean) =>
    all
      .filter(({ types }) => isOpened(types[0]) === began && isOpened(types.at(-1)) === ended)
      .filter(({ types }) => (types.length === 1) === onlyOnce)
      .map(({ name }) => name);
  const said: [string[], string, string][] = [
    [thoseThat(true, true, true), 'opened', ''],
    [thoseThat(false, false, true), 'closed', ''],
    [thoseThat(true, false, false), 'opened', ' and closed again'],
    [thoseThat(false, true, false), 'closed', ' and opened again'],
    [thoseThat(true, true, false), 'opened', ' more than once'],
    [thoseThat(false, false, false), 'closed', ' more than once'],
  ];
  return said
    .filter(([names]) => names.length > 0)
    .map(([names, did, again]) => `${did} ${names.length === 1 ? 'port' : 'ports'} ${listText(names)}${again}`)
    .join('; ');
}

type Values = [from: string, to: string];

function valuesOf(events: Events, field: DeviceField): Values[] {
  return events.map(({ changes }) => [String(changes[field]?.from ?? ''), String(changes[field]?.to ?? '')]);
}

/** The values one after the other, in the middle left out where they are many. */
function chainOf(values: readonly Values[]): string[] {
  const all = values.flat().filter((value, i, list) => i === 0 || value !== list[i - 1]);
  return all.length <= MAX_SAID ? all : [...all.slice(0, MAX_SAID - 2), '…', all.at(-1) ?? ''];
}

function addressText(what: string, values: readonly Values[]): string {
  const chain = chainOf(values);
  const named = chain[0] === '' ? chain.slice(1) : chain;
  const shown = named.map((address, i) => shortAddress(address, named[i - 1] ?? '') || 'none');
  return `${what} ${shown.join(' → ')}`;
}

/** `.21` behind an address of the same first three numbers. */
function shortAddress(address: string, before: string): string {
  const [, network, host] = /^(\d+\.\d+\.\d+)(\.\d+)$/.exec(address) ?? [];
  return network !== undefined && host !== undefined && before.startsWith(`${network}.`) ? host : address;
}

function nameText(values: readonly Values[]): string {
  const chain = chainOf(values);
  const isUnknown = (name = '') => name === '' || UNKNOWN_NAMES.includes(name);
  const [named, ...others] = isUnknown(chain[0]) ? chain.slice(1) : [];
  if (named !== undefined && others.length === 0) return `is named ${quoted(named)}`;
  return `was renamed: ${chain.map((name) => (isUnknown(name) ? 'no name' : quoted(name))).join(' → ')}`;
}

/** What is another value after all of it. */
function editText(events: Events): string {
  const net = new Map<DeviceField, { from: unknown; to: unknown }>();
  for (const { changes } of events) {
    for (const field of DEVICE_FIELDS) {
      const change = changes[field];
      if (change !== undefined) net.set(field, { from: net.get(field)?.from ?? change.from, to: change.to });
    }
  }
  // The icon goes with the type, and is no text for people.
  const shown = [...net].filter(([field]) => field !== 'devIcon' || net.size === 1);
  const said = shown.map(([field, { from, to }]) => {
    const name = fieldName(field);
    if (from === to) return `${name} as before`;
    if (DEVICE_FIELD_KINDS[field] === 'flag') return `${name} ${to === 1 ? 'yes' : 'no'}`;
    const [before, after] = [String(from ?? ''), String(to ?? '')];
    if (after === '') return `${name} cleared`;
    return before === '' ? `${name} ${quoted(after)}` : `${name} ${quoted(before)} → ${quoted(after)}`;
  });
  return said.length === 0 ? 'was edited: other columns' : `was edited: ${listText(said)}`;
}

/** `parent MAC` of `devParentMAC`. */
function fieldName(field: DeviceField): string {
  const words = field.replace(/^dev/, '').match(/[A-Z]+(?![a-z])|[A-Z][a-z]+|IPv\d/g) ?? [field];
  return words.map((word) => (/^[A-Z][a-z]/.test(word) ? word.toLowerCase() : word)).join(' ');
}

/** Of changes of many devices, which are one event each. */
function textOfMany(type: EventType, events: Events): string {
  const total = events.reduce((sum, { count = 0 }) => sum + count, 0);
  const deleted = events.reduce((sum, event) => sum + (event.deleted ?? 0), 0);
  const were = (count: number) => (count === 1 ? '1 device was' : `${count} devices were`);
  const did = { found: 'found by the first look at a network', edited: 'changed at once' }[type as string] ?? type;
  const some = deleted > 0 && deleted < total ? `, ${were(deleted)} deleted` : '';
  return `${were(some === '' ? total : total - deleted)} ${did}${some}${events.length === 1 ? '' : `, in ${events.length} changes`}`;
}

const lastOf = (events: Events) => events[events.length - 1] as DeviceEvent;
const timesText = (count: number) => (count === 1 ? '' : ` ${count} times`);
const quoted = (text: string) => (text.length > MAX_VALUE ? `"${startOf(text, MAX_VALUE)}…"` : `"${text}"`);

function listText(items: readonly string[]): string {
  const said = items.slice(0, MAX_SAID);
  return items.length <= MAX_SAID ? said.join(', ') : `${said.join(', ')} and ${items.length - MAX_SAID} more`;
}
