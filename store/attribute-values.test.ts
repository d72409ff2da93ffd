import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Attributes, fromAttributes, toAttributes } from './attribute-values.ts';

const item = fc.dictionary(
  fc.string().filter((name) => name !== '__proto__'),
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.maxSafeInteger(),
    fc.double({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, noNaN: true }),
    fc.uint8Array(),
  ),
);

/** What the SDK's client sends for these: bytes become base64 only then. */
function sentBySdk(attributes: Record<string, AttributeValue>) {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      value.B === undefined ? value : { B: Buffer.from(value.B).toString('base64') },
    ]),
  );
}

test('values are written as the SDK writes them', () => {
  fc.assert(
    fc.property(item, (values) => {
      expect(toAttributes(values)).toEqual(sentBySdk(marshall(values)));
    }),
  );
});

test('values are read as the SDK reads them, and as they were written', () => {
  fc.assert(
    fc.property(item, (values) => {
      const received = JSON.parse(JSON.stringify(toAttributes(values))) as Attributes;
      const read = fromAttributes(received);
      expect(read).toEqual(unmarshall(marshall(values)));
      // Zero has no sign in DynamoDB.
      const plain = Object.entries(values).map(([name, value]) => [name, value === 0 ? 0 : value]);
      expect(read).toEqual(Object.fromEntries(plain));
    }),
  );
});

test.each<[string, unknown]>([
  ['no number', Number.NaN],
  ['infinite', Number.POSITIVE_INFINITY],
  ['a number that is not exact', Number.MAX_SAFE_INTEGER + 1],
  ['undefined', undefined],
  ['null', null],
  ['a truth value', true],
  ['a list', ['a']],
])('what is %s is refused, and the attribute is named', (_, value) => {
  expect(() => toAttributes({ good: 1, bad: value as number })).toThrow('the attribute bad');
});

test('attributes of types that we never write are left out', () => {
  const read = { a: { S: 'x' }, b: { BOOL: true }, c: { L: [] }, d: { NULL: true }, e: {} } as unknown as Attributes;
  expect(fromAttributes(read)).toEqual({ a: 'x' });
});
