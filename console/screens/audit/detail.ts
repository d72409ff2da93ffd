/** The details of an entry of the audit log in words. */
import texts from 'messages:audit';
import commandTexts from 'messages:commands';
import eventNames from 'messages:eventNames';
import type { AuditEntry } from '../../../shared/api/records.ts';
import { checkTexts } from '../../checks/check-texts.ts';
import { fieldName } from '../../text/device-fields.ts';
import { everyText } from '../../text/format.ts';

/** Ids left out if one of the names stands beside them. */
const IDS: readonly string[] = ['id', 'check', 'hook', 'schedule', 'scan', 'site'];
const NAMES = ['label', 'name', 'host', 'range'] as const;

/** Stored values may be more than the API promises: lists, or objects. */
export function detailsOf({ action, detail }: Pick<AuditEntry, 'action' | 'detail'>) {
  return Object.entries(detail)
    .filter(([name]) => !(name === 'tool' && action.startsWith('tool.'))) // Part of the action.
    .filter(([name]) => !IDS.includes(name) || !NAMES.some((one) => textOf(detail[one]) !== ''))
    .map(([name, value]) => ({ name: wordOf(texts.details, name), value: valueText(name, value) }))
    .filter(({ value }) => value !== '');
}

export function actionText(action: string): string {
  const [, tool] = /^tool\.(.*)$/s.exec(action) ?? [];
  if (tool !== undefined) return texts.tool({ title: wordOf(commandTexts.tools, tool) });
  return wordOf(texts.actions, action);
}

/** Values in the words of other screens. */
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
