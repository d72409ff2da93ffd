/** What has become of one device, or of one other thing, in a span of time: its events summed up in a few sentences. */
import type { ChangeSentence, SentencePart } from '../../shared/api/changes.ts';
import type { DeviceEvent, EventDetail, EventType } from '../../shared/api/events.ts';
import { changeText } from '../../shared/change-text.ts';
import { DEVICE_FIELD_KINDS, DEVICE_FIELDS, type DeviceField, UNKNOWN_NAMES } from '../../shared/device.ts';
import { isObserved } from '../../shared/event-text.ts';
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
    const name = `${familyOf(type)}${about}`;
    const known = families.get(name);
    if (known === undefined) families.set(name, [event]);
    else known.push(event);
  }
  return [...families.values()]
    .map((family): ChangeSentence => {
      const { at, type, device, subject } = lastOf(family);
      const said = {
        textCodes: partsOf(family),
        ...(device === null || subject === undefined ? {} : { label: subject.name }),
      };
      return { at, type, text: startOf(oneLine(changeText(said) ?? type), MAX_TEXT), ...said, count: family.length };
    })
    .sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
}

/** How long it took, if the event of its end has a number for that: details may hold anything. */
export function secondsOf({ detail }: DeviceEvent): number | null {
  const { seconds } = detail ?? {};
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds : null;
}

/** A state that begins and ends, and perhaps again and again, and its code once it is over. */
interface Spell {
  begins: readonly EventType[];
  ends: readonly EventType[];
  was:
    | 'was-offline'
    | 'was-silent'
    | 'was-disconnected'
    | 'had-no-agent'
    | 'had-no-internet'
    | 'was-slow'
    | 'were-gone';
}

const SPELLS: readonly Spell[] = [
  { begins: ['offline', 'down'], ends: ['new', 'online'], was: 'was-offline' },
  { begins: ['check-down'], ends: ['check-up'], was: 'was-silent' },
  { begins: ['agent-lost'], ends: ['agent-back'], was: 'was-disconnected' },
  { begins: ['site-dark'], ends: ['site-back'], was: 'had-no-agent' },
  { begins: ['internet-lost'], ends: ['internet-back'], was: 'had-no-internet' },
  { begins: ['speed-low'], ends: ['speed-normal'], was: 'was-slow' },
  { begins: ['outage'], ends: ['outage-over'], was: 'were-gone' },
];
const SPELL_OF = new Map(
  SPELLS.flatMap((spell) => [...spell.begins, ...spell.ends].map((type) => [type, spell] as const)),
);

/** The types whose events share sentences. */
const familyOf = (type: EventType) => SPELL_OF.get(type)?.was ?? (type === 'port-closed' ? 'port-opened' : type);

function partsOf(events: Events): SentencePart[] {
  const last = lastOf(events);
  const { type, device, subject } = last;
  const spell = SPELL_OF.get(type);
  if (spell !== undefined) return spellParts(events, spell);
  if (device === null && subject === undefined && !isObserved(type)) return [partOfMany(type, events)];
  switch (type) {
    case 'port-opened':
    case 'port-closed':
      return portParts(events);
    case 'ip-changed':
      return [{ code: 'address', values: { chain: chainOf(valuesOf(events, 'devLastIP')) } }];
    case 'address-changed': {
      const values = events.map(({ detail }): Values => [String(detail?.from ?? ''), String(detail?.to ?? '')]);
      return [{ code: 'public-address', values: { chain: chainOf(values) } }];
    }
    case 'renamed':
      return [namePart(valuesOf(events, 'devName'))];
    case 'conflict': {
      const text = valuesOf(events, 'devConflict').at(-1)?.[1] ?? '';
      return [text === '' ? { code: 'conflict-over' } : { code: 'conflict', values: { text } }];
    }
    case 'edited':
      return [editPart(events)];
    default:
      return [happened(last, events.length)];
  }
}

function happened(event: DeviceEvent, times: number, again = false): SentencePart {
  const { type, count, detail, reasonCode } = event;
  const about = isObserved(type) ? { count, detail, reasonCode } : {};
  return { code: 'happened', values: { type, times, again, ...about } };
}

