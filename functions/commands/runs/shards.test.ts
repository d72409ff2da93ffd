import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Agent } from '../../../shared/api/records.ts';
import { MAX_SHARD_ATTEMPTS, scanRange, shardsOf } from '../../../shared/api/scans.ts';
import { rangeSize, rangesOverlap, rangeWithin } from '../../../shared/network.ts';
import { isSlow, NMAP_MODES } from '../../../shared/tools/nmap.ts';
import { NMAP_PROTOCOLS } from '../../../shared/words.ts';
import type { Shard } from './run-store.ts';
import { afterAttempt, isFailed, nextShard } from './shards.ts';

const agent = (name: string, networks: string[] = []) => ({ id: `home:${name}`, networks }) as unknown as Agent;
const run = { id: '77aa01b2c3d4', request: { tool: 'nmap', target: '10.20.0.0/16', mode: 'fast' } } as const;
const fresh = (): Shard[] => Array.from({ length: 64 }, () => [0, -1, 0]);

/** Who takes which shard, when agents come for another one as long as there is any. */
function deal(agents: readonly Agent[], shards = fresh()): Map<string, number[]> {
  const dealt = new Map<string, number[]>();
  const open: number[] = [];
  for (;;) {
    const next = nextShard(run, { shards, open }, agents, new Set());
    if (next === null) return dealt;
    open.push(next.at);
    dealt.set(next.agent, [...(dealt.get(next.agent) ?? []), next.at]);
    if (open.length > 64) throw new Error('a shard was dealt twice');
  }
}

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

test('each shard is for one agent, about as many for each, and each agent has one at a time', () => {
  const agents = [agent('a'), agent('b')];
  const dealt = deal(agents);
  expect([...dealt.values()].flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_, i) => i));
  for (const { length } of dealt.values()) expect(length).toBeGreaterThan(20);
  const progress = { shards: fresh(), open: [] };
  expect(nextShard(run, progress, agents, new Set(['a']))).toMatchObject({ agent: 'b' });
  expect(nextShard(run, progress, agents, new Set(['a', 'b']))).toBeNull();
  expect(nextShard(run, progress, [], new Set())).toBeNull();
});

test('agents that are attached come first; the next attempt is made by another one, after all first ones', () => {
  const agents = [agent('far', ['192.168.1.0/24']), agent('here', ['10.20.0.0/16'])];
  expect(deal(agents).get('here')).toHaveLength(64);
  const shards = fresh();
  shards[5] = [1, -1, 7];
  shards[6] = [0, 3, 7];
  shards[7] = [MAX_SHARD_ATTEMPTS, -1, 7];
  const dealt = deal(agents, shards);
  expect(dealt.get('far')).toEqual([5]);
  expect([...dealt.values()].flat()).toHaveLength(62);
  expect(
    deal([agent('alone')], shards)
      .get('alone')
      ?.at(-1),
  ).toBe(5);
  expect(deal([agent('far'), agent('part', ['10.20.8.0/24'])]).get('part')).toContain(2);
});

test('an attempt counts once its agent had a place for it; a result that is too long is none the next time', () => {
  const shard: Shard = [1, -1, 7];
  const end = (changes: object) => {
    const job = { state: 'failed', reason: null, message: null, truncated: false, result: null, ...changes };
    return afterAttempt(shard, job as Parameters<typeof afterAttempt>[1], 'fast');
  };
  expect(end({ state: 'expired' })).toEqual([shard, null]);
  expect(end({ reason: 'agent_busy', message: 'no room' })).toEqual([shard, null]);
  expect(end({ message: 'no' })).toEqual([[2, -1, 7], 'no']);
  expect(end({ state: 'lost' })).toEqual([[2, -1, 7], 'The command ended as lost']);
  const [tooLong] = end({ state: 'succeeded', truncated: true });
  expect(isFailed(tooLong)).toBe(true);
  expect(end({ state: 'succeeded', result: { hosts: [] } })).toEqual([[1, 0, 7], null]);
});
