/** The form of a tool, made from the schema of its request, with the messages of the schema. */
import * as z from 'zod';
import { WakeRequest } from '../../../shared/api/wake.ts';
import { TOOL, type Tool } from '../../../shared/tools/list.ts';
import type { AnyTool } from '../../../shared/tools/tool.ts';

export interface FormField {
  /** Its name in the body of the request. */
  name: string;
  /** Its name in the command, and in an address that fills the form in; default: that in the body. */
  argument: string;
  /** A `target` is a device, an address or a range; a `device` one by its name, IP or MAC address. */
  kind: 'text' | 'target' | 'device' | 'choice' | 'switch';
  /** The values of a choice. */
  options: readonly string[];
  initial: string;
  isRequired: boolean;
}

/** By the name of the field in the body. A switch is `true` or empty. */
export type FormValues = Readonly<Record<string, string>>;

export interface ToolForm {
  tool: AnyTool;
  schema: z.ZodObject;
  fields: readonly FormField[];
}

/** Requests with more than the arguments of the command (see shared/api/nettools.ts). */
const REQUESTS: Partial<Record<Tool, z.ZodObject>> = { wakeonlan: WakeRequest };

/** In the request of a wake, exactly one of them names the device. */
const WAKE_NAMES = ['devMac', 'devName', 'devLastIP'] as const;
/** The field of the form in their place. */
const DEVICE: FormField = {
  name: 'device',
  argument: 'mac',
  kind: 'device',
  options: [],
  initial: '',
  isRequired: true,
};

/** Null for an unknown tool. */
export function formOf(name: string): ToolForm | null {
  if (!Object.hasOwn(TOOL, name)) return null;
  const tool = TOOL[name as Tool];
  const schema = REQUESTS[name as Tool] ?? argumentsSchema(tool);
  const fields = Object.entries(schema.shape)
    .filter(([field]) => !isWakeName(schema, field))
    .map(([field, part]) => fieldOf(tool, field, part));
  return { tool, schema, fields: schema === WakeRequest ? [DEVICE, ...fields] : fields };
}

function isWakeName(schema: z.ZodObject, field: string): boolean {
  return schema === WakeRequest && (WAKE_NAMES as readonly string[]).includes(field);
}

function argumentsSchema({ arguments: declared }: AnyTool): z.ZodObject {
  return z.object(Object.fromEntries(Object.values(declared).map(({ field, schema }) => [field, schema])));
}

function fieldOf(tool: AnyTool, name: string, schema: z.core.$ZodType): FormField {
  const [argument = name, declared] = Object.entries(tool.arguments).find(([, { field }]) => field === name) ?? [];
  const { core, isOptional, initial } = unwrap(schema);
  const cli = declared?.cli;
  const isTarget = argument === 'target' || argument === 'query';
  const kind = core instanceof z.ZodEnum ? 'choice' : core instanceof z.ZodBoolean ? 'switch' : 'text';
  return {
    name,
    argument,
    kind: kind === 'text' && isTarget ? 'target' : kind,
    options: core instanceof z.ZodEnum ? core.options.map(String) : [],
    initial: initial ?? (cli && 'option' in cli ? (cli.default ?? '') : ''),
    isRequired: !isOptional,
  };
}

/** The schema inside `.optional()` and `.default()`. */
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

export function initialValues({ fields }: ToolForm): FormValues {
  return Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));
}

/**
 * The form as a query fills it in (`?target=192.168.1.20&mode=fast`), by the names of the command or of the body.
 * Unknown names are ignored, as are values that would make a valid request invalid.
 */
export function filledValues(form: ToolForm, query: URLSearchParams): FormValues {
  let values = initialValues(form);
  for (const { name, argument, kind, options } of form.fields) {
    const names = kind === 'device' ? [argument, name, ...WAKE_NAMES] : [argument, name];
    const given = names.map((one) => query.get(one)).find((text) => text !== null) ?? null;
    if (given === null || (kind === 'choice' && !options.includes(given))) continue;
    const next = { ...values, [name]: kind === 'switch' && given !== 'true' ? '' : given };
    if (checkForm(form, values).body === null || checkForm(form, next).body !== null) values = next;
  }
  return values;
}

type Checked = { body: Record<string, unknown>; errors: null } | { body: null; errors: FormValues };

/** The body to send, or the errors by field. */
export function checkForm({ schema, fields }: ToolForm, values: FormValues): Checked {
  const body = Object.fromEntries(
    fields.flatMap(({ name, kind, isRequired }): [string, unknown][] => {
      const text = (values[name] ?? '').trim();
      if (text === '' && (!isRequired || kind === 'device')) return [];
      return [[kind === 'device' ? wakeNameOf(text) : name, kind === 'switch' ? text === 'true' : text]];
    }),
  );
  const { success, error } = schema.safeParse(body);
  if (success) return { body, errors: null };
  const errors: Record<string, string> = {};
  for (const { path, message } of error.issues) errors[fieldWith(fields, String(path[0] ?? ''))] ??= message;
  return { body: null, errors };
}

/** The field of the form behind one of the body. */
export function fieldWith(fields: readonly FormField[], name: string): string {
  const isOfDevice = name === '' || (WAKE_NAMES as readonly string[]).includes(name);
  return isOfDevice && fields.includes(DEVICE) ? DEVICE.name : name;
}

function wakeNameOf(text: string): (typeof WAKE_NAMES)[number] {
  if (WakeRequest.shape.devMac.safeParse(text).success) return 'devMac';
  return WakeRequest.shape.devLastIP.safeParse(text).success ? 'devLastIP' : 'devName';
}
