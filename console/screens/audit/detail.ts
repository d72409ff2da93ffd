/** The details of an entry of the audit as pairs of words. */
import texts from 'messages:audit';
import commandTexts from 'messages:commands';
import eventNames from 'messages:eventNames';
import type { AuditEntry } from '../../../shared/api/records.ts';
import { checkTexts } from '../../checks/check-texts.ts';
import { fieldName } from '../../text/device-fields.ts';
import { everyText } from '../../text/format.ts';

interface Detail {
  name: string;
  value: string;
}

const WORDS: Readonly<Record<string, string>> = texts.details;

/** Ids that nobody reads where one of the names stands beside them. */
const IDS: readonly string[] = ['id', 'check', 'hook', 'schedule', 'scan', 'site'];
const NAMES = ['label', 'name', 'host', 'range'] as const;

/** What is stored of a command may be more than the API promises: a list, or an object. */
export function detailsOf({ action, detail }: Pick<AuditEntry, 'action' | 'detail'>): Detail[] {
  return Object.entries(detail)
    .filter(([name]) => !(name === 'tool' && action.startsWith('tool.'))) // The action says it.
    .filter(([name]) => !IDS.includes(name) || !NAMES.some((one) => textOf(detail[one]) !== ''))
    .map(([name, value]) => ({ name: nameOf(name), value: valueText(name, value) }))
    .filter(({ value }) => value !== '');
}

export function actionText(action: string): string {
  if (action.startsWith('tool.'))
    return texts.tool({ title: wordOf(commandTexts.tools, action.slice('tool.'.length)) });
  return wordOf(texts.actions, action);
}

function nameOf(name: string): string {
  return wordOf(WORDS, name);
}

/** Values as they are called elsewhere in the console. */
function valueText(name: string, value: unknown): string {
  const text = textOf(value);
  switch (name) {
    case 'fields':
      return text.split(', ').map(fieldName).join(', ');
    case 'events':
      return text
        .split(' ')
        .map((type) => wordOf(eventNames, type))
        .join(', ');
    case 'sites':
    case 'scopes':
      return text.split(' ').join(', ');
    case 'kind':
      return wordOf(checkTexts.kinds, text);
    case 'mode':
    case 'protocol':
      return wordOf(commandTexts.modes, text);
    case 'everySeconds':
      return typeof value === 'number' ? everyText(value) : text;
    default:
      return text;
  }
}

function wordOf(words: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(words, name) ? (words[name] ?? name) : name;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
