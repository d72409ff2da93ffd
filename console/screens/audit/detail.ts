/** The details of an entry of the audit as pairs of words. */
import type { AuditEntry } from '../../../shared/api/records.ts';
import { fieldName } from '../../text/device-fields.ts';
import { texts } from './texts.ts';

export interface Detail {
  name: string;
  value: string;
}

const WORDS: Readonly<Record<string, string>> = texts.details;

/** What is stored of a command may be more than the API promises: a list, or an object. */
export function detailsOf({ action, detail }: Pick<AuditEntry, 'action' | 'detail'>): Detail[] {
  return Object.entries(detail)
    .filter(([name]) => !(name === 'tool' && action.startsWith('tool.'))) // The action says it.
    .map(([name, value]) => ({ name: nameOf(name), value: name === 'fields' ? fieldWords(value) : textOf(value) }))
    .filter(({ value }) => value !== '');
}

export function actionText(action: string): string {
  if (action.startsWith('tool.')) return texts.tool(action.slice('tool.'.length));
  return Object.hasOwn(texts.actions, action) ? (texts.actions[action] ?? action) : action;
}

function nameOf(name: string): string {
  return Object.hasOwn(WORDS, name) ? (WORDS[name] ?? name) : name;
}

/** The names of the fields of a device, as they are called elsewhere in the console. */
function fieldWords(value: unknown): string {
  return textOf(value).split(', ').map(fieldName).join(', ');
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
