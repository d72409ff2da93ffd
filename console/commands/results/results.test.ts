import { expect, test } from 'vitest';
import { hopRows } from './hops.ts';
import { countOfPorts } from './ports.ts';

test.each([
  ['22', 1],
  ['22,80-90', 12],
  ['1-1000', 1_000],
])('%s are %d ports', (ports, count) => expect(countOfPorts(ports)).toBe(count));

test('a hop has the best and the mean time of its replies, and all their addresses', () => {
  type Text = string | null;
  const probe = (address: Text, rttMs: number | null, note: Text = null) => ({ address, rttMs, note });
  const hops = [
    { hop: 1, probes: [probe('10.0.0.1', 2), probe('10.0.0.2', 4), probe(null, null)] },
    { hop: 2, probes: [probe(null, null)] },
    { hop: 3, probes: [probe('10.0.0.9', null, '!H')] },
  ];
  expect(hopRows({ hops })).toEqual([
    { hop: 1, addresses: ['10.0.0.1', '10.0.0.2'], bestMs: 2, averageMs: 3, notes: [] },
    { hop: 2, addresses: [], bestMs: null, averageMs: null, notes: [] },
    { hop: 3, addresses: ['10.0.0.9'], bestMs: null, averageMs: null, notes: ['!H'] },
  ]);
});
