/**
 * A LAN of its own, and an agent that watches it, as user 1000 with the rights that the service has: as root of a user namespace
 * tcpdump could not change its user. Hosts power on one after the other and say so by a broadcast; they answer no look. What the
 * agent tells is compared with the time of that broadcast. Ends by itself.
 */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { DiscoveryWatcher } from '../../agent/discovery/watcher.ts';
import { parsePolicy } from '../../agent/jobs/policy.ts';
import { STATE } from '../../agent/state/layout.ts';
import type { Sighting } from '../../shared/agent/discovery.ts';
import { PROTOCOL_VERSION, type Sightings } from '../../shared/agent/messages.ts';
import { waitFor } from '../support/wait-for.ts';
import { DEFAULTS, inside, makeNamespace, plug, SWITCH, shell } from './namespaces.ts';

/** A line of JSON on standard output for each host that was heard. */
export interface HeardHost {
  by: 'arp' | 'dhcp';
  /** From its first packet. */
  toldAfterMs: number;
  sighting: Sighting;
}

const execute = promisify(execFile);
const HOSTS_OF_EACH = 10;
const folder = process.argv[2] ?? '/nonexistent';

/** The same is sent by each host of its kind: nothing answers, and it has no address by which it could be found. */
const DHCP_CLIENT = `
  const { createSocket } = require('node:dgram');
  const [mac, name, ip] = process.argv.slice(1);
  const hex = (text) => Buffer.from(text).toString('hex');
  const option = (code, value) => code.toString(16).padStart(2, '0') + (value.length / 2).toString(16).padStart(2, '0') + value;
  const message = (type, more) => Buffer.from('01010600' + '1badcafe' + '00'.repeat(20) + mac.replaceAll(':', '') +
    '00'.repeat(202) + '63825363' + option(53, type) + option(12, hex(name)) + option(60, hex('android-dhcp-14')) +
    option(55, '0103060f1a1c333a3b2b') + more + 'ff', 'hex');
  const requested = ip.split('.').map((part) => Number(part).toString(16).padStart(2, '0')).join('');
  const socket = createSocket('udp4').bind(68, () => {
    socket.setBroadcast(true);
    console.log(Date.now());
    socket.send(message('01', ''), 67, '255.255.255.255', () =>
      socket.send(message('03', option(50, requested)), 67, '255.255.255.255', () => socket.close()));
  });`;

async function main(): Promise<void> {
  await shell(null, DEFAULTS);
  const lanSwitch = await makeNamespace('switch');
  const router = await makeNamespace('router');
  await shell(lanSwitch, SWITCH);
  await plug(null, 'eth0', '00:1E:06:88:01:02', lanSwitch, 'agent');
  await shell(null, 'ip addr add 10.88.1.2/24 dev eth0; ip route add default via 10.88.1.1');
  await plug(router, 'eth0', '00:0D:B9:88:01:01', lanSwitch, 'router');
  await shell(router, 'ip addr add 10.88.1.1/24 dev eth0');

  const firstSeen = new Map<string, { at: number; sighting: Sighting }>();
  const settings = { enabled: true, networks: 'auto', intervalSeconds: 3_600, recognize: true };
  await writeFile(join(folder, STATE.discoverySettings), JSON.stringify({ revision: 1, discovery: settings }));
  const watcher: DiscoveryWatcher = await DiscoveryWatcher.open({
    stateDirectory: folder,
    rules: parsePolicy({}).discovery,
    snmpFile: join(folder, 'snmp.json'),
    sourceRules: parsePolicy({}).sources,
    async publish(payload) {
      const { epoch, n, sightings }: Sightings = JSON.parse(payload.toString());
      for (const sighting of sightings)
        firstSeen.set(sighting.mac, { at: firstSeen.get(sighting.mac)?.at ?? Date.now(), sighting });
      setImmediate(() => void watcher.control({ v: PROTOCOL_VERSION, t: 'sighted', epoch, n }));
    },
    onState: () => {},
    log: pino({ level: 'warn' }, pino.destination(2)),
  });
  watcher.connected();
  await waitFor('a look that counts', () => (watcher.state.networks?.length ? true : undefined));

  for (let i = 0; i < 2 * HOSTS_OF_EACH; i++) {
    const by = i % 2 === 0 ? 'arp' : 'dhcp';
    const host = await makeNamespace(`host${i}`);
    const [mac, ip] = [`00:11:32:88:01:${(i + 16).toString(16)}`.toUpperCase(), `10.88.1.${i + 100}`];
    await plug(host, 'eth0', mac, lanSwitch, `host${i}`);
    const quiet = 'echo 8 > /proc/sys/net/ipv4/conf/eth0/arp_ignore; echo 1 > /proc/sys/net/ipv4/conf/eth0/arp_notify';
    await shell(host, `echo 1 > /proc/sys/net/ipv6/conf/eth0/disable_ipv6; ${quiet}`);
    // What is sent before the switch passes it on is lost.
    await shell(lanSwitch, `until bridge link show dev host${i} | grep -q forwarding; do sleep 0.05; done`);
    let sentAt = 0;
    if (by === 'arp') {
      await shell(host, `ip addr add ${ip}/24 dev eth0`);
      sentAt = Date.now();
      await shell(host, `ip link set eth0 address ${mac}`); // It is announced.
    } else {
      await shell(host, 'ip route add default dev eth0');
      const [program = '', ...args] = inside(host, [process.execPath, '-e', DHCP_CLIENT, mac, `host-${i}`, ip]);
      sentAt = Number((await execute(program, args)).stdout);
    }
    await waitFor(`${mac} to be heard`, () => firstSeen.get(mac)?.sighting.ip === ip || undefined);
    const { at, sighting } = firstSeen.get(mac)!;
    const line: HeardHost = { by, toldAfterMs: at - sentAt, sighting };
    console.log(JSON.stringify(line));
  }
  await watcher.stop();
}

await main();
process.exit(0);
