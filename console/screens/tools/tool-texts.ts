/** What a tool and the fields of its form are called. */
import type { AnyTool } from '../../../shared/tools/tool.ts';
import type { FormField, ToolForm } from './form-fields.ts';
import { texts } from './texts.ts';

const LABELS: Readonly<Record<string, string>> = texts.fields;

/** `Scan the ports of an address or a range`, from what the command line says of it. */
export function descriptionOf({ cli: { description } }: AnyTool): string {
  return `${description.charAt(0).toUpperCase()}${description.slice(1)}`;
}

function labelOf({ argument, name }: FormField): string {
  return LABELS[argument] ?? LABELS[name] ?? name;
}

/** Says of a field that it is optional, unless all are: then one of several is needed. */
export function labelIn({ fields }: ToolForm, field: FormField): string {
  const label = labelOf(field);
  const saysOptional = field.kind === 'text' && !field.isRequired && fields.some(({ isRequired }) => isRequired);
  return saysOptional ? texts.optional(label) : label;
}

/** Texts of the API name the fields of the body; a person sees their labels. */
export function inLabels({ fields }: ToolForm, text: string): string {
  const labels = new Map(fields.map((field) => [field.name, `“${labelOf(field)}”`]));
  return text.replace(/\w+/g, (word) => labels.get(word) ?? word);
}
