import { expect, test } from 'vitest';
import { isSeenNow, stateText } from './watch-text.ts';

test('a status that nobody watches is told as unknown since then, or as imported', () => {
  const since = '2026-11-01T08:15:00.000Z';
  expect(stateText({ status: 'online', watch: { state: 'watched', since: null } })).toBe('online');
  expect(stateText({ status: 'online', watch: { state: 'never-watched', since: null } })).toBe('online as imported');
  const unwatched = { state: 'unwatched', since } as const;
  expect(stateText({ status: 'down', watch: unwatched })).toBe(`unknown since ${since}, last known down`);
  expect(stateText({ status: 'offline', watch: { ...unwatched, since: null } })).toBe('unknown, last known offline');
  expect(stateText({ status: 'archived', watch: unwatched })).toBe('archived');
});

test('only a device that an agent watches is seen now', () => {
  expect(isSeenNow({ status: 'online', watch: { state: 'watched', since: null } })).toBe(true);
  expect(isSeenNow({ status: 'online', watch: { state: 'never-watched', since: null } })).toBe(false);
  expect(isSeenNow({ status: 'offline', watch: { state: 'watched', since: null } })).toBe(false);
});
