/** Values for requests: those that a schema describes, and those that programs often get wrong. */
import fc from 'fast-check';
import type { Contract, Schema } from './document.ts';

/** Generators do not find single magic values, so these are tried one by one. */
export const EDGE_VALUES: readonly unknown[] = [
  ...[null, true, [], [[]], {}, '', ' ', 0, -1, 0.5, 1e308, 2 ** 53, '\0', 'a\nb', 'x'.repeat(5_000)],
  ...['__proto__', 'constructor', '-oN/tmp/x', '--script=all', '$(id)', "' OR 1=1 --", '../../etc/passwd'],
  ...['\ud800', '\u202e', '٣', '0.0.0.0', '::ffff:127.0.0.1', '*'],
];

/** The same for texts in paths, queries and headers. */
export const EDGE_TEXTS = EDGE_VALUES.filter((value): value is string => typeof value === 'string').concat(
  'null true -1 0 00 +1 1e2 0x10 5.0 1e308 NaN Infinity 99999999999999999999 % %00'.split(' '),
);

/**
 * Values that fit a schema. Where more is checked than it says, only the example is known to be right.
 * @param example a value that the document shows; undefined where there is none
 */
export function fitting(contract: Contract, schema: Schema, example: unknown): fc.Arbitrary<unknown> {
  const { resolve } = contract;
  const known = resolve(schema);
  if (known['x-checked-further']) return fc.constant(example);
  if (known.const !== undefined) return fc.constant(known.const);
  if (known.enum !== undefined) return fc.constantFrom(...known.enum);
  const options = known.anyOf ?? known.oneOf;
  if (options !== undefined) {
    const usable = options.filter((option) => !needsExample(contract, option));
    if (usable.length === 0) return fc.constant(example);
    return fc.oneof(...usable.map((option) => fitting(contract, option, undefined)));
  }
  switch (Array.isArray(known.type) ? known.type[0] : known.type) {
    case 'object':
      return fittingObject(contract, known, example);
    case 'array': {
      const { minItems = 0, maxItems = 5, items = {} } = known;
      if (needsExample(contract, items)) return fc.constant(example);
      return fc.array(fitting(contract, items, undefined), { minLength: minItems, maxLength: Math.min(maxItems, 5) });
    }
    case 'string':
      return fittingText(known);
    case 'integer':
      return fc.integer({
        min: known.minimum ?? (known.exclusiveMinimum === undefined ? -1_000 : known.exclusiveMinimum + 1),
        max: Math.min(known.maximum ?? 1_000_000, Number.MAX_SAFE_INTEGER),
      });
    case 'number':
      return fc.double({ min: known.minimum ?? -1e6, max: known.maximum ?? 1e6, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return example === undefined ? fc.constant(null) : fc.constant(example);
  }
}

/** Whether no value that fits can be made without an example. */
function needsExample(contract: Contract, schema: Schema): boolean {
  const known = contract.resolve(schema);
  if (known['x-checked-further']) return true;
  if (known.items !== undefined) return needsExample(contract, known.items);
  return (known.required ?? []).some((name) => needsExample(contract, known.properties?.[name] ?? {}));
}

function fittingObject(contract: Contract, { properties = {}, required = [] }: Schema, example: unknown) {
  const shown = (typeof example === 'object' && example !== null ? example : {}) as Record<string, unknown>;
  const fields = Object.entries(properties).map(([name, property]) => {
    const isShown = Object.hasOwn(shown, name);
    const made = isShown || !needsExample(contract, property) ? [fitting(contract, property, shown[name])] : [];
    const whole = [...made, ...(isShown ? [fc.constant(shown[name])] : [])];
    const absent = required.includes(name) ? [] : [fc.constant(undefined)];
    return [name, fc.oneof(...whole, ...absent)] as const;
  });
  return fc.record(Object.fromEntries(fields)).map((made) => JSON.parse(JSON.stringify(made)));
}

function fittingText({ pattern, format, minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') {
    const between = { min: new Date('2027-01-01'), max: new Date('2090-01-01'), noInvalidDate: true };
    return fc.date(between).map((date) => date.toISOString());
  }
  const fits = (text: string) => text.length >= minLength && text.length <= maxLength;
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern)).filter(fits);
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 60) }).filter(fits);
}
