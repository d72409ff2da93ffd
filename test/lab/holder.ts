/** Builds and holds the lab, in new namespaces, until its input ends; then the kernel removes everything. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  forwardConnections,
  hold,
  makeNamespaces,
  type Namespace,
  plug,
  SWITCH,
  shell,
  start,
  tell,
  wire,
} from './namespaces.ts';
import {
  AGENT,
  bare,
  DNS_NAMES,
  DOMAIN,
  FAR_LAN,
  HOSTS,
  INTERNET,
  type LabHost,
  NOT_IN_DNS,
  PROVIDER,
  ROUTER,
  SERVER,
  SHAPED_MBPS,
} from './plan.ts';
import type { ServiceEvent, Services } from './services.ts';

/** Where the bundles, the sockets and the replaced files of /etc are. */
const folder = process.argv[2] ?? '/nonexistent';

async function build(): Promise<{ shaped: boolean }> {
  await prepareFiles();
  const lanHosts: LabHost[] = Object.values(HOSTS);
  const beside = ['switch', 'farswitch', 'router', 'provider', 'internet', 'server'];
  const of = await makeNamespaces(folder, [...beside, ...lanHosts.map(({ name }) => name)]);
  await shell(of('switch'), SWITCH);
  await shell(of('farswitch'), SWITCH);
  for (const host of [AGENT, ROUTER, ...lanHosts]) {
    await plug(host.name === 'agent' ? null : of(host.name), 'eth0', host.mac, of('switch'), host.name);
  }
  await plug(of('server'), 'eth0', SERVER.mac, of('farswitch'), 'server');
  await plug(of('router'), 'eth1', '00:0D:B9:77:02:01', of('farswitch'), 'router');
  await wire(of('router'), 'wan0', of('provider'), 'lan0');
  await wire(of('provider'), 'eth1', of('internet'), 'eth0');

  await shell(null, `${addresses(AGENT)}; ${routes('eth0', bare(ROUTER.ipv4), bare(ROUTER.ipv6))}`);
  await Promise.all(lanHosts.map((host) => shell(of(host.name), hostScript(host, ROUTER))));
  const farGateway = { ipv4: FAR_LAN.ipv4.replace('.0/', '.1/'), ipv6: FAR_LAN.ipv6.replace('::/', '::1/') };
  await shell(of('server'), hostScript(SERVER, farGateway));
  await shell(of('router'), routerScript(farGateway));
  await shell(of('provider'), PROVIDER_SCRIPT);
  await shell(of('internet'), INTERNET_SCRIPT);
  const shaped = await shape(of('provider'), of('internet'));

  const serving = [...lanHosts, SERVER].filter(
    ({ name, tcp, mdns, netbios }) => name !== 'dns' && (tcp.length > 0 || mdns || netbios),
  );
  await Promise.all([
    ...serving.map(({ name, tcp, mdns, netbios }) =>
      startServices(of(name), { tcp, ...(mdns && { mdns }), ...(netbios && { netbios }) }),
    ),
    startServices(of('sleeper'), { tcp: [], magicPackets: { broadcast: '10.77.1.255', interface: 'eth0' } }),
    startServices(of('internet'), {
      tcp: [],
      info: Number(new URL(INTERNET.info).port),
      speedtest: Number(new URL(INTERNET.speedtest).port),
    }),
    startNameServer(of('dns')),
    forwardConnections(join(folder, 'forward.sock')),
  ]);
  return { shaped };
}

/** The host's files that tell programs where the name server is, for the processes of this mount namespace only. */
async function prepareFiles(): Promise<void> {
  await writeFile(join(folder, 'resolv.conf'), `nameserver ${bare(HOSTS.dns.ipv4)}\nsearch ${DOMAIN}\n`);
  await writeFile(
    join(folder, 'hosts'),
    `127.0.0.1 localhost\n::1 localhost\n${DNS_NAMES.hostsFileAddress} ${DNS_NAMES.hostsFile}\n`,
  );
  await writeFile(join(folder, 'nsswitch.conf'), 'hosts: files dns\n');
  await shell(
    null,
    `mount --bind ${folder}/resolv.conf "$(readlink -f /etc/resolv.conf)"
     mount --bind ${folder}/hosts /etc/hosts
     if [ -e /etc/nsswitch.conf ]; then mount --bind ${folder}/nsswitch.conf /etc/nsswitch.conf; fi`,
  );
  // So that /sys/class/net shows this namespace. Refused in some containers, and then only a fallback goes untested.
  await shell(null, 'mount -t sysfs sysfs /sys 2>/dev/null || true');
}

const FORWARDING = `
  echo 1 > /proc/sys/net/ipv4/ip_forward
  echo 1 > /proc/sys/net/ipv6/conf/all/forwarding`;

