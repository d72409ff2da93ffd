/** The English of `/changes`, made of its codes; texts in other languages have the same shape. */
import type { ChangeSentence, SentencePart, SummaryPart } from './api/changes.ts';
import type { EventType } from './api/events.ts';
import type { DeviceField } from './device.ts';
import { isObserved, lengthText, observedPredicate, portText } from './event-text.ts';
import { type TextsOf, textOfCode, type ValuesOf } from './reason-text.ts';
import { thousands } from './text.ts';

/** Null when a part has a code of a newer version. */
export function changeText(
  { textCodes, label }: Pick<ChangeSentence, 'textCodes' | 'label'>,
  say = (part: SentencePart) => textOfCode(PARTS, part),
): string | null {
  const said = textCodes?.map(say) ?? [null];
  if (said.includes(null)) return null;
  return (label === undefined ? '' : `${label}: `) + said.join('; ');
}

export function summaryText(parts: readonly SummaryPart[]): string {
  const said = parts.map(({ code, values: { count, seconds = 0 } }) => {
    const [one, many] = COUNTED[code];
    const length = seconds === 0 ? '' : ` of ${lengthText(seconds)}${count === 1 ? '' : ' in all'}`;
    return `${thousands(count)} ${count === 1 ? one : many}${length}`;
  });
  return `${said.length === 0 ? 'Nothing changed' : said.join(', ')}.`;
}

type Edit = ValuesOf<SentencePart, 'edited'>['fields'][number];

export const quoted = (text: string) => `"${text}"`;

/** The addresses one after the other: `.21` behind one of the same first three numbers. */
export function addressChain(chain: readonly string[], none: string): string {
  const named = chain[0] === '' ? chain.slice(1) : chain;
  return named.map((address, i) => shortAddress(address, named[i - 1] ?? '') || none).join(' → ');
}

function shortAddress(address: string, before: string): string {
  const [, network, host] = /^(\d+\.\d+\.\d+)(\.\d+)$/.exec(address) ?? [];
  return network !== undefined && host !== undefined && before.startsWith(`${network}.`) ? host : address;
}

/** The new value of a field, in words of a language. */
export function editText(
  { from = '', to }: Pick<Edit, 'from' | 'to'>,
  words: Record<'same' | 'yes' | 'no' | 'cleared', string>,
): string {
  if (to === undefined) return words.same;
  if (typeof to === 'boolean') return to ? words.yes : words.no;
  if (to === '') return words.cleared;
  return from === '' ? quoted(to) : `${quoted(from)} → ${quoted(to)}`;
}

/** `parent MAC` of `devParentMAC`. */
function fieldName(field: DeviceField): string {
  const words = field.replace(/^dev/, '').match(/[A-Z]+(?![a-z])|[A-Z][a-z]+|IPv\d/g) ?? [field];
  return words.map((word) => (/^[A-Z][a-z]/.test(word) ? word.toLowerCase() : word)).join(' ');
}

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
const EDITED = { same: 'as before', yes: 'yes', no: 'no', cleared: 'cleared' };
const UNDONE = { opened: ' and closed again', closed: ' and opened again' };

const often = (times: number) => (times === 1 ? '' : ` ${times} times`);
const were = (count: number) => (count === 1 ? '1 device was' : `${count} devices were`);
const listed = (items: readonly string[], more: number) => items.join(', ') + (more > 0 ? ` and ${more} more` : '');
const lasted =
  (was: string) =>
  ({ times, seconds }: { times: number; seconds: number }) =>
    times === 1 ? `${was} for ${lengthText(seconds)}` : `${was} ${times} times, ${lengthText(seconds)} in all`;
const ports =
  (did: keyof typeof UNDONE) =>
  ({ ports: details, more, end }: ValuesOf<SentencePart, 'ports-opened'>) => {
    const again = { kept: '', undone: UNDONE[did], repeated: ' more than once' }[end];
    return `${did} ${details.length === 1 ? 'port' : 'ports'} ${listed(
      details.map((one) => portText(one)),
      more,
    )}${again}`;
  };

const PARTS: TextsOf<SentencePart> = {
  happened: ({ type, times, again, ...event }) => {
    const said = isObserved(type) ? observedPredicate(type, event) : (HAPPENED[type] ?? type);
    return (again ? `is ${type} again` : said) + often(times);
  },
  'was-offline': lasted('was offline'),
  'was-silent': lasted('did not answer'),
  'was-disconnected': lasted('was not connected'),
  'had-no-agent': lasted('had no agent that was connected'),
  'had-no-internet': lasted('had no internet'),
  'was-slow': lasted('was slow'),
  'were-gone': ({ devices, ...values }) =>
    lasted(devices === 1 ? '1 device was gone' : `${devices} devices were gone at once`)(values),
  'ports-opened': ports('opened'),
  'ports-closed': ports('closed'),
  address: ({ chain }) => `address ${addressChain(chain, 'none')}`,
  'public-address': ({ chain }) => `public address ${addressChain(chain, 'none')}`,
  named: ({ name }) => `is named ${quoted(name)}`,
  renamed: ({ chain }) => `was renamed: ${chain.map((name) => (name === '' ? 'no name' : quoted(name))).join(' → ')}`,
  'conflict-over': 'has no conflict any more',
  conflict: ({ text }) => `has a conflict: ${text}`,
  edited: ({ fields, more }) => {
    const said = fields.map((one) => `${fieldName(one.field)} ${editText(one, EDITED)}`);
    return `was edited: ${said.length === 0 ? 'other columns' : listed(said, more)}`;
  },
  many: ({ type, count, deleted, changes }) => {
    const did = { found: 'found by the first look at a network', edited: 'changed at once' }[type as string] ?? type;
    const some = deleted > 0 ? `, ${were(deleted)} deleted` : '';
    return `${were(count)} ${did}${some}${changes === 1 ? '' : `, in ${changes} changes`}`;
  },
};

/** What is counted in a summary, for one and for several. */
const COUNTED: Readonly<Record<SummaryPart['code'], readonly [one: string, many: string]>> = {
  new: ['new device', 'new devices'],
  found: ['device found', 'devices found'],
  imported: ['device imported', 'devices imported'],
  deleted: ['device deleted', 'devices deleted'],
  outage: ['outage', 'outages'],
  'site-dark': ['time without an agent', 'times without an agent'],
  'internet-lost': ['time without internet', 'times without internet'],
  'agent-lost': ['agent lost', 'agents lost'],
  'agent-update-failed': ['failed update of an agent', 'failed updates of agents'],
  'check-down': ['failed check', 'failed checks'],
  'turn-missed': ['missed turn of schedules', 'missed turns of schedules'],
  'speed-low': ['slow time', 'slow times'],
  'certificate-ending': ['certificate about to end', 'certificates about to end'],
  'address-changed': ['new public address', 'new public addresses'],
  'route-changed': ['changed route', 'changed routes'],
  'port-opened': ['port opened', 'ports opened'],
  'port-closed': ['port closed', 'ports closed'],
  joined: ['device joined with other MACs', 'devices joined with other MACs'],
  split: ['device split', 'devices split'],
  changed: ['device changed', 'devices changed'],
  'came-or-went': ['device came or went', 'devices came or went'],
  other: ['other event', 'other events'],
};
