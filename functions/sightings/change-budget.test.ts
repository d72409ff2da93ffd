import { expect, test } from 'vitest';
import { CHANGES_AN_HOUR, ChangeBudget, LIMITED_EVERY_MS } from './change-budget.ts';

const HOUR_MS = 60 * 60_000;
const AGENT = 'home:main';

function held() {
  let now = 1_790_000_000_000;
  const budget = new ChangeBudget(() => now);
  return {
    budget,
    now: () => now,
    pass(ms: number) {
      now += ms;
    },
  };
}

test('an agent that changes too much is limited to a message a minute, for an hour; others are not', () => {
  const { budget, now, pass } = held();
  for (let i = 0; i < CHANGES_AN_HOUR - 1; i += 1) expect(budget.spend(AGENT, 0)).toBeNull();
  expect(budget.allows(AGENT)).toBe(true);
  expect(budget.spend(AGENT, 400)).toBe(now() + HOUR_MS);
  expect([budget.allows(AGENT), budget.allows(AGENT), budget.allows('home:attic')]).toEqual([true, false, true]);
  expect(budget.spend(AGENT, 400)).toBeNull(); // It is said once.
  pass(LIMITED_EVERY_MS);
  expect([budget.allows(AGENT), budget.allows(AGENT)]).toEqual([true, false]);
  pass(HOUR_MS);
  expect([budget.allows(AGENT), budget.allows(AGENT)]).toEqual([true, true]);
});

test('what a busy LAN changes all day long is never limited', () => {
  const { budget, pass } = held();
  for (let minute = 0; minute < 24 * 60; minute++) {
    expect(budget.spend(AGENT, 300)).toBeNull();
    pass(60_000);
  }
});
