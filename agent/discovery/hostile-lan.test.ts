import { pino } from 'pino';
import { expect, test } from 'vitest';
import { range } from '../../shared/network.ts';
import { MINUTE, macOf, START, pass as scanOf, seen } from '../../test/support/agent/made-up-lan.ts';
import type { Evidence } from './evidence.ts';
import { KnownDevices } from './known-devices.ts';
import { MAX_DEVICES } from './known-devices-file.ts';
import { announced } from './observations.ts';

const log = pino({ level: 'silent' });
const [HOME, GUESTS] = ['10.0.0', '10.9.0'];
const madeUp = (i: number) => macOf(i).replace('00:11:22', '02:66:66');

function pass(net: string, evidence: Evidence[]) {
  const router = seen(macOf(net === HOME ? 1_000 : 2_000), `${net}.254`);
  const place = { interface: net, mac: macOf(3_000), address: `${net}.253`, ipv6: null, gateway: router.ip };
  const network = { ...place, range: range(`${net}.0/24`), cidr: `${net}.0/24` };
  return scanOf([router, ...evidence], { network });
}

async function newAgent() {
  const known = await KnownDevices.open('/nonexistent/known-devices.json', START, log);
  let at = START;
  /** Twenty that are there from the start. */
  const hosts = Array.from({ length: 20 }, (_, i) => seen(macOf(i), `${HOME}.${i + 1}`));
  const agent = {
    known,
    hosts,
    reports: 0,
    cycle(home: Evidence[], guests: Evidence[] = [], name?: (mac: string) => string) {
      at += MINUTE;
      const scans = [pass(HOME, [...hosts, ...home]), pass(GUESTS, guests)];
      const valid = known.recordScans(scans, at);
      const again = new Map([...valid].map((each) => [each, new Set<string>()]));
      agent.reports += known.commit();
      for (const { mac, ip } of name === undefined ? [] : known.all()) {
        const text = name?.(mac) ?? '';
        known.recordName(mac, ip ?? '', { name: { text, source: 'mdns' }, dnsKnowsNone: true }, at);
      }
      known.countMisses(scans, valid, again, at, 4 * MINUTE);
      agent.reports += known.commit();
    },
    /** How many changes are reported in some cycles. */
    reportsIn(cycles: number, each: (cycle: number) => void) {
      const before = agent.reports;
      for (let i = 0; i < cycles; i++) each(i);
      return agent.reports - before;
    },
  };
  for (let i = 0; i < 5; i++) agent.cycle([]);
  return agent;
}

const everyAddress = Array.from({ length: 254 }, (_, i) => `${HOME}.${i + 1}`);

test('a host that answers for every address with 32 MACs makes no devices, no addresses and no conflicts', async () => {
  const agent = await newAgent();
  const attack = (cycle: number): Evidence[] =>
    everyAddress.flatMap((ip, i) =>
      Array.from({ length: 32 }, (_, k) => seen(madeUp((i * 32 + k + cycle * 7) % 8_128), ip)),
    );
  const { size } = agent.known;
  const reports = agent.reportsIn(5, (cycle) => agent.cycle(attack(cycle)));
  expect([reports, agent.known.size, agent.known.proxyArpNetworks]).toEqual([0, size, [`${HOME}.0/24`]]);
  // A device that is really new in another network is reported at once.
  const real = seen(macOf(77), `${GUESTS}.7`);
  expect(agent.reportsIn(1, () => agent.cycle(attack(9), [real]))).toBe(1);
  expect(agent.known.get(real.mac)?.n).toBe(agent.known.lastChange);
  // And so is a known device that is gone.
  agent.hosts.splice(3, 1);
  agent.reportsIn(6, () => agent.cycle(attack(10)));
  expect(agent.known.get(macOf(3))?.presence.online).toBe(false);
  // Afterwards, new devices are recorded again.
  for (let i = 0; i < 4; i++) agent.cycle([]);
  expect(agent.known.proxyArpNetworks).toEqual([]);
  agent.cycle([seen(macOf(78), `${HOME}.78`)]);
  expect(agent.known.get(macOf(78))?.n).toBe(agent.known.lastChange);
});

test('few devices that answer for nearly every address, or one forged for each of them, are proxy ARP', async () => {
  for (const macs of [1, 3, 254]) {
    const agent = await newAgent();
    const { size } = agent.known;
    const forged = everyAddress.map((ip, i) => seen(madeUp(i % macs), ip));
    const reports = agent.reportsIn(3, () => agent.cycle(forged));
    expect([macs, reports, agent.known.size, agent.known.proxyArpNetworks.length]).toEqual([macs, 0, size, 1]);
  }
});

