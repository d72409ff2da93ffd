import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Agent } from '../../../shared/api/records.ts';
import { scanRange, shardsOf } from '../../../shared/api/scans.ts';
import { range, rangeSize, rangesOverlap, rangeWithin } from '../../../shared/network.ts';
import { isSlow, NMAP_MODES } from '../../../shared/tools/nmap.ts';
import { NMAP_PROTOCOLS } from '../../../shared/words.ts';
import { deal } from './planned-scans.ts';
import { beginProgress } from './scan-progress.ts';

const agent = (name: string, networks: string[] = [], state = 'online') =>
  ({ id: `home:${name}`, networks, state }) as unknown as Agent;
const scan = { id: '77aa01b2c3d4', range: '10.20.0.0/16', mode: 'fast' as const, ...beginProgress(64) };
const numbers = (dealt: ReturnType<typeof deal>, name: string) => (dealt.get(name) ?? []).map(([number]) => number);

const how = fc.record({
  mode: fc.constantFrom(...NMAP_MODES),
  protocol: fc.constantFrom(undefined, ...NMAP_PROTOCOLS),
});

test('the shards of a network cover it, once, and fit the policy of an agent', () => {
  fc.assert(
    fc.property(fc.integer({ min: 16, max: 32 }), how, (prefix, scanning) => {
      const network = scanRange(`10.20.255.255/${prefix}`)!;
      const shards = shardsOf(network, scanning);
      expect(shards.length).toBeLessThanOrEqual(256);
      expect(shards.reduce((sum, shard) => sum + rangeSize(shard), 0n)).toBe(rangeSize(network));
      for (const [i, shard] of shards.entries()) {
        expect(rangeWithin(shard, network)).toBe(true);
        expect(rangeSize(shard)).toBeLessThanOrEqual(isSlow(scanning) ? 256n : 1024n);
        expect(i > 0 && rangesOverlap(shard, shards[i - 1]!)).toBe(false);
      }
    }),
  );
});

test('each shard is dealt to one agent, about as many to each, and most stay when another one comes', () => {
  const two = deal(scan, [agent('a'), agent('b')]);
  expect([...numbers(two, 'a'), ...numbers(two, 'b')].sort((a, b) => a - b)).toEqual(
    Array.from({ length: 64 }, (_, i) => i),
  );
  expect(numbers(two, 'a').length).toBeGreaterThan(20);
  expect(numbers(two, 'b').length).toBeGreaterThan(20);
  const three = deal(scan, [agent('a'), agent('b'), agent('c')]);
  for (const name of ['a', 'b']) expect(numbers(two, name)).toEqual(expect.arrayContaining(numbers(three, name)));
});

test('agents that are attached come first; the next attempt is made by another one', () => {
  const agents = [
    agent('far', ['192.168.1.0/24']),
    agent('here', ['10.20.0.0/16'], 'online'),
    agent('off', ['10.20.0.0/16'], 'draining'),
  ];
  expect(numbers(deal(scan, agents), 'here')).toHaveLength(64);
  const shards = scan.shards.map((shard, i) =>
    i === 5 ? { ...shard, failed: 1 } : i === 6 ? { ...shard, hosts: 3 } : shard,
  );
  const dealt = deal({ ...scan, shards }, agents);
  expect(dealt.get('far')).toEqual([[5, '10.20.20.0/22', 2]]);
  expect(numbers(dealt, 'here')).toHaveLength(62);
  const part = deal(scan, [agent('far'), agent('part', ['10.20.8.0/24'])]);
  expect(numbers(part, 'part')).toContain(2);
  expect(deal(scan, [])).toEqual(new Map());
  expect(range(scan.range).prefix).toBe(16);
});
