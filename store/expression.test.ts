import { expect, test } from 'vitest';
import { conditionInput, projectionInput, setOrRemove, unchanged, updateInput } from './expression.ts';

test('an update is written from what it sets, adds and removes, and the names follow from its text', () => {
  expect(
    updateInput({
      set: { state: 'running', endedAt: 5 },
      setOnce: { startedAt: 7 },
      add: { ver: 1 },
      remove: ['pending', 'changedBy'],
      condition: '#state = :queued OR #endedAt < :endedAt',
      values: { queued: 'queued' },
    }),
  ).toEqual({
    UpdateExpression:
      'SET #state = :state, #endedAt = :endedAt, #startedAt = if_not_exists(#startedAt, :startedAt) ADD #ver :ver REMOVE #pending, #changedBy',
    ConditionExpression: '#state = :queued OR #endedAt < :endedAt',
    ExpressionAttributeNames: {
      '#state': 'state',
      '#endedAt': 'endedAt',
      '#startedAt': 'startedAt',
      '#ver': 'ver',
      '#pending': 'pending',
      '#changedBy': 'changedBy',
    },
    ExpressionAttributeValues: {
      ':state': { S: 'running' },
      ':endedAt': { N: '5' },
      ':startedAt': { N: '7' },
      ':ver': { N: '1' },
      ':queued': { S: 'queued' },
    },
  });
});

test('what is not there is left out, because DynamoDB refuses empty texts and maps', () => {
  expect(conditionInput({})).toEqual({});
  expect(conditionInput({ condition: 'attribute_exists(pk)' })).toEqual({
    ConditionExpression: 'attribute_exists(pk)',
  });
  expect(updateInput({ remove: ['next'] })).toEqual({
    UpdateExpression: 'REMOVE #next',
    ExpressionAttributeNames: { '#next': 'next' },
  });
});

test('a condition cannot take the name of a value that the update sets for something else', () => {
  const update = { set: { ver: 2 }, condition: '#ver = :ver', values: { ver: 1 } };
  expect(() => updateInput(update)).toThrow('two values have the same name');
});

test('attributes that are null are taken away', () => {
  expect(setOrRemove({ session: 0, link: null, presence: 'online' })).toEqual({
    set: { session: 0, presence: 'online' },
    remove: ['link'],
  });
});

test('an item is unchanged when its attributes have the values that were read, and none that was not there', () => {
  const { condition, values } = unchanged(['session', 'link'], { session: 0, since: 5 });
  expect(condition).toBe('#session = :read_session AND attribute_not_exists(#link)');
  expect(values).toEqual({ read_session: 0 });
  expect(() => updateInput({ set: { session: 1 }, condition, values })).not.toThrow();
});

test('a projection reads the key beside the attributes', () => {
  expect(projectionInput(['session'])).toEqual({
    ProjectionExpression: 'pk, sk, #session',
    ExpressionAttributeNames: { '#session': 'session' },
  });
  expect(projectionInput(undefined)).toEqual({});
});
