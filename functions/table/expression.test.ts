/** `contract.system.test.ts` shows what the expressions do, by an emulator that is less strict about what is empty. */
import { expect, test } from 'vitest';
import { conditionInput, projectionInput, updateInput } from './expression.ts';

test('what is not used is left out, because DynamoDB refuses empty texts and maps', () => {
  expect(conditionInput(undefined)).toEqual({});
  expect(projectionInput(undefined)).toEqual({});
  expect(updateInput({ remove: ['a'] }, undefined)).toEqual({
    UpdateExpression: 'REMOVE #n0',
    ExpressionAttributeNames: { '#n0': 'a' },
  });
});
