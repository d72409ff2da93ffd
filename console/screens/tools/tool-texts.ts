/** What a tool and the fields of its form are called. */
import type { AnyTool } from '../../../shared/tools/tool.ts';
import { texts } from '../../texts.ts';
import type { FormField, FormValues, ToolForm } from './form-fields.ts';

const LABELS: Readonly<Record<string, string>> = texts.tools.fields;

/** `Scan the ports of an address or a range`, from what the command line says of it. */
export function descriptionOf({ cli: { description } }: AnyTool): string {
  return `${description.charAt(0).toUpperCase()}${description.slice(1)}`;
}

export function labelOf({ argument, name }: Pick<FormField, 'argument' | 'name'>): string {
  return LABELS[argument] ?? LABELS[name] ?? name;
}

/** Messages of the API name the fields of the body; a person sees their labels. */
export function inLabels({ fields }: ToolForm, errors: FormValues): FormValues {
  const labels = new Map(fields.map((field) => [field.name, `“${labelOf(field)}”`]));
  return Object.fromEntries(
    Object.entries(errors).map(([name, message]) => [
      name,
      message.replace(/\w+/g, (word) => labels.get(word) ?? word),
    ]),
  );
}
