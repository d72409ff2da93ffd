/** A host of the home: its name, and a folder for itself. It is off until it reads `on`, and says when it answers. */
import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { nodeStatus } from '../node-status.ts';
import { askForAddress } from './dhcp-client.ts';
import { AP, CORE, EVERYBODY, METADATA, ROUTER } from './plan.ts';
import { answerAsSwitch } from './switch-mib.ts';
import { type HomeHost, PREFIX } from './terms.ts';
import { answerUpnp, serveHttp } from './upnp.ts';

/** One line of JSON on standard output for each. */
export type HostEvent = { event: 'off' } | { event: 'on'; at: number } | { event: 'answering' } | { event: 'metadata' };

const tell = (event: HostEvent) => console.log(JSON.stringify(event));
const [name, folder = '/nonexistent'] = process.argv.slice(2);

async function powerOn(host: HomeHost): Promise<void> {
  const device = host === CORE || host === AP ? 'br0' : 'eth0';
  if (host !== CORE && host !== ROUTER) await connect(host, device);
  // Debian's daemons, which speak as such devices do.
  startAvahi(host);
  if (host === CORE) answerAsSwitch();
  else if (host.snmp !== undefined) startSnmpd(host);
  await answerUpnp(host);
  await serveHttp(host);
  if (host.netbios !== undefined) await answerNetbios(host.netbios);
  if (host === ROUTER) {
    startNameServer();
    watchMetadata();
  }
  tell({ event: 'answering' });
}

/** The first packet is sent here: a gratuitous ARP by the kernel, or a DHCP request. */
async function connect(host: HomeHost, device: string): Promise<void> {
  const cable = host === AP ? 'uplink' : device;
  if (host.dhcp === undefined) {
    run(`echo 1 > /proc/sys/net/ipv4/conf/${device}/arp_notify; ip addr add ${host.ipv4}/24 dev ${device}`);
    tell({ event: 'on', at: Date.now() });
    run(`ip link set ${cable} up`);
    setTimeout(() => announceAgain(device, host.mac), ANNOUNCE_INTERVAL_MS).unref();
  } else {
    tell({ event: 'on', at: Date.now() });
    run(`ip link set ${cable} up; ip route add 255.255.255.255 dev ${device}`);
    run(`ip addr add ${await askForAddress(host)}/24 dev ${device}`);
  }
  run(`ip route add default via ${ROUTER.ipv4} dev ${device}`);
}

/** Hosts announce their address twice (RFC 5227, ANNOUNCE_INTERVAL): a switch may not forward yet when the cable is put in. */
const ANNOUNCE_INTERVAL_MS = 2_000;

/** The kernel announces an address whenever the MAC is set, also to the same one. */
function announceAgain(device: string, mac: string): void {
  run(`ip link set ${device} address ${mac}`);
}

const run = (script: string) => execFileSync('sh', ['-ec', script], { stdio: ['ignore', 'ignore', 'inherit'] });

/** A daemon that sees `files` in place of the files of this machine. */
function daemon(script: string, env: Record<string, string> = {}): void {
  const child = spawn('unshare', ['--mount', 'sh', '-ec', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
  child.once('exit', (code) => console.error(`${name}: ${script.split('\n').at(-1)} ended with ${code}`));
}

function startAvahi({ mdns }: HomeHost): void {
  if (mdns === undefined) return;
  const services = join(folder, 'avahi', 'services');
  mkdirSync(services, { recursive: true });
  writeFileSync(
    join(folder, 'avahi', 'avahi-daemon.conf'),
    `[server]\nhost-name=${mdns.host}\nuse-ipv6=no\nallow-interfaces=eth0\nenable-dbus=no\n[publish]\npublish-workstation=no\n`,
  );
  for (const [at, { type, instance, port, text }] of mdns.services.entries()) {
    const records = text.map((each) => `<txt-record>${each}</txt-record>`).join('');
    const group = `<service-group><name>${instance}</name><service><type>${type}</type><port>${port}</port>${records}</service></service-group>`;
    writeFileSync(join(services, `${at}.service`), `<?xml version="1.0"?>\n${group}\n`);
  }
  // It gives its folder to its user, and there is no other than root where the lab is not made by root.
  writeFileSync(join(folder, 'passwd'), 'root:x:0:0::/:/bin/sh\navahi:x:0:0::/:/bin/sh\n');
  writeFileSync(join(folder, 'group'), 'root:x:0:\navahi:x:0:\n');
  daemon(`mount --bind ${folder}/avahi /etc/avahi
mount --bind ${folder}/passwd /etc/passwd
mount --bind ${folder}/group /etc/group
mount -t tmpfs tmpfs /run
exec avahi-daemon --no-drop-root --no-chroot --no-rlimits --no-proc-title 2>/dev/null`);
}

function startSnmpd({ snmp }: HomeHost): void {
  if (snmp === undefined) return;
  const lines = [
    'agentaddress udp:161',
    'rocommunity public',
    `sysname ${snmp.name}`,
    `sysdescr ${snmp.description}`,
    ...(snmp.object === undefined ? [] : [`sysobjectid .${snmp.object}`]),
  ];
  writeFileSync(join(folder, 'snmpd.conf'), `${lines.join('\n')}\n`);
  daemon(`exec snmpd -f -LE 3 -C -c ${folder}/snmpd.conf -p ${folder}/snmpd.pid`, {
    SNMP_PERSISTENT_DIR: folder,
    MIBS: '',
  });
}

/** Gives addresses, and knows the names of few hosts. */
function startNameServer(): void {
  const names = EVERYBODY.flatMap(({ dns, ipv4 }) => (dns === undefined ? [] : [`--host-record=${dns},${ipv4}`]));
  const leases = EVERYBODY.flatMap(({ dhcp, mac, ipv4 }) => (dhcp === undefined ? [] : [`--dhcp-host=${mac},${ipv4}`]));
  daemon(
    [
      'exec dnsmasq --no-daemon --conf-file=/dev/null --no-resolv --no-hosts --pid-file= 2>/dev/null',
      '--bind-interfaces --interface=eth0 --domain=fritz.box --local=/fritz.box/ --local=/168.192.in-addr.arpa/',
      `--dhcp-range=${PREFIX}.20,${PREFIX}.200,1h --dhcp-ignore-names --no-ping --dhcp-authoritative`,
      `--dhcp-leasefile=${folder}/leases`,
      ...names,
      ...leases,
    ].join(' '),
  );
}

/** Nobody in this LAN has a reason to ask for what clouds give their machines. */
function watchMetadata(): void {
  const server = createServer((_request, response) => {
    tell({ event: 'metadata' });
    response.end('secret');
  });
  server.listen(80, METADATA);
}

async function answerNetbios(text: string): Promise<void> {
  const socket = createSocket('udp4');
  socket.on('message', (request, from) => socket.send(nodeStatus(request, text), from.port, from.address));
  await new Promise<void>((resolve) => socket.bind(137, () => resolve()));
}

tell({ event: 'off' });
const host = EVERYBODY.find((each) => each.name === name);
if (host === undefined) throw new Error(`no host ${name}`);
mkdirSync(folder, { recursive: true });
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'on') await powerOn(host);
}
process.exit(0);
