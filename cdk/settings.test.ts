import { expect, test } from 'vitest';
import { readSettings } from './settings.ts';

const read = (values: Record<string, unknown>) => readSettings((name) => values[name]);

test('nothing has to be chosen, and what is kept outlives the stack', () => {
  expect(read({})).toEqual({ stage: 'prod', corsOrigins: '', requestsPerSecond: 50, burst: 100, keepData: true });
});

test('values come as text from the command line, and typed from cdk.json', () => {
  expect(read({ keepData: 'no', burst: '20', stage: 'test2' })).toMatchObject({
    keepData: false,
    burst: 20,
    stage: 'test2',
  });
  expect(read({ keepData: false, burst: 20 })).toMatchObject({ keepData: false, burst: 20 });
});

test.each([
  ['stage', 'My-Stage'],
  ['requestsPerSecond', 'many'],
  ['burst', '0'],
  ['keepData', 'perhaps'],
])('a bad %s is named', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(`-c ${name}: `);
});