/** How often and how long it was so; and what is known of one of which the span has only the end, or the beginning. */
function spellParts(events: Events, { begins, was: code }: Spell): SentencePart[] {
  const ends: DeviceEvent[] = [];
  const open: DeviceEvent[] = [];
  let times = 0;
  let seconds = 0;
  let begun: DeviceEvent | null = null;
  for (const event of events) {
    const last = open.at(-1);
    if (begins.includes(event.type)) open.push(event);
    else if (last === undefined || event.type === 'new') ends.push(event);
    else {
      open.pop();
      begun ??= last;
      times++;
      seconds += secondsOf(event) ?? (Date.parse(event.at) - Date.parse(last.at)) / 1000;
    }
  }
  const parts: SentencePart[] = [];
  for (const type of new Set(ends.map((event) => event.type))) {
    const some = ends.filter((event) => event.type === type);
    parts.push(happened(lastOf(some), some.length));
  }
  if (begun !== null) {
    const values = { times, seconds };
    if (code === 'were-gone') parts.push({ code, values: { ...values, devices: begun.count ?? 0 } });
    else parts.push({ code, values });
  }
  const last = open.at(-1);
  if (last !== undefined) parts.push(happened(last, open.length, parts.length > 0 && !isObserved(last.type)));
  return parts;
}

/** What is open now that was not, what is closed, and what was opened and closed, or the other way round. */
function portParts(events: Events): SentencePart[] {
  const ports = new Map<string, { detail: EventDetail; types: EventType[] }>();
  for (const { type, detail = {} } of events) {
    const { port = '', protocol = 'tcp', service, address } = detail;
    const name = `${port}/${protocol} ${address ?? ''}`;
    const said = { port, protocol, ...(service ? { service } : {}), ...(address ? { address } : {}) };
    ports.set(name, { detail: said, types: [...(ports.get(name)?.types ?? []), type] });
  }
  const parts: SentencePart[] = [];
  for (const end of ['kept', 'undone', 'repeated'] as const) {
    for (const code of ['ports-opened', 'ports-closed'] as const) {
      const some = [...ports.values()].filter(({ types: [first, ...others] }) => {
        const became = others.length === 0 ? 'kept' : others.at(-1) === first ? 'repeated' : 'undone';
        return became === end && (first === 'port-opened') === (code === 'ports-opened');
      });
      const details = some.map(({ detail }) => detail);
      if (some.length > 0) parts.push({ code, values: { ports: details.slice(0, MAX_SAID), more: moreOf(some), end } });
    }
  }
  return parts;
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

function namePart(values: readonly Values[]): SentencePart {
  const chain = chainOf(values);
  const [first = '', name = ''] = chain;
  const isUnknown = (one: string) => one === '' || UNKNOWN_NAMES.includes(one);
  if (chain.length === 2 && isUnknown(first)) return { code: 'named', values: { name: short(name) } };
  return { code: 'renamed', values: { chain: chain.map((one) => (isUnknown(one) ? '' : short(one))) } };
}

/** What is another value after all of it. */
function editPart(events: Events): SentencePart {
  const net = new Map<DeviceField, { from: unknown; to: unknown }>();
  for (const { changes } of events) {
    for (const field of DEVICE_FIELDS) {
      const change = changes[field];
      if (change !== undefined) net.set(field, { from: net.get(field)?.from ?? change.from, to: change.to });
    }
  }
  // The icon goes with the type, and is no text for people.
  const shown = [...net].filter(([field]) => field !== 'devIcon' || net.size === 1);
  const fields = shown.slice(0, MAX_SAID).map(([field, { from, to }]) => {
    if (from === to) return { field };
    if (DEVICE_FIELD_KINDS[field] === 'flag') return { field, to: to === 1 };
    return { field, from: short(String(from ?? '')), to: short(String(to ?? '')) };
  });
  return { code: 'edited', values: { fields, more: moreOf(shown) } };
}

/** Of changes of many devices, which are one event each. */
function partOfMany(type: EventType, events: Events): SentencePart {
  const total = events.reduce((sum, { count = 0 }) => sum + count, 0);
  const all = events.reduce((sum, event) => sum + (event.deleted ?? 0), 0);
  // Where all were deleted, the type says so.
  const deleted = all < total ? all : 0;
  return { code: 'many', values: { type, count: total - deleted, deleted, changes: events.length } };
}

const lastOf = (events: Events) => events[events.length - 1] as DeviceEvent;
const moreOf = (items: readonly unknown[]) => Math.max(0, items.length - MAX_SAID);
const short = (text: string) => oneLine(text.length > MAX_VALUE ? `${startOf(text, MAX_VALUE)}…` : text);
