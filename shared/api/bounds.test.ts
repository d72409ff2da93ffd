/** What a request can ask of the service is bounded by its schemas, before any handler runs. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { list, MAX_FAULTS, OMITTED } from './list.ts';
import type { Operations } from './operation.ts';
import { tables } from './tables.ts';

/** Their ids are bounded by a pattern, and the arguments of a tool by the tool. */
const OTHERS = ['batches', 'schedules', 'templates', 'people', 'oauth'];
const operations = Object.entries<Operations>(tables)
  .filter(([name]) => !OTHERS.includes(name))
  .flatMap(([, table]) => Object.entries(table));

/** Where a schema takes a text, a list or a record of any size. */
function unboundedIn(schema: z.core.$ZodType, path: string): string[] {
  const within = (inner: z.core.$ZodType, name = '') => unboundedIn(inner, path + name);
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) {
    return schema.maxLength === null ? [`${path}: text`] : [];
  }
  if (schema instanceof z.ZodPreprocess) {
    // A list of list.ts: its length is checked before this array sees it.
    const { out } = schema.def;
    if (!(out instanceof z.ZodArray)) return [`${path}: ${out._zod.def.type} behind a preprocess`];
    const isBounded = out.def.checks?.some(({ _zod: { def } }) => def.check === 'max_length') ?? false;
    return [...(isBounded ? [] : [`${path}: list`]), ...within(out.element, '[]')];
  }
  if (schema instanceof z.ZodObject) {
    return [
      ...Object.entries(schema.shape).flatMap(([name, inner]) => within(inner, `.${name}`)),
      ...(schema.def.catchall === undefined || schema.def.catchall instanceof z.ZodNever
        ? []
        : [`${path}: other keys`]),
    ];
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return within(schema.def.innerType);
  }
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => within(option));
  if (schema instanceof z.ZodPipe) return within(schema.def.in);
  const isBounded = [z.ZodEnum, z.ZodLiteral, z.ZodBoolean, z.ZodNumber].some((kind) => schema instanceof kind);
  return isBounded ? [] : [`${path}: ${schema._zod.def.type}`];
}

test.each(operations)('%s: every text, list and record of its request has a largest size', (_, operation) => {
  for (const part of ['params', 'query', 'body'] as const) {
    expect(unboundedIn(operation[part] ?? z.object({}), part)).toEqual([]);
  }
});

test('the walk finds what has no bound', () => {
  const schema = z.object({
    text: z.string().min(1).optional(),
    time: z.iso.datetime(),
    list: z.array(z.literal('a')).max(3).nullable(),
    record: z.record(z.string().max(3), z.boolean()),
    any: z.unknown(),
    inner: z.union([z.literal('*'), list(z.object({ deep: z.string() }), { max: 2 })]),
    loose: z.looseObject({}),
  });
  expect(unboundedIn(schema, 'body')).toEqual([
    'body.text: text',
    'body.time: text',
    'body.list: array',
    'body.record: record',
    'body.any: unknown',
    'body.inner[].deep: text',
    'body.loose: other keys',
  ]);
});

describe('list', () => {
  const words = z.object({ words: list(z.string().max(3), { min: 1, max: 50 }) });

  test('takes what a list of such items is', () => {
    expect(words.parse({ words: ['a', 'b'] })).toEqual({ words: ['a', 'b'] });
    for (const wrong of [undefined, null, 'a', {}, [], [5], ['long']]) {
      expect(words.safeParse({ words: wrong }).error?.issues).toHaveLength(1);
    }
  });

  test('a list that is too long is refused before its items are looked at', () => {
    const unseen = Array.from({ length: 51 }, () => 'a');
    Object.defineProperty(unseen, 0, {
      get() {
        throw new Error('looked at');
      },
    });
    expect(words.safeParse({ words: unseen }).error?.issues).toMatchObject([
      { path: ['words'], message: 'expected at most 50 items, got 51' },
    ]);
  });

  test('of wrong items the first are described, and the others counted', () => {
    const { issues = [] } = words.safeParse({ words: ['a', ...Array(49).fill(5)] }).error ?? {};
    expect(issues).toHaveLength(MAX_FAULTS + 1);
    expect(issues[0]).toMatchObject({ path: ['words', 1], message: expect.stringContaining('expected string') });
    expect(issues.at(-1)).toMatchObject({ path: ['words'], params: { [OMITTED]: 49 - MAX_FAULTS } });
  });

  test('is a list with its bounds in JSON Schema', () => {
    expect(z.toJSONSchema(words, { io: 'input' }).properties?.words).toMatchObject({
      type: 'array',
      minItems: 1,
      maxItems: 50,
    });
  });
});
