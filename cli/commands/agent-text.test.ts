import { expect, test } from 'vitest';
import { agents } from '../../shared/api/agents.ts';
import { PLAIN, render } from '../client/text.ts';
import { agentText } from './agent-text.ts';

const agent = agents.getAgent.response.parse(agents.getAgent.example.response);
const NOW = Date.parse('2026-11-01T12:00:00.000Z');
const shown = (more: Partial<typeof agent>) => render(agentText({ ...agent, ...more }, NOW), PLAIN);

test('an agent that is away is shown with the reason, its host, and how its last connections ended', () => {
  const ended = (day: number, end: 'stopped' | 'timed_out' | null) => ({
    from: `2026-10-${day}T01:00:00.000Z`,
    to: `2026-10-${day}T02:00:00.000Z`,
    end,
  });
  const connections = [ended(20, 'stopped'), ended(27, 'stopped'), ended(28, 'stopped'), ended(29, null)];
  const text = shown({
    state: 'offline',
    offlineReason: 'timed_out',
    clockOffSeconds: null,
    connections: [...connections, ended(30, 'timed_out')],
  });
  expect(text).toMatch(/^Offline because +nothing was heard of it any more$/m);
  expect(text).toMatch(new RegExp(`^Host +${agent.host?.name}, `, 'm'));
  expect(text).toMatch(/^Certificate +until 2027-10-25T17:02:10/m);
  expect(text).toMatch(/^Clock +-$/m);
  // What ended before the seven days does not count.
  expect(text.split('\n').slice(-5)).toEqual([
    '4 connections in the last 7 days, the last 3 of them:',
    '  from  2026-10-30T01:00:00.000Z to 2026-10-30T02:00:00.000Z: nothing was heard of it any more',
    '  from  2026-10-29T01:00:00.000Z to 2026-10-29T02:00:00.000Z: that was not noted',
    '  from  2026-10-28T01:00:00.000Z to 2026-10-28T02:00:00.000Z: it was stopped on its host, or its host was shut down',
    '',
  ]);
});

test.each([
  [-20, /^Clock +right$/m],
  [-700, /^Clock +11 min behind; /m],
  [200, /^Clock +3 min ahead; /m],
  [301, /^Clock +at least 5 min ahead; /m],
])('a clock that is off by %i s', (clockOffSeconds, line) => {
  expect(shown({ clockOffSeconds })).toMatch(line);
});

test('a connection that lasts has no end, and there may be none', () => {
  expect(shown({})).toMatch(/^2 connections in the last 7 days:\n {2}from {2}2026-11-01T08:15:00.000Z to now$/m);
  expect(shown({ connections: [] })).toContain('No connection in the last 7 days is known.');
});
