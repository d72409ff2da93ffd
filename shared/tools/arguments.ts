/** A caller's arguments of a tool, by their names in the body of `POST /nettools/<tool>`. */
import type { FieldError } from '../errors.ts';
import { TOOL, type Tool } from './list.ts';

interface ReadArguments {
  /** By their names in a command. */
  values: Record<string, unknown>;
  /** Each argument that is unknown, missing or wrong, such as `arguments.scan`. */
  faults: FieldError[];
}

/** Parses them like `POST /nettools/<tool>`. */
export function readArguments(tool: Tool, given: Readonly<Record<string, unknown>>): ReadArguments {
  const declared = Object.entries(TOOL[tool].arguments);
  const known = declared.map(([, { field }]) => field);
  const expected = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
  const faults: FieldError[] = Object.keys(given)
    .filter((field) => !known.includes(field))
    .map((field) => ({ path: `arguments.${field}`, message: `${tool} has no such argument: ${expected}` }));
  const values = declared.map(([name, { field, schema }]) => {
    const parsed = schema.safeParse(given[field]);
    for (const { path, message } of parsed.error?.issues ?? [])
      faults.push({ path: ['arguments', field, ...path].join('.'), message });
    return [name, parsed.data];
  });
  return { values: Object.fromEntries(values), faults };
}
