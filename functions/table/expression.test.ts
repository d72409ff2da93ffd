/** The expressions for DynamoDB. `contract.system.test.ts` shows their effect. */
import { expect, test } from 'vitest';
import { type Condition, EXISTS, IS_NEW } from './condition.ts';
import { conditionInput, projectionInput, updateInput } from './expression.ts';

test.each<[Condition, string]>([
  [EXISTS, 'attribute_exists(#n0)'],
  [IS_NEW, 'attribute_not_exists(#n0)'],
  [{ equals: { a: 1, b: null } }, '#n0 = :v0 AND attribute_not_exists(#n1)'],
  [{ present: ['a', 'b'] }, 'attribute_exists(#n0) AND attribute_exists(#n1)'],
  [{ less: { a: 1 } }, '#n0 < :v0'],
  [{ in: { a: [1, 2] } }, '#n0 IN (:v0, :v1)'],
  [
    { any: [IS_NEW, { all: [{ less: { a: 1 } }, { equals: { a: 2 } }] }] },
    '(attribute_not_exists(#n0)) OR ((#n1 < :v0) AND (#n1 = :v1))',
  ],
])('%j as a condition', (condition, text) => {
  expect(conditionInput(condition).ConditionExpression).toBe(text);
});

test('an update, with a condition: each name has one placeholder, each value one of its own', () => {
  const update = { set: { a: 'x' }, setOnce: { b: 1 }, add: { c: 2 }, remove: ['d'] };
  expect(updateInput(update, { equals: { a: 'x' } })).toEqual({
    UpdateExpression: 'SET #n0 = :v0, #n1 = if_not_exists(#n1, :v1) ADD #n2 :v2 REMOVE #n3',
    ConditionExpression: '#n0 = :v3',
    ExpressionAttributeNames: { '#n0': 'a', '#n1': 'b', '#n2': 'c', '#n3': 'd' },
    ExpressionAttributeValues: { ':v0': 'x', ':v1': 1, ':v2': 2, ':v3': 'x' },
  });
});

test('what is not used is left out, because DynamoDB refuses empty texts and maps', () => {
  expect(conditionInput(undefined)).toEqual({});
  expect(projectionInput(undefined)).toEqual({});
  expect(updateInput({ remove: ['a'] }, undefined)).toEqual({
    UpdateExpression: 'REMOVE #n0',
    ExpressionAttributeNames: { '#n0': 'a' },
  });
  expect(projectionInput(['a'])).toEqual({
    ProjectionExpression: '#n0, #n1, #n2',
    ExpressionAttributeNames: { '#n0': 'pk', '#n1': 'sk', '#n2': 'a' },
  });
});
