import { join } from 'node:path';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { DiscoveryState, MAX_PROBLEM_CHARACTERS } from '../../shared/agent/discovery.ts';
import { range } from '../../shared/network.ts';
import { MINUTE, NETWORK, pass, START, seen } from '../../test/support/agent/made-up-lan.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { problemOf, StateOfCycles } from './discovery-state.ts';
import { KnownDevices } from './known-devices.ts';
import type { Surroundings } from './known-networks.ts';
import type { NetworkScan } from './scan.ts';

const log = pino({ level: 'silent' });
const OWN = NETWORK.mac;
const OUR_ROUTER = '00:0D:B9:00:00:FE';
const THEIR_ROUTER = 'A4:77:33:00:00:FE';
const macOf = (i: number) => `00:11:22:33:44:${i.toString(16).padStart(2, '0')}`.toUpperCase();
const OURS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(macOf);
const THEIRS = [101, 102, 103, 104, 105, 106].map(macOf);

/** What is found in a LAN with this router and these hosts. */
function lan(router: string | null, hosts: readonly string[], net = '192.168.1'): NetworkScan {
  const found = hosts.map((mac) => seen(mac, `${net}.${Number.parseInt(mac.slice(-2), 16)}`));
  const gateway = router === null ? [] : [seen(router, `${net}.254`)];
  const cidr = `${net}.0/24`;
  const place = { address: `${net}.253`, gateway: `${net}.254`, range: range(cidr), cidr };
  return pass([seen(OWN, `${net}.253`, false), ...gateway, ...found], { network: { ...NETWORK, ...place } });
}

async function newAgent(path = '/nonexistent/known-devices.json') {
  let known = await KnownDevices.open(path, START, log);
  let at = START;
  return {
    /** A cycle that finds this; the rescan finds no device. @returns the foreign networks */
    cycle(scans: NetworkScan[], surroundings: Surroundings = {}) {
      at += MINUTE;
      const valid = known.recordScans(scans, at, surroundings);
      known.countMisses(scans, valid, new Map([...valid].map((each) => [each, new Set()])), at, 4 * MINUTE);
      known.commit();
      return known.foreign.map(({ network }) => network);
    },
    async restart() {
      await known.save();
      known = await KnownDevices.open(path, at, log);
    },
    get known() {
      return known;
    },
  };
}

const stateOf = ({ known }: Awaited<ReturnType<typeof newAgent>>) =>
  JSON.stringify(known.all().map(({ mac, n, ip, name, presence }) => [mac, n, ip, name, presence.online]));

test('a host carried to another LAN with the same addresses reports nothing, and goes on when it is back', async () => {
  const agent = await newAgent();
  for (let i = 0; i < 3; i++) agent.cycle([lan(OUR_ROUTER, OURS)]);
  const before = stateOf(agent);
  for (let i = 0; i < 30; i++) expect(agent.cycle([lan(THEIR_ROUTER, THEIRS)])).toEqual(['192.168.1.0/24']);
  const foreign = { network: '192.168.1.0/24', gateway: THEIR_ROUTER, answered: 0, known: OURS.length + 1 };
  expect(agent.known.foreign).toEqual([foreign]);
  expect(stateOf(agent)).toBe(before);
  expect(agent.known.unnamed(START + 100 * 24 * 60 * MINUTE, MINUTE)).toEqual([]);
  const home = lan(OUR_ROUTER, OURS);
  const remembered = { mac: THEIRS[0] ?? '', ip: '192.168.1.101', fresh: false };
  expect(agent.cycle([{ ...home, evidence: [...home.evidence, remembered] }])).toEqual([]);
  expect(stateOf(agent)).toBe(before);
});

test('a host carried to a LAN with other addresses reports nothing, unless it is still on a known one', async () => {
  const agent = await newAgent();
  agent.cycle([lan(OUR_ROUTER, OURS)]);
  const before = stateOf(agent);
  const there = lan(THEIR_ROUTER, THEIRS, '10.94.1');
  expect(agent.cycle([there], { attached: ['10.94.1.0/24'] })).toEqual(['10.94.1.0/24']);
  expect(stateOf(agent)).toBe(before);
  // A second network beside the known one, be that one looked at or not.
  expect(agent.cycle([there, lan(OUR_ROUTER, OURS)])).toEqual([]);
  const third = lan(macOf(200), [macOf(201)], '10.95.1');
  expect(agent.cycle([third], { attached: ['10.95.1.0/24', '192.168.1.0/24'] })).toEqual([]);
  // Both of its networks are others.
  const [one, two] = [lan(macOf(210), [macOf(211)]), lan(macOf(220), [macOf(221)], '10.96.1')];
  expect(agent.cycle([one, two])).toEqual(['192.168.1.0/24', '10.96.1.0/24']);
});

test('a router that is replaced, or gives other addresses, is no other LAN', async () => {
  const agent = await newAgent();
  agent.cycle([lan(OUR_ROUTER, OURS)]);
  // A fifth of those who were online, with the old router.
  expect(agent.cycle([lan(THEIR_ROUTER, OURS.slice(0, 2))])).toEqual(['192.168.1.0/24']);
  expect(agent.cycle([lan(THEIR_ROUTER, OURS.slice(0, 3))])).toEqual([]);
  // From now on it is known, whoever answers.
  expect(agent.cycle([lan(THEIR_ROUTER, THEIRS)])).toEqual([]);
  expect(agent.cycle([lan(THEIR_ROUTER, THEIRS, '10.94.1')])).toEqual([]);
  // The devices are the same; the router and the addresses are new.
  expect(agent.cycle([lan(macOf(200), OURS, '10.95.1')])).toEqual([]);
});