function addresses({ ipv4, ipv6 }: Pick<LabHost, 'ipv4' | 'ipv6'>, device = 'eth0'): string {
  return [ipv4, ipv6].flatMap((cidr) => (cidr === null ? [] : [`ip addr add ${cidr} dev ${device}`])).join('; ');
}

function routes(device: string, ipv4: string | null, ipv6: string | null): string {
  return [
    ...(ipv4 === null ? [] : [`ip route add default via ${ipv4} dev ${device}`]),
    ...(ipv6 === null ? [] : [`ip -6 route add default via ${ipv6} dev ${device}`]),
  ].join('; ');
}

function hostScript(host: LabHost, gateway: { ipv4: string | null; ipv6: string | null }): string {
  const via4 = host.ipv4 === null ? null : bare(gateway.ipv4);
  const via6 = host.ipv6 === null ? null : bare(gateway.ipv6);
  return `${addresses(host)}; ${routes('eth0', via4, via6)}
    ${host.silent ? "nft 'add table inet lab; add chain inet lab arriving { type filter hook input priority 0; policy drop; }'" : ''}`;
}

function routerScript(far: { ipv4: string; ipv6: string }): string {
  return `${FORWARDING}; ${addresses(ROUTER)}; ${addresses(far, 'eth1')}
    ip addr add ${PROVIDER.router} dev wan0
    ip route add default via ${bare(PROVIDER.provider)} dev wan0`;
}

const PROVIDER_SCRIPT = `${FORWARDING}
  ip addr add ${PROVIDER.provider} dev lan0
  ip addr add ${PROVIDER.gateway} dev eth1
  ip route add 10.77.0.0/16 via ${bare(PROVIDER.router)} dev lan0
  ip route add 198.51.100.0/24 via ${bare(INTERNET.ipv4)} dev eth1
  nft 'add table inet lab; add chain inet lab passing { type filter hook forward priority 0; };
       add rule inet lab passing ip daddr 198.51.100.0/24 drop'`;

const INTERNET_SCRIPT = `
  ip addr add ${INTERNET.ipv4} dev eth0
  ip route add default via ${bare(PROVIDER.gateway)} dev eth0`;

/** Whether the kernel could limit the rate between provider and internet. */
async function shape(provider: Namespace, internet: Namespace): Promise<boolean> {
  const limit = (device: string) =>
    `tc qdisc add dev ${device} root tbf rate ${SHAPED_MBPS}mbit burst 64kb latency 50ms`;
  try {
    await shell(provider, limit('eth1'));
    await shell(internet, limit('eth0'));
    return true;
  } catch {
    return false;
  }
}

/** Starts the servers of a host, and resolves when they listen. What they tell is passed on. */
function startServices(host: Namespace, services: Services): Promise<void> {
  const argv = [process.execPath, join(folder, 'services.mjs'), JSON.stringify(services)];
  return new Promise((resolve, reject) => {
    const child = start(host, argv, ['ignore', 'pipe', 'inherit'], reject);
    if (child.stdout === null) throw new Error('no standard output');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const event: ServiceEvent = JSON.parse(line);
      if (event.event === 'ready') resolve();
      else tell(event);
    });
  });
}

function startNameServer(host: Namespace): Promise<void> {
  const known = [...Object.values<LabHost>(HOSTS), ROUTER, AGENT, SERVER].filter(
    ({ name }) => !NOT_IN_DNS.includes(name),
  );
  const records = known.map(({ name, ipv4, ipv6 }) =>
    [`${name}.${DOMAIN}`, ...[ipv4, ipv6].flatMap((cidr) => (cidr === null ? [] : [bare(cidr)]))].join(','),
  );
  const argv = [
    ...['dnsmasq', '--no-daemon', '--domain-needed', '--conf-file=/dev/null', '--no-resolv', '--no-hosts'],
    ...['--log-facility=-', '--pid-file=', '--bind-interfaces', '--interface=eth0', `--local=/${DOMAIN}/`],
    ...['--local=/77.10.in-addr.arpa/', '--local=/7.7.d.f.ip6.arpa/'],
    ...records.map((record) => `--host-record=${record}`),
    ...DNS_NAMES.pairAddresses.map((address) => `--address=/${DNS_NAMES.pair}/${address}`),
    `--cname=${DNS_NAMES.alias},nas.${DOMAIN}`,
    `--txt-record=${DNS_NAMES.textOnly},nothing but text`,
  ];
  return new Promise((resolve, reject) => {
    const child = start(host, argv, ['ignore', 'ignore', 'pipe'], reject);
    if (child.stderr === null) throw new Error('no standard error');
    let log = '';
    child.stderr.on('data', (text: Buffer) => {
      log += text.toString();
      if (log.includes('started')) resolve();
    });
    child.once('exit', () => reject(new Error(`dnsmasq: ${log}`)));
  });
}

hold(folder, build);
