import { expect, test } from 'vitest';
import { CHANGES_AN_HOUR, ChangeBudget, LIMITED_EVERY_MS } from './change-budget.ts';

const HOUR_MS = 60 * 60_000;
const AGENT = 'home:main';
const START = 1_790_000_000_000;

test('an agent that changes too much is limited to a message a minute, for an hour; others are not', () => {
  let now = START;
  const budget = new ChangeBudget(() => now);
  for (let i = 0; i < CHANGES_AN_HOUR - 1; i += 1) expect(budget.spend(AGENT, 0)).toBeNull();
  expect(budget.allows(AGENT)).toBe(true);
  expect(budget.spend(AGENT, 400)).toBe(now + HOUR_MS);
  expect([budget.allows(AGENT), budget.allows(AGENT), budget.allows('home:attic')]).toEqual([true, false, true]);
  expect(budget.spend(AGENT, 400)).toBeNull(); // It is said once.
  now += LIMITED_EVERY_MS;
  expect([budget.allows(AGENT), budget.allows(AGENT)]).toEqual([true, false]);
  now += HOUR_MS;
  expect([budget.allows(AGENT), budget.allows(AGENT)]).toEqual([true, true]);
});

test('what a busy LAN changes all day long is never limited', () => {
  let now = START;
  const budget = new ChangeBudget(() => now);
  for (let minute = 0; minute < 24 * 60; minute++) {
    expect(budget.spend(AGENT, 300)).toBeNull();
    now += 60_000;
  }
});
