/** An entry of the audit log in words: a sentence, the changed values, and the other details. */
import texts from 'messages:audit';
import commandTexts from 'messages:commands';
import eventNames from 'messages:eventNames';
import roleTexts from 'messages:roles';
import scheduleTexts from 'messages:schedules';
import templateTexts from 'messages:templates';
import type { Hook } from '../../../shared/api/hooks.ts';
import type { AuditEntry } from '../../../shared/api/records.ts';
import { DEVICE_FIELDS } from '../../../shared/device.ts';
import { checkTexts } from '../../checks/check-texts.ts';
import { fieldName } from '../../text/device-fields.ts';
import { dateTimeText, everyText } from '../../text/format.ts';
import { selectionText } from '../../text/site-texts.ts';
import { agentName } from '../agents/agent-name.ts';
import { serviceName, serviceOf } from '../notifications/services.tsx';
import { presetOf } from '../schedules/presets.ts';

type Entry = Pick<AuditEntry, 'action' | 'detail' | 'changes'>;
type Words = Readonly<Record<string, string>>;

/** The names of what an entry has the ids of. */
export interface Names {
  site: (id: string) => string;
  actor: (id: string) => string;
}

/** The sentence names the first of these that an entry has. */
const NAMES = [
  ...['name', 'label', 'client', 'template', 'range', 'target', 'query', 'mac', 'host', 'agent', 'device', 'site'],
  ...['version', 'to', 'tool', 'id'],
];
/** Left out beside a name. */
const IDS: readonly string[] = ['id', 'check', 'hook', 'schedule', 'scan', 'site', 'device', 'person', 'job', 'batch'];
const COUNTS = ['inserted', 'deleted', 'restored', 'updated', 'placed', 'joined', 'split'];
/** In the place of the name while the sentence is made. */
const MARK = '\u0001';

/** The name stands apart, because it comes from others. */
export function sentenceOf({ action, detail }: Entry, names: Names): { before: string; name: string; after: string } {
  const key = nameIn(action, detail);
  const name = valueText(key, detail[key], names);
  const said = action.startsWith('tool.')
    ? ofTool(wordOf(commandTexts.tools, action.slice('tool.'.length)), name)
    : messageOf(action, Number(detail[countIn(action, detail)] ?? 0));
  const [before = '', after = ''] = said.split(MARK);
  return { before, name: said.includes(MARK) ? name : '', after };
}

const ofTool = (title: string, name: string) =>
  name === '' ? texts.tool({ title }) : texts.toolOn({ title, of: MARK });

function messageOf(action: string, count: number): string {
  const all: Readonly<Record<string, string | ((values: { of: string; count: number }) => string)>> = texts.actions;
  const message = Object.hasOwn(all, action) ? all[action] : undefined;
  return typeof message === 'function' ? message({ of: MARK, count }) : (message ?? action);
}

function nameIn(action: string, detail: Entry['detail']): string {
  const isSaid = (name: string) => name === 'tool' && action.startsWith('tool.');
  return NAMES.find((one) => textOf(detail[one]) !== '' && !isSaid(one)) ?? '';
}

function countIn(action: string, detail: Entry['detail']): string {
  return (/^devices?\./.test(action) && COUNTS.find((one) => Object.hasOwn(detail, one))) || '';
}

export function changesOf({ changes = {} }: Entry, names: Names) {
  return Object.entries(changes).map(([key, { from, to }]) => ({
    name: keyText(key),
    from: from === null ? '' : valueText(key, from, names) || texts.nothing,
    to: valueText(key, to, names) || texts.nothing,
  }));
}

/** What neither the sentence nor the changes say. Stored values may be more than the API promises: lists, or objects. */
export function detailsOf(entry: Entry, names: Names) {
  const { action, detail, changes = {} } = entry;
  const { name } = sentenceOf(entry, names);
  const said = [
    'code',
    name === '' ? '' : nameIn(action, detail),
    countIn(action, detail),
    action.startsWith('tool.') ? 'tool' : '',
  ];
  const isChange = Object.keys(changes).length > 0;
  return Object.entries(isChange ? {} : detail)
    .filter(([key, value]) => value !== 0 && !said.includes(key) && (name === '' || !IDS.includes(key)))
    .map(([key, value]) => ({ name: keyText(key), value: valueText(key, value, names) }))
    .filter(({ value }) => value !== '');
}

function keyText(key: string): string {
  return (DEVICE_FIELDS as readonly string[]).includes(key) ? fieldName(key) : wordOf(texts.details, key);
}

type ValueText = (text: string, names: Names, value: unknown) => string;

const each = (separator: string, of: (one: string) => string) => (text: string) =>
  text.split(separator).map(of).join(', ');
const inWords = each(' ', (one) => wordOf(texts.words, one));
const word: ValueText = (text) => wordOf(texts.words, text);
const mode: ValueText = (text) => wordOf({ ...texts.words, ...commandTexts.modes }, text);
const every: ValueText = (text, _, value) => (typeof value === 'number' ? everyText(value) : text);

/** Values in the words of other screens. */
const VALUES: Readonly<Record<string, ValueText>> = {
  fields: each(', ', fieldName),
  events: each(' ', (type) => wordOf(eventNames, type)),
  done: each(', ', stepText),
  settings: each(' ', keyText),
  ...{ sites: sitesText, to: sitesText },
  roles: (text, names) =>
    each(', ', (one) => {
      const [role = '', sites = ''] = one.split(': ');
      return `${wordOf(roleTexts.names, role)} ${sitesText(sites, names)}`;
    })(text),
  ...{ scopes: inWords, tags: inWords, networks: inWords, gateways: inWords, deny: inWords, templates: inWords },
  agent: agentName,
  createdBy: (text, names) => names.actor(text),
  format: (text) => serviceName(serviceOf(text as Hook['format'])),
  when: whenText,
  kind: (text) => wordOf(checkTexts.kinds, text),
  tool: (text) => wordOf(commandTexts.tools, text),
  ...{ mode, protocol: mode, updates: word, state: word, by: word, what: word },
  ...{ everySeconds: every, intervalSeconds: every },
  expiresAt: (text) => dateTimeText(new Date(text)),
};

function valueText(key: string, value: unknown, names: Names): string {
  const text = textOf(value);
  if (text === '' || !Object.hasOwn(VALUES, key)) return text;
  return VALUES[key]?.(text, names, value) ?? text;
}

function sitesText(text: string, { site }: Names): string {
  return selectionText(text === '*' ? text : text.split(' '), site);
}

/** @param text a cron expression, or `every 60 s` */
function whenText(text: string): string {
  const [, every] = /^every (\d+) s$/.exec(text) ?? [];
  const everySeconds = every === undefined ? null : Number(every);
  const preset = presetOf({ cron: everySeconds === null ? text : null, everySeconds });
  if (preset !== null) return scheduleTexts.presets[preset];
  return everySeconds === null ? text : everyText(everySeconds);
}

/** A step of a plan: `+ check internet`, or a setting: `~ timeZone` */
function stepText(step: string): string {
  const [, sign, kind = '', name = ''] = /^([+~-]) (\w+) (.+)$/s.exec(step) ?? [];
  if (sign === '+' || sign === '~' || sign === '-') return texts.steps[sign]({ kind: keyText(kind), name });
  const setting = step.replace(/^~ /, '');
  return wordOf(templateTexts.settingNames, setting);
}

function wordOf(words: Words, name: string): string {
  return Object.hasOwn(words, name) ? (words[name] ?? name) : name;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
