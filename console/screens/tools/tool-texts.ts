/** The labels, hints and errors of the fields of a tool. */
import texts from 'messages:tools';
import type { FormField, ToolForm } from './form-fields.ts';

const MODES: Readonly<Record<string, string>> = texts.modes;
const LABELS: Readonly<Record<string, string>> = texts.fields;

function labelOf({ argument, name, kind }: FormField): string {
  return kind === 'device' ? texts.fields.device : (LABELS[argument] ?? LABELS[name] ?? name);
}

/** Marks an optional field, unless all are: then one of several is needed. */
export function labelIn({ fields }: ToolForm, field: FormField): string {
  const label = labelOf(field);
  const saysOptional = field.kind === 'text' && !field.isRequired && fields.some(({ isRequired }) => isRequired);
  return saysOptional ? texts.optional({ label }) : label;
}

export function hintOf({ tool }: Pick<ToolForm, 'tool'>, { kind, argument }: FormField): string {
  const { hints } = texts;
  if (kind === 'device') return hints.device;
  if (argument === 'verify') return hints.verify;
  if (kind !== 'target') return '';
  return argument === 'query' ? hints.query : tool.name === 'nmap' ? hints.nmapTarget : hints.target;
}

/** The error of a field, in words of the console, else in those of the API. */
export function errorOf(form: ToolForm, field: FormField, value: string, message: string): string {
  const text = value.trim();
  if (field.kind === 'device' && text === '') return texts.errors.device;
  if (field.kind !== 'target') return message;
  return text === '' ? hintOf(form, field) : texts.errors.noDevice({ name: text });
}

export function optionText(option: string): string {
  return MODES[option] ?? option;
}