test('a person can confirm the gateway, or any device where there is none', async () => {
  const agent = await newAgent();
  agent.cycle([lan(OUR_ROUTER, OURS)]);
  const elsewhere = lan(THEIR_ROUTER, THEIRS);
  expect(agent.cycle([elsewhere])).toHaveLength(1);
  expect(agent.cycle([elsewhere], { confirmed: [THEIR_ROUTER] })).toEqual([]);
  // It was learned.
  expect(agent.cycle([elsewhere])).toEqual([]);
  const without = lan(null, THEIRS, '10.94.1');
  expect(agent.cycle([without])).toEqual([]); // They are known by now.
  const nobody = lan(null, [macOf(230), macOf(231)], '10.99.1');
  expect(agent.cycle([nobody])).toEqual(['10.99.1.0/24']);
  expect(agent.cycle([nobody], { confirmed: [macOf(231)] })).toEqual([]);
});

test('where the gateway is silent and only unknown devices answer, none is reported', async () => {
  const agent = await newAgent();
  agent.cycle([lan(OUR_ROUTER, OURS)]);
  expect(agent.cycle([lan(null, THEIRS)])).toEqual(['192.168.1.0/24']);
  // With a few who are known it is our network, and the router is off.
  expect(agent.cycle([lan(null, [...OURS.slice(0, 5), macOf(50)])])).toEqual([]);
  expect(agent.known.get(macOf(50))).toBeDefined();
});

test('the gateways survive a restart', async () => {
  await using folder = makeTestFolder();
  const path = join(folder.path, 'known-devices.json');
  const agent = await newAgent(path);
  agent.cycle([lan(OUR_ROUTER, OURS)]);
  await agent.restart();
  expect(agent.cycle([lan(THEIR_ROUTER, THEIRS)])).toHaveLength(1);
});

test('whatever is found, a foreign network changes no known device, and a known gateway is never foreign', async () => {
  const macs = fc.subarray([...OURS, ...THEIRS]);
  const routers = fc.constantFrom(OUR_ROUTER, THEIR_ROUTER, macOf(240), null);
  const nets = fc.constantFrom('192.168.1', '10.94.1');
  const cycles = fc.array(fc.uniqueArray(fc.record({ macs, router: routers, net: nets }), { selector: (l) => l.net }), {
    maxLength: 12,
  });
  let strange = 0;
  await fc.assert(
    fc.asyncProperty(cycles, async (cycles) => {
      const agent = await newAgent();
      agent.cycle([lan(OUR_ROUTER, OURS)]);
      for (const found of cycles) {
        const before = stateOf(agent);
        const scans = found.map(({ macs, router, net }) => lan(router, macs, net));
        const names = agent.cycle(scans);
        strange += names.length;
        if (names.length === scans.length) expect(stateOf(agent)).toBe(before);
        for (const { router, net } of found) if (router === OUR_ROUTER) expect(names).not.toContain(`${net}.0/24`);
      }
    }),
    { numRuns: 40, seed: 1 },
  );
  expect(strange).toBeGreaterThan(10);
});

test('the state lists watched networks, and foreign ones', async () => {
  const agent = await newAgent();
  const cycles = new StateOfCycles();
  const state = (scans: NetworkScan[], networks = scans.map(({ network }) => network.cidr)) => {
    agent.cycle(scans);
    const { foreign } = agent.known;
    const valid = new Set(
      scans.flatMap(({ network, failure }) => (failure || agent.known.isForeign(network.cidr) ? [] : network.cidr)),
    );
    const report = { valid, foreign, methods: new Set(['arp-scan'] as const) };
    return DiscoveryState.nullable().parse(cycles.after(report, networks, agent.known, []));
  };
  const second = lan(OUR_ROUTER, [], '10.94.1');
  const dead = { ...second, evidence: [], failure: 'eth1 went down' };
  const networks = ['192.168.1.0/24', '10.94.1.0/24'];
  expect(state([lan(OUR_ROUTER, OURS), second])).toEqual({ state: 'on', accuracy: 'full', networks });
  // One failed cycle changes nothing, three do.
  for (const left of [2, 2, 1]) expect(state([lan(OUR_ROUTER, OURS), dead])?.networks).toHaveLength(left);
  expect(state([dead])).toBeNull();
  const there = state([lan(THEIR_ROUTER, THEIRS)]);
  expect(there).toMatchObject({ state: 'another-network', strange: [{ gateway: THEIR_ROUTER, answered: 0 }] });
  expect(there?.networks).toBeUndefined();
  expect(there?.problem).toContain(`--gateway ${THEIR_ROUTER}`);
  // The number of answers varies, and is not reported each time.
  expect(state([lan(THEIR_ROUTER, [...THEIRS, OURS[0] ?? ''])])).toEqual(there);
  expect(state([lan(THEIR_ROUTER, THEIRS), second])).toMatchObject({ state: 'on', networks: ['10.94.1.0/24'] });
});

test('a problem ends with a sentence, and with a word where one is too long', () => {
  const sentence = (length: number) => 'word '.repeat(length / 5).trim();
  expect(problemOf([])).toEqual({});
  expect(problemOf([sentence(150), sentence(100), sentence(100)]).problem).toBe(`${sentence(150)}; ${sentence(100)}`);
  const { problem = '' } = problemOf([sentence(1_000)]);
  expect(problem).toMatch(/ word …$/);
  expect(problem.length).toBeLessThanOrEqual(MAX_PROBLEM_CHARACTERS);
});