test('a full network is no proxy ARP, neither at the first scan nor when all devices return', async () => {
  const agent = await newAgent();
  const full = Array.from({ length: 230 }, (_, i) => seen(macOf(500 + i), `${GUESTS}.${i + 1}`));
  const fresh = await KnownDevices.open('/nonexistent/known-devices.json', START, log);
  for (let i = 1; i < 4; i++) fresh.recordScans([pass(GUESTS, full)], START + i * MINUTE);
  expect([fresh.size, fresh.proxyArpNetworks]).toEqual([231, []]);
  // Sixty that come at once are reported.
  expect(agent.reportsIn(1, () => agent.cycle([], full.slice(0, 60)))).toBe(60);
  expect(agent.known.proxyArpNetworks).toEqual([]);
});

test('a device that changes its address or name all the time is reported a few times, and then once an hour', async () => {
  const agent = await newAgent();
  const restless = macOf(90);
  const hours = 5;
  const cycle = (host: number, name: string) =>
    agent.cycle([seen(restless, `${HOME}.${host}`)], [], (mac) => (mac === restless ? name : 'host'));
  const reports = agent.reportsIn(hours * 60, (i) => cycle(100 + (i % 50), `name-${i}`));
  // Once for each of the others, whose name was not known.
  const others = agent.known.size - 1;
  expect(reports - others).toBeLessThan(5 + hours + 2);
  expect(reports - others).toBeGreaterThan(hours);
  // Its name once it is stable is reported in the end.
  for (let i = 0; i < 70; i++) cycle(100, 'quiet');
  expect(agent.known.get(restless)).toMatchObject({ name: { text: 'quiet' }, n: agent.known.lastChange });
});

test('the agent reports each addition to a device, and not one that changes back and forth', async () => {
  const agent = await newAgent();
  const [talker, fickle] = [macOf(91), macOf(92)];
  const hosts = [talker, fickle].map((mac, i) => seen(mac, `${HOME}.${91 + i}`));
  agent.cycle(hosts);
  const numbers = Array.from({ length: 8 }, (_, i) => {
    const [service, name] = [
      announced({ 'mdns-service': `_service${i}._tcp` }),
      announced({ 'upnp-name': `name ${i}` }),
    ];
    agent.known.recordObservations(talker, service, START + 6 * MINUTE);
    agent.known.recordObservations(fickle, name, START + 6 * MINUTE);
    agent.cycle(hosts);
    return [talker, fickle].map((mac) => agent.known.get(mac)?.n);
  });
  const times = (which: number) => new Set(numbers.map((each) => each[which])).size;
  expect(times(0)).toBe(8);
  expect(times(1)).toBeLessThanOrEqual(6);
  expect(agent.known.get(talker)?.observations.filter(({ source }) => source === 'mdns-service')).toHaveLength(8);
});

test('the reports of a network are bounded by the hour: new devices, and all changes; absences come first', async () => {
  const agent = await newAgent();
  const hours = 1.5;
  // Thirty devices a minute that were never there before, each for ten minutes: too few to be a crowd.
  const at = (cycle: number) =>
    Array.from({ length: 300 }, (_, i): Evidence => {
      const device = Math.max(0, cycle - 9) * 30 + i;
      return { mac: madeUp(device), ip: `${HOME}.${30 + (device % 200)}`, fresh: true };
    }).filter((_, i) => i < (cycle + 1) * 30);
  let latest = 0;
  const reports = agent.reportsIn(hours * 60, (cycle) => {
    if (cycle === 80) agent.hosts.splice(0, 1);
    agent.cycle(at(cycle));
    const gone = agent.known.get(macOf(0));
    if (gone?.presence.online === false && latest === 0) latest = cycle;
    if (latest === cycle && latest > 0) expect(gone?.n).toBeGreaterThan(0);
  });
  expect(latest).toBeLessThan(90);
  expect(reports).toBeLessThan(2_000 * (hours + 1));
  expect(agent.known.overBudget).toEqual([`${HOME}.0/24`]);
  expect(agent.known.size).toBeLessThanOrEqual(MAX_DEVICES);
  const real = seen(macOf(77), `${GUESTS}.7`);
  agent.cycle(at(hours * 60), [real]);
  expect(agent.known.get(real.mac)?.n).toBeGreaterThan(0);
});
