import { expect, test } from 'vitest';
import { stretchesOf } from './outages.ts';

const HOUR = 3_600_000;
const at = (hour: number) => new Date(hour * HOUR).toISOString();
const span = { from: 0, to: 10 * HOUR };
const check = { createdAt: at(2), state: 'up' as const, since: at(2) };
const back = (hour: number, hours: number) => ({
  ...{ type: 'internet-back' as const, at: at(hour), detail: { seconds: hours * 3_600 } },
});
const shown = (...args: Parameters<typeof stretchesOf>) =>
  stretchesOf(...args).map(({ state, from, to }) => `${state} ${from / HOUR}-${to / HOUR}`);

test('there from the first check on, but for the events; unknown before it', () => {
  expect(shown(check, [], span)).toEqual(['unknown 0-2', 'there 2-10']);
  const events = [back(8, 1), { type: 'internet-lost' as const, at: at(4), detail: {} }, back(5, 1)];
  expect(shown(check, events, span)).toEqual([
    'unknown 0-2',
    'there 2-4',
    'lost 4-5',
    'there 5-7',
    'lost 7-8',
    'there 8-10',
  ]);
});

test('one that goes on, one that began before the span, one without its length', () => {
  expect(shown({ ...check, state: 'down', since: at(9) }, [], span)).toEqual(['unknown 0-2', 'there 2-9', 'lost 9-10']);
  expect(shown({ ...check, createdAt: at(-5) }, [back(1, 3)], span)).toEqual(['lost 0-1', 'there 1-10']);
  expect(shown(check, [{ type: 'internet-back', at: at(5), detail: {} }], span)).toEqual(['unknown 0-2', 'there 2-10']);
  expect(shown({ ...check, createdAt: at(20) }, [], span)).toEqual(['unknown 0-10']);
});
