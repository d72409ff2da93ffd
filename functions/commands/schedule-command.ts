/** The command of a schedule or a batch, from the tool and the arguments of a request. */
import type { FieldError } from '../../shared/errors.ts';
import { CommandJson, TOOL, type Tool } from '../../shared/tools/list.ts';
import { validationError } from '../http/errors.ts';

/** Parses the arguments as `POST /nettools/<tool>` does. @throws {ServiceError} `validation_failed`, naming each fault */
export function commandOf(tool: Tool, given: Readonly<Record<string, unknown>>): CommandJson {
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
  if (faults.length > 0) throw validationError(faults);
  return CommandJson.parse(JSON.parse(JSON.stringify({ tool, ...Object.fromEntries(values) })));
}
