import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AuthProtocols, ObjectType, PrivProtocols, SecurityLevel } from 'net-snmp';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { range } from '../../shared/network.ts';
import { ENDED } from '../../test/support/agent/made-up-lan.ts';
import { freeUdpPort, type MadeUpObject, startSnmpAgent } from '../../test/support/agent/snmp-agent.ts';
import { holdTheClock, hurried } from '../../test/support/held-clock.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { KnownDevices } from '../discovery/known-devices.ts';
import type { RunProcess } from '../host/run-process.ts';
import { TABLES } from './switch-tables.ts';
import { Topology } from './topology.ts';

beforeEach(() => void holdTheClock());
afterEach(() => void vi.useRealTimers());

const COMMUNITY = 'made-up-community';
const LAN = '127.0.0.0/24';
const macOf = (host: number) => `00:1E:06:00:00:${host.toString(16).padStart(2, '0').toUpperCase()}`;
const bytesOf = (mac: string) => Buffer.from(mac.replaceAll(':', ''), 'hex');
const indexOf = (mac: string) => [...bytesOf(mac)].join('.');
const [AGENT, SWITCH, PRINTER, PHONE, PC] = [1, 2, 3, 4, 5] as const;

const text = (oid: string, value: string | Buffer) => ({
  oid,
  type: ObjectType.OctetString,
  value: Buffer.from(value),
});
const number = (oid: string, value: number) => ({ oid, type: ObjectType.Integer, value });

function identity(name: string, description: string): MadeUpObject[] {
  return [
    text('1.3.6.1.2.1.1.1.0', description),
    { oid: '1.3.6.1.2.1.1.2.0', type: ObjectType.OID, value: '1.3.6.1.4.1.9.1.1208' },
    text('1.3.6.1.2.1.1.5.0', name),
  ];
}

/** A switch: the agent's host at its first port, a printer at the second, a telephone with a PC behind it at the third. */
const SWITCH_OBJECTS = [
  ...identity('sw1', 'Managed switch'),
  ...[1, 2, 3].flatMap((port) => [
    number(`${TABLES.bridgePorts}.${port}`, 100 + port),
    text(`${TABLES.ifNames}.${100 + port}`, `Gi0/${port}`),
    text(`${TABLES.lldpPorts}.3.${port}`, `Gi0/${port}`),
  ]),
  ...[AGENT, PRINTER].flatMap((host) => [
    number(`${TABLES.learned}.${indexOf(macOf(host))}`, host === AGENT ? 1 : 2),
    number(`${TABLES.learnedHow}.${indexOf(macOf(host))}`, 3),
  ]),
  ...[PHONE, PC].flatMap((host) => [
    number(`${TABLES.learnedInVlans}.10.${indexOf(macOf(host))}`, 3),
    number(`${TABLES.learnedInVlansHow}.10.${indexOf(macOf(host))}`, 3),
  ]),
  number(`${TABLES.neighbours}.4.0.3.1`, 5),
  text(`${TABLES.neighbours}.5.0.3.1`, Buffer.from([1, 127, 0, 0, 4])),
  number(`${TABLES.neighbours}.6.0.3.1`, 3),
  text(`${TABLES.neighbours}.7.0.3.1`, bytesOf(macOf(PHONE))),
  text(`${TABLES.neighbours}.9.0.3.1`, 'SEP-4'),
  text(`${TABLES.neighbours}.10.0.3.1`, 'IP phone'),
  text(`${TABLES.neighbours}.12.0.3.1`, Buffer.from([0b00100100, 0])),
];

