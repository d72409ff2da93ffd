import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agents } from '../../shared/api/agents.ts';
import type { Agent } from '../../shared/api/records.ts';
import { formatIp, parseRange, rangeWithin } from '../../shared/network.ts';
import { Command } from '../../shared/tools/list.ts';
import { chooseAgent } from './choose-agent.ts';

const TARGET = '10.1.2.3';
const SCAN = Command.parse({ tool: 'nmap', target: TARGET, mode: 'fast' });
const ANYWHERE: Command = { tool: 'interfaces' };

const [EXAMPLE] = agents.listAgents.example.response.agents;
const agent = (name: string, networks: string[] = [], queued = 0): Agent => ({
  ...{ ...EXAMPLE, update: null, id: `home:${name}`, networks, load: { running: 1, queued } },
});

const name = fc.string({ unit: fc.constantFrom(...'abcdefghij'), minLength: 1, maxLength: 3 });
const ipv4 = fc.tuple(fc.nat({ max: 2 ** 32 - 1 }), fc.nat({ max: 32 })).map(([value, prefix]) => {
  return `${formatIp({ family: 4, value: BigInt(value), zone: null })}/${prefix}`;
});
/** Networks that hold the target, some of them too large to count, and any others. */
const network = fc.oneof(
  fc.nat({ max: 32 }).map((prefix) => `${TARGET}/${prefix}`),
  fc.constantFrom('0.0.0.0/0', '::/0', '::ffff:0:0/96', 'fd00::/8', 'nonsense', ''),
  ipv4,
);
const online = fc.uniqueArray(
  fc.tuple(name, fc.array(network, { maxLength: 3 }), fc.nat({ max: 2 })).map((made) => agent(...made)),
  { selector: ({ id }) => id, minLength: 1, maxLength: 6 },
);
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** Many commands, one after the other, as a function chooses for them. */
function choices(agents: readonly Agent[], command: Command, times: number, at = 0.5): string[] {
  const turns = new Map<string, number>();
  return Array.from({ length: times }, (_, i) => {
    const { id: chosen } = chooseAgent(agents, command, turns, at);
    turns.set(chosen, i);
    return chosen;
  });
}

/** Prefix of the longest network of /8 and more that holds the target, by trying all of them. */
function attachment({ networks }: Agent): number {
  const target = parseRange(TARGET)!;
  const holding = networks.map(parseRange).filter((range) => range !== null && rangeWithin(target, range));
  return Math.max(-1, ...holding.map((range) => (range!.prefix < 8 ? -1 : range!.prefix)));
}

test('no agent is nearer to the target than the one that is chosen; of those, it has nothing waiting if any has', () => {
  fc.assert(
    fc.property(online, random, (agents, at) => {
      const chosen = chooseAgent(agents, SCAN, new Map(), at);
      const nearest = agents.filter((one) => attachment(one) === Math.max(...agents.map(attachment)));
      expect(nearest).toContain(chosen);
      if (nearest.some(({ load }) => load?.queued === 0)) expect(chosen.load?.queued).toBe(0);
    }),
  );
});

test('whatever an agent says, others that are as near and have nothing waiting get as many commands', () => {
  fc.assert(
    fc.property(online, fc.constantFrom(SCAN, ANYWHERE), random, (agents, command, at) => {
      const chosen = choices(agents, command, 10 * agents.length, at);
      const counts = [...new Set(chosen)].map((id) => chosen.filter((one) => one === id).length);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      const near = agents.filter(
        (one) => command === ANYWHERE || attachment(one) === Math.max(...agents.map(attachment)),
      );
      const free = near.filter(({ load }) => load?.queued === 0);
      expect(new Set(chosen)).toEqual(new Set((free.length > 0 ? free : near).map(({ id }) => id)));
    }),
  );
});

test('IPv6 networks count from /32 on', () => {
  const command = Command.parse({ tool: 'traceroute', target: '2001:db8:1::1' });
  const agents = [agent('wide', ['2001:db8::/31', '::/0']), agent('near', ['2001:db8::/32'])];
  expect(choices(agents, command, 4)).toEqual(Array(4).fill('home:near'));
});

test('the first one is chosen at random, so that not all functions begin with the same agent', () => {
  const agents = ['a', 'b', 'c', 'd'].map((one) => agent(one));
  const first = [0, 0.3, 0.6, 0.99].map((at) => chooseAgent(agents, ANYWHERE, new Map(), at));
  expect(first).toEqual(agents);
});

test('commands for different networks do not disturb the turns of those who are near to both', () => {
  const agents = [agent('a', ['10.1.0.0/16']), agent('b', ['10.1.0.0/16']), agent('c', ['10.9.0.0/16'])];
  const elsewhere = Command.parse({ tool: 'traceroute', target: '10.9.0.1' });
  const turns = new Map<string, number>();
  const chosen = Array.from({ length: 8 }, (_, i) => {
    const { id } = chooseAgent(agents, i % 2 === 0 ? SCAN : elsewhere, turns, 0);
    turns.set(id, i);
    return id;
  });
  expect(chosen.filter((_, i) => i % 2 === 0)).toEqual(['home:a', 'home:b', 'home:a', 'home:b']);
});
