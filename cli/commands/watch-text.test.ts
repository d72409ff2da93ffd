import { expect, test } from 'vitest';
import { fields, PLAIN, render } from '../client/text.ts';
import { isSeenNow, stateCell } from './watch-text.ts';

const textOf = (...seen: Parameters<typeof stateCell>) => render(fields({ is: stateCell(...seen) }), PLAIN);

test('a status that nobody watches is not monitored since then, with the last one known', () => {
  const since = '2026-11-01T08:15:00.000Z';
  expect(textOf({ status: 'online', watch: { state: 'watched', since: null } })).toBe('is  online\n');
  expect(textOf({ status: 'online', watch: { state: 'never-watched', since: null } })).toBe(
    'is  not monitored, last known online\n',
  );
  const unwatched = { state: 'unwatched', since } as const;
  expect(textOf({ status: 'down', watch: unwatched })).toBe(`is  not monitored since ${since}, last known down\n`);
  expect(textOf({ status: 'offline', watch: { ...unwatched, since: null } })).toBe(
    'is  not monitored, last known offline\n',
  );
  expect(textOf({ status: 'archived', watch: unwatched })).toBe('is  archived\n');
});

test('only a device that an agent watches is seen now', () => {
  expect(isSeenNow({ status: 'online', watch: { state: 'watched', since: null } })).toBe(true);
  expect(isSeenNow({ status: 'online', watch: { state: 'never-watched', since: null } })).toBe(false);
  expect(isSeenNow({ status: 'offline', watch: { state: 'watched', since: null } })).toBe(false);
});