/** An agent in a LAN with known devices; only those that a test starts respond. */
async function makeAgent(hosts: readonly number[], credentials: readonly object[], run: RunProcess = noProgram) {
  const folder = makeTestFolder();
  const snmpFile = join(folder.path, 'snmp.json');
  await writeFile(snmpFile, JSON.stringify(credentials), { mode: 0o600 });
  const port = await freeUdpPort();
  const place = { interface: 'lan0', mac: macOf(AGENT), address: '127.0.0.1', ipv6: null, gateway: null };
  const network = { ...place, range: range(LAN), cidr: LAN };
  const known = await KnownDevices.open(join(folder.path, 'known.json'), 0, pino({ level: 'silent' }));
  const evidence = hosts.map((host) => ({ mac: macOf(host), ip: `127.0.0.${host}`, fresh: true }));
  known.recordScans([{ network, evidence, method: 'arp-scan', startedAt: 0, failure: null }], 1_000);
  const log: string[] = [];
  const logger = { error: (...args: unknown[]) => void log.push(JSON.stringify(args)) };
  const topology = new Topology({ snmpFile, log: logger as never, port });
  return {
    known,
    port,
    log,
    snmpFile,
    /** A clock that the test advances reaches the timeouts of silent devices. */
    look: (at = 2_000, signal = new AbortController().signal) =>
      hurried(topology.observe({ run, signal, known, networks: [network], now: () => at })),
    heard: (host: number) =>
      Object.fromEntries(known.get(macOf(host))?.observations.map(({ source, value }) => [source, value]) ?? []),
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

const noProgram: RunProcess = async () => ({ ...ENDED, stdout: '', code: 1 });
const KEYS = { authKey: 'made-up-auth-key', privKey: 'made-up-priv-key' };
const PROTOCOLS = { level: 'authPriv', authProtocol: 'SHA256', privProtocol: 'AES' };
const V3 = { networks: [LAN], version: '3', user: 'reader', ...PROTOCOLS, ...KEYS };
const V2C = { networks: [LAN], version: '2c', community: COMMUNITY };

const startSwitch = (port: number, objects: MadeUpObject[], next?: (oid: string) => MadeUpObject[]) =>
  startSnmpAgent({ address: '127.0.0.2', port, community: COMMUNITY, objects, ...(next && { next }) });

test('a switch locates devices by SNMPv2c, and its neighbours announce themselves', async () => {
  await using agent = await makeAgent([AGENT, SWITCH, PRINTER, PHONE, PC], [V2C]);
  await using _ = startSwitch(agent.port, SWITCH_OBJECTS);
  await agent.look();
  expect(agent.heard(SWITCH)).toEqual({
    'snmp-name': 'sw1',
    'snmp-description': 'Managed switch',
    'snmp-object': '1.3.6.1.4.1.9.1.1208',
  });
  expect(agent.heard(AGENT)).toEqual({ 'parent-bridge': `${macOf(SWITCH)} Gi0/1` });
  expect(agent.heard(PRINTER)).toEqual({ 'parent-bridge': `${macOf(SWITCH)} Gi0/2` });
  expect(agent.heard(PHONE)).toEqual({
    'lldp-name': 'SEP-4',
    'lldp-description': 'IP phone',
    'lldp-capabilities': 'bridge,tel',
    'parent-lldp': `${macOf(SWITCH)} Gi0/3`,
  });
  expect(agent.heard(PC)).toEqual({ 'parent-bridge': `${macOf(SWITCH)} Gi0/3` });
  expect(agent.log).toEqual([]);
});

test.each([
  ['SHA256', 'AES', AuthProtocols.sha256, PrivProtocols.aes],
  ['SHA', 'AES256B', AuthProtocols.sha, PrivProtocols.aes256b],
] as const)('SNMPv3 with %s and %s', async (authProtocol, privProtocol, auth, priv) => {
  const user = { name: 'reader', level: SecurityLevel.authPriv, authProtocol: auth, privProtocol: priv, ...KEYS };
  await using agent = await makeAgent([SWITCH, PRINTER], [{ ...V3, authProtocol, privProtocol }]);
  await using _ = startSnmpAgent({ address: '127.0.0.2', port: agent.port, user, objects: SWITCH_OBJECTS });
  await agent.look();
  expect(agent.heard(SWITCH)['snmp-name']).toBe('sw1');
  expect(agent.heard(PRINTER)).toEqual({ 'parent-bridge': `${macOf(SWITCH)} Gi0/2` });
});

test('a silent device is queried again after a day, all others after an hour', async () => {
  await using agent = await makeAgent([SWITCH, PRINTER], [V2C]);
  await using first = startSwitch(agent.port, identity('a', 'b'));
  await using later = startSnmpAgent({ address: '127.0.0.3', port: agent.port, community: 'another', objects: [] });
  const HOUR = 3_600_000;
  await agent.look(0);
  const once = first.asked;
  expect(once).toBeGreaterThan(0);
  await agent.look(HOUR - 1);
  expect(first.asked).toBe(once);
  await agent.look(HOUR);
  expect(first.asked).toBe(2 * once);
  expect(later.asked).toBe(0);
  expect(agent.heard(PRINTER)).toEqual({});
});

let count = 1;
const HOSTILE = {
  /** Each object has others behind it, without end. */
  endless: (oid: string) => {
    count++;
    const base = oid.split('.').slice(0, 16).join('.');
    return Array.from({ length: 20 }, (_, i) => number(`${base}.${count}.${i}`, 1));
  },
  'going back': (oid: string) => [number(`${oid}.5`, 1), number(`${oid}.4`, 1)],
  'in place': (oid: string) => [number(oid, 1)],
  'of wrong types': (oid: string) => [
    text(`${oid}.1`, Buffer.alloc(3_000, 255)),
    number(`${oid}.2`, -1),
    text(`${oid}.3`, ''),
  ],
};

test.each(Object.entries(HOSTILE))('responses that are %s end in time, and yield nothing', async (_, next) => {
  await using agent = await makeAgent([SWITCH, PRINTER], [V2C]);
  await using hostile = startSwitch(agent.port, identity('x', 'y'), next);
  await agent.look();
  expect(agent.heard(SWITCH)['snmp-name']).toBe('x');
  expect(agent.heard(PRINTER)).toEqual({});
  expect(hostile.asked).toBeLessThan(4_096);
  expect(agent.log).toEqual([]);
});

test.each([
  ['2c', V2C],
  ['3', V3],
])('SNMPv%s: what is no answer at all, and what comes again and again, ends in time', async (_, credentials) => {
  const hosts = Array.from({ length: 6 }, (_, i) => i + 2);
  await using agent = await makeAgent(hosts, [credentials]);
  let [questions, turn] = [0, 0];
  const garblers = hosts.map((host) => {
    const garbler = createSocket('udp4').bind(agent.port, `127.0.0.${host}`);
    return garbler.on('message', (question, { address, port }) => {
      questions++;
      // The question itself as an answer or a report, as it is, with a bit changed, or cut.
      for (let i = 0; i < 20; i++) {
        const answer = Buffer.from(question);
        const type = answer.lastIndexOf(0xa0);
        if (type > 0) answer[type] = i % 2 === 0 ? 0xa2 : 0xa8;
        const at = (turn++ * 7) % answer.length;
        if (i > 1) answer[at] = (answer[at] ?? 0) ^ (1 << (turn % 8));
        garbler.send(turn % 5 === 0 ? answer.subarray(0, at) : answer, port, address);
      }
      garbler.send(Buffer.alloc(60_000, 0x30), port, address);
    });
  });
  await Promise.all(garblers.map((garbler) => once(garbler, 'listening')));
  await agent.look();
  await Promise.all(garblers.map((garbler) => new Promise<void>((resolve) => garbler.close(resolve))));
  expect(turn).toBeGreaterThan(100);
  // The first unauthenticated response ends the query, and is not accepted.
  if (credentials === V3) expect(questions).toBe(hosts.length);
  expect(agent.log).toEqual([]);
});

test('a round that is ended by its signal ends at once, and the next one begins anew', async () => {
  await using agent = await makeAgent([SWITCH, PRINTER], [V2C]);
  await using _ = startSwitch(agent.port, SWITCH_OBJECTS);
  const stopped = new AbortController();
  const look = agent.look(2_000, stopped.signal);
  stopped.abort();
  await look;
  expect(agent.heard(SWITCH)).toEqual({});
  await agent.look(3_000);
  expect(agent.heard(PRINTER)).toEqual({ 'parent-bridge': `${macOf(SWITCH)} Gi0/2` });
});

test('the lldpd of the host locates the host at a port of a switch', async () => {
  const peer = { id: [{ type: 'mac', value: '00:1e:06:99:99:99' }], name: [{ value: 'sw1' }] };
  const chassis = [{ ...peer, 'mgmt-ip': [{ value: '127.0.0.2' }] }];
  const port = [{ id: [{ type: 'ifname', value: 'Gi0/7' }] }];
  const stdout = JSON.stringify({ lldp: [{ interface: [{ name: 'lan0', chassis, port }] }] });
  const asked: string[] = [];
  await using agent = await makeAgent([AGENT, SWITCH], [], async (program, args) => {
    asked.push([program, ...args].join(' '));
    return { ...ENDED, stdout };
  });
  await agent.look();
  expect(asked).toEqual(['lldpcli -f json0 show neighbors details']);
  // Not by the MAC of its chassis, but by that at its address.
  expect(agent.heard(AGENT)).toEqual({ 'parent-lldp': `${macOf(SWITCH)} Gi0/7` });
  expect(agent.heard(SWITCH)).toEqual({ 'lldp-name': 'sw1' });
});

test('a file that others may read is refused, and nothing of a file is logged', async () => {
  await using agent = await makeAgent([SWITCH], [{ ...V2C, secret: COMMUNITY }]);
  await agent.look();
  await chmod(agent.snmpFile, 0o640);
  await agent.look(3_600_000 + 2_000);
  expect(agent.log).toHaveLength(2);
  expect(agent.log[0]).toContain(`${agent.snmpFile}, malformed at 0 (unrecognized_keys)`);
  expect(agent.log[1]).toContain(`chmod 600 ${agent.snmpFile}`);
  expect(agent.log.join()).not.toContain(COMMUNITY);
});
