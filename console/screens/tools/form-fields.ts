/** The form of a tool, made from the schema of its request, with the schema's own messages. */
import * as z from 'zod';
import { WakeRequest } from '../../../shared/api/wake.ts';
import { TOOL, type Tool } from '../../../shared/tools/list.ts';
import type { AnyTool } from '../../../shared/tools/tool.ts';

export interface FormField {
  /** Its name in the body of the request. */
  name: string;
  /** Its name in the command, and in the address of a form that is filled in; that of the body where it has no other. */
  argument: string;
  kind: 'text' | 'choice' | 'switch';
  /** The values of a choice. */
  options: readonly string[];
  initial: string;
  hint: string;
  isRequired: boolean;
}

/** By the name of the field in the body. A switch is `true` or empty. */
export type FormValues = Readonly<Record<string, string>>;

export interface ToolForm {
  tool: AnyTool;
  schema: z.ZodObject;
  fields: readonly FormField[];
}

/** Requests that say more than the arguments of the command (see shared/api/nettools.ts). */
const REQUESTS: Partial<Record<Tool, z.ZodObject>> = { wakeonlan: WakeRequest };

/** Null for a name that is none of a tool. */
export function formOf(name: string): ToolForm | null {
  if (!Object.hasOwn(TOOL, name)) return null;
  const tool = TOOL[name as Tool];
  const schema = REQUESTS[name as Tool] ?? argumentsSchema(tool);
  const fields = Object.entries(schema.shape).map(([field, part]) => fieldOf(tool, field, part));
  return { tool, schema, fields };
}

function argumentsSchema({ arguments: declared }: AnyTool): z.ZodObject {
  return z.object(Object.fromEntries(Object.values(declared).map(({ field, schema }) => [field, schema])));
}

function fieldOf(tool: AnyTool, name: string, schema: z.core.$ZodType): FormField {
  const [argument = name, declared] = Object.entries(tool.arguments).find(([, { field }]) => field === name) ?? [];
  const { core, isOptional, initial } = unwrap(schema);
  const cli = declared?.cli;
  const texts = [schema, core, tool.mcp?.arguments?.[argument]?.schema].map(descriptionOf);
  const hint = texts.find((text) => text !== '') ?? (cli && 'argument' in cli ? (cli.description ?? '') : '');
  return {
    name,
    argument,
    kind: core instanceof z.ZodEnum ? 'choice' : core instanceof z.ZodBoolean ? 'switch' : 'text',
    options: core instanceof z.ZodEnum ? core.options.map(String) : [],
    initial: initial ?? (cli && 'option' in cli ? cli.default : ''),
    hint: firstSentence(hint),
    isRequired: !isOptional,
  };
}

/** What is inside of `.optional()` and `.default()`. */
function unwrap(schema: z.core.$ZodType): { core: z.core.$ZodType; isOptional: boolean; initial: string | null } {
  if (schema instanceof z.ZodOptional) return { ...unwrap(schema.unwrap()), isOptional: true };
  if (schema instanceof z.ZodDefault) {
    const { defaultValue } = schema.def;
    return {
      ...unwrap(schema.unwrap()),
      isOptional: true,
      initial: defaultValue === false ? '' : String(defaultValue),
    };
  }
  return { core: schema, isOptional: false, initial: null };
}

function descriptionOf(schema: z.core.$ZodType | undefined): string {
  return schema instanceof z.ZodType ? (schema.description ?? '') : '';
}

/** Descriptions are written for the documentation of the API; the first sentence is enough beside a field. */
function firstSentence(text: string): string {
  return text.replace(/(?<=\.)\s.*$/s, '').replaceAll('`', '');
}

export function initialValues({ fields }: ToolForm): FormValues {
  return Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));
}

/**
 * The form as a query fills it in (`?target=192.168.1.20&mode=fast`), by the names of the command or of the body. What
 * the form does not have is passed by, and so is what would make a valid request an invalid one: the command of a wake
 * has the address beside the MAC, and its request takes only one of them.
 */
export function filledValues(form: ToolForm, query: URLSearchParams): FormValues {
  let values = initialValues(form);
  for (const { name, argument, kind, options } of form.fields) {
    const given = query.get(argument) ?? query.get(name);
    if (given === null || (kind === 'choice' && !options.includes(given))) continue;
    const next = { ...values, [name]: kind === 'switch' && given !== 'true' ? '' : given };
    if (checkForm(form, values).body === null || checkForm(form, next).body !== null) values = next;
  }
  return values;
}

export type Checked = { body: Record<string, unknown>; errors: null } | { body: null; errors: FormValues };

/** The body to send, or what is wrong by the name of the field. */
export function checkForm({ schema, fields }: ToolForm, values: FormValues): Checked {
  const body = Object.fromEntries(
    fields.flatMap(({ name, kind, isRequired }): [string, unknown][] => {
      const text = (values[name] ?? '').trim();
      if (text === '' && !isRequired) return [];
      return [[name, kind === 'switch' ? text === 'true' : text]];
    }),
  );
  const { success, error } = schema.safeParse(body);
  if (success) return { body, errors: null };
  const errors: Record<string, string> = {};
  for (const { path, message } of error.issues) errors[String(path[0] ?? '')] ??= message;
  return { body: null, errors };
}
