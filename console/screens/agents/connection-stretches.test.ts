import { expect, test } from 'vitest';
import { connectedPercent, stretchesOf } from './connection-stretches.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 8);
const ago = (hours: number) => new Date(NOW - hours * HOUR).toISOString();
const hoursAgo = (stretches: ReturnType<typeof stretchesOf>) =>
  stretches.map(({ state, from, to }) => [state, (NOW - from) / HOUR, (NOW - to) / HOUR]);

test('what is shown begins with the first connection; between two the agent was away; the last one lasts', () => {
  const stretches = stretchesOf(
    [
      { from: ago(100), to: ago(50), end: 'connection_lost' },
      { from: ago(48), to: null, end: null },
    ],
    NOW,
  );
  expect(hoursAgo(stretches)).toEqual([
    ['on', 100, 50],
    ['off', 50, 48],
    ['on', 48, 0],
  ]);
  expect(stretches[1]?.end).toBe('connection_lost');
  expect(connectedPercent(stretches)).toBe(98);
});

test.each([
  ['from before the seven days, and ended', [{ from: ago(900), to: ago(8), end: 'stopped' }], 'on 168-8, off 8-0'],
  ['that began half an hour ago', [{ from: ago(0.5), to: null, end: null }], 'unknown 1-0.5, on 0.5-0'],
  ['of which there was none', [], 'unknown 1-0'],
] as const)('a connection %s', (_, connections, expected) => {
  const shown = hoursAgo(stretchesOf(connections, NOW)).map(([state, from, to]) => `${state} ${from}-${to}`);
  expect(shown.join(', ')).toBe(expected);
  expect(connectedPercent(stretchesOf([], NOW))).toBeNull();
});
