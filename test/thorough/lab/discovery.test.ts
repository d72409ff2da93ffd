/** Discovery with the real scanners, against the hosts that the lab is made of. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DiscoverySettings, Sighting } from '../../../shared/agent/discovery.ts';
import type { DiscoverAnswer, DiscoverCommand, DiscoverOptions } from '../../lab/discover.ts';
import { type Lab, labSupport, startLab } from '../../lab/lab.ts';
import { AGENT, bare, DOMAIN, HOSTS, INTERNET, type LabHost, NOT_IN_DNS, ROUTER } from '../../lab/plan.ts';
import { waitFor } from '../../support/wait-for.ts';

const unsupported = labSupport();
if (unsupported !== null) console.warn(`Discovery is not tested in the lab: ${unsupported}`);

const registry = createRequire(import.meta.url)('oui-data') as Record<string, string>;
const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

/** What is to be found out about a host of the lab. */
function truthOf(host: LabHost) {
  const isRandom = host.name === 'phone';
  return {
    mac: host.mac,
    online: true,
    ip: bare(host.ipv4 ?? host.ipv6),
    name: nameOf(host),
    vendor: isRandom ? undefined : registry[host.mac.replaceAll(':', '').slice(0, 6)]?.split('\n')[0],
    random: isRandom || undefined,
    gateway: host.name === 'router' || undefined,
  };
}

function nameOf({ name, netbios }: LabHost) {
  if (!NOT_IN_DNS.includes(name)) return { text: `${name}.${DOMAIN}`, source: 'dns' };
  if (name === 'tv') return { text: 'Küche-TV.local', source: 'mdns' };
  if (name === 'camera') return { text: 'cam [2J era .local', source: 'mdns' };
  return netbios === undefined ? undefined : { text: netbios, source: 'netbios' };
}

const isComplete = ({ devices }: DiscoverAnswer) =>
  JSON.stringify(devices.map(summary).sort(byMac)) === JSON.stringify(EVERYBODY.map(truthOf).sort(byMac));

const EVERYBODY: LabHost[] = [AGENT, ROUTER, ...Object.values(HOSTS)];
const byMac = (a: { mac: string }, b: { mac: string }) => (a.mac < b.mac ? -1 : 1);

function summary({ mac, online, ip, name, vendor, random, gateway }: Sighting) {
  return { mac, online, ip, name, vendor, random, gateway };
}

describe.skipIf(unsupported !== null)('discovery in the lab', { timeout: 400_000 }, () => {
  let lab: Lab;
  let files = 0;
  // Each test has its own, because many of them take links and addresses away.
  beforeEach(async () => {
    lab = await startLab();
  });
  afterEach(async () => {
    await lab?.close();
  });

  /** An agent's discovery, with a state of its own. */
  async function discover(
    networks: DiscoverySettings['networks'],
    { unprivileged = false, ...options }: Partial<DiscoverOptions> & { unprivileged?: boolean } = {},
  ) {
    const file = join(lab.folder, `known-${files++}.json`);
    const arg: DiscoverOptions = { file, networks, ...options };
    const argv = [process.execPath, join(lab.folder, 'discover.mjs'), JSON.stringify(arg)];
    const inside = await lab.run(argv, { unprivileged });
    let complaint = '';
    inside.stderr.on('data', (text: Buffer) => {
      complaint += text.toString();
    });
    const lines = createInterface({ input: inside.stdout })[Symbol.asyncIterator]();
    async function ask(command: DiscoverCommand): Promise<DiscoverAnswer> {
      inside.stdin.write(`${JSON.stringify(command)}\n`);
      const line = await lines.next();
      if (line.done) throw new Error(`discovery has ended: ${complaint}`);
      const answer: DiscoverAnswer = JSON.parse(line.value);
      return { ...answer, devices: answer.devices.map((device) => Sighting.parse(device)) };
    }
    let at = START;
    const cycle = () => {
      at += MINUTE;
      return ask({ do: 'cycle', at });
    };
    return {
      /** The next cycle, a minute after the last one. */
      cycle,
      /** The first cycle. Where the machine stands still, an answer can come too late: then the next ones complete it. */
      async first() {
        let answer = await cycle();
        for (let more = 0; more < 3 && !isComplete(answer); more++) answer = await cycle();
        return answer;
      },
      restart: () => ask({ do: 'restart', at }),
      [Symbol.asyncDispose]: async () => {
        inside.stdin.end();
        await inside.exited;
      },
    };
  }

  /** Starts dnsmasq on a host. @returns what it has logged so far */
  async function dnsmasq(host: string, ...args: string[]): Promise<() => string[]> {
    const argv = [
      'dnsmasq',
      '--no-daemon',
      '--conf-file=/dev/null',
      '--no-resolv',
      '--no-hosts',
      '--pid-file=',
      ...args,
    ];
    const { stderr } = await lab.run(argv, { host });
    let log = '';
    stderr.on('data', (text: Buffer) => {
      log += text.toString();
    });
    await waitFor(`dnsmasq on ${host}`, () => log.includes('started') || undefined);
    return () => log.split('\n');
  }

  const online = ({ devices }: DiscoverAnswer) =>
    devices
      .filter((device) => device.online)
      .map(({ mac }) => mac)
      .sort();

  const INGRESS = 'add table netdev lab; add chain netdev lab in { type filter hook ingress device eth0 priority 0; }';
  const losing = (percent: number) =>
    `nft '${INGRESS}; flush chain netdev lab in; add rule netdev lab in numgen random mod 1000 < ${percent * 10} drop'`;
  /** What the kernel of the agent's host remembers for half a minute: the test's minutes are shorter. */
  const forget = () => lab.on('agent', 'ip neigh flush all');
  const NEAR = ['10.77.1.0/25'];

  test('one cycle finds every host with its MAC, address, name and vendor', async () => {
    await using discovery = await discover('auto');
    const answer = await discovery.first();
    expect(answer).toMatchObject({ methods: ['arp-scan'], failures: [], valid: ['10.77.1.0/24'], problems: [] });
    expect(answer.devices.map(summary).sort(byMac)).toEqual(EVERYBODY.map(truthOf).sort(byMac));
    // The next cycles have nothing to tell.
    expect((await discovery.cycle()).lastChange).toBe(answer.lastChange);
    expect((await discovery.cycle()).lastChange).toBe(answer.lastChange);
  });

  test('names come from the router and not from the internet, and a second DHCP server is seen beside it', async () => {
    const leases = (host: string) => [`--dhcp-leasefile=${join(lab.folder, `${host}.leases`)}`, '--no-ping'];
    const log = await dnsmasq('internet', '--log-queries', '--address=/#/192.0.2.1');
    const router = ['--host-record=nas.of-the-router,10.77.1.20', '--dhcp-range=10.77.1.200,10.77.1.209,1h'];
    await dnsmasq('router', ...router, ...leases('router'));
    await dnsmasq('desktop', '--port=0', '--dhcp-range=10.77.1.210,10.77.1.219,1h', ...leases('desktop'));
    await writeFile(join(lab.folder, 'resolv.conf'), `nameserver ${bare(INTERNET.ipv4)}\n`);
    await using discovery = await discover(NEAR, { dhcp: true });
    const { devices, dhcpServers } = await discovery.cycle();
    expect(devices.find(({ mac }) => mac === HOSTS.nas.mac)?.name).toEqual({
      text: 'nas.of-the-router',
      source: 'dns',
    });
    expect(dhcpServers).toEqual({
      '10.77.1.0/25': [
        { ip: '10.77.1.1', mac: ROUTER.mac },
        { ip: '10.77.1.40', mac: HOSTS.desktop.mac },
      ],
    });
    // A program that asks as the host is told to does ask there, and nobody did before.
    await lab.on('agent', 'getent hosts 10.77.1.50 || true');
    const queries = await waitFor('a query', () => {
      const lines = log().filter((line) => line.includes('query['));
      return lines.length > 0 ? lines : undefined;
    });
    expect(queries.filter((line) => !line.includes('50.1.77.10.in-addr.arpa'))).toEqual([]);
  });

  test('without arp-scan, nmap finds them all', async () => {
    const path = join(lab.folder, 'without-arp-scan');
    await mkdir(path);
    for (const program of ['/usr/bin/nmap', '/usr/bin/ping', '/bin/ip']) {
      await symlink(program, join(path, program.split('/').at(-1) ?? ''));
    }
    await using discovery = await discover('auto', { path });
    const answer = await discovery.first();
    expect(answer).toMatchObject({ methods: ['nmap'], failures: [], valid: ['10.77.1.0/24'] });
    expect(online(answer)).toEqual(EVERYBODY.map(({ mac }) => mac).sort());
  });

  test('without any right, the neighbour table shows the IPv4 hosts, silent ones too', async () => {
    await using discovery = await discover(NEAR, { unprivileged: true });
    await forget();
    const answer = await discovery.cycle();
    expect(answer).toMatchObject({ methods: ['udp'], failures: [], valid: ['10.77.1.0/25'] });
    const found = online(answer);
    for (const host of EVERYBODY.filter(({ ipv4 }) => ipv4 !== null)) expect(found).toContain(host.mac);
  });

  test('without any right, a second look comes before anybody goes offline, and who is there stays', async () => {
    await using discovery = await discover(NEAR, { unprivileged: true });
    await forget();
    const before = online(await discovery.cycle());
    const { mac } = HOSTS.printer;
    expect(before).toContain(mac);
    await lab.on('printer', 'ip link set eth0 down');
    for (let i = 0; i < 4; i++) {
      await forget();
      expect(online(await discovery.cycle())).toEqual(before);
    }
    await forget();
    expect(online(await discovery.cycle())).toEqual(before.filter((each) => each !== mac));
  });

  test('who is away for a short time stays online; who is gone goes offline, and comes back at once', async () => {
    await using discovery = await discover(NEAR);
    const printer = HOSTS.printer.mac;
    const all = online(await discovery.first());
    expect(all).toContain(printer);
    await lab.on('printer', 'ip link set eth0 down');
    await forget();
    const before = await discovery.cycle();
    expect([before, await discovery.cycle()].map(online)).toEqual([all, all]);
    await lab.on('printer', 'ip link set eth0 up');
    const back = await discovery.cycle();
    expect([online(back), back.lastChange]).toEqual([all, before.lastChange]);

    await lab.on('printer', 'ip link set eth0 down');
    await forget();
    const gone: boolean[] = [];
    for (let i = 0; i < 5; i++) gone.push(online(await discovery.cycle()).includes(printer));
    expect(gone).toEqual([true, true, true, true, false]);
    await lab.on('printer', 'ip link set eth0 up');
    const returned = await discovery.cycle();
    // Its absence waits up to five minutes for those of others; the return overtakes it.
    expect([online(returned), returned.lastChange]).toEqual([all, before.lastChange + 1]);
  });

  test('hosts that lose 40 % and 60 % of what is sent to them stay online for 15 cycles', async () => {
    const lossy = { desktop: 40, printer: 60, phone: 60 };
    await using discovery = await discover(NEAR);
    const first = await discovery.first();
    for (const [host, percent] of Object.entries(lossy)) await lab.on(host, losing(percent));
    for (let i = 0; i < 15; i++) {
      await forget();
      const answer = await discovery.cycle();
      expect([i, online(answer), answer.lastChange]).toEqual([i, online(first), first.lastChange]);
    }
  });

  test('a network that is dead for the agent makes nobody offline', async () => {
    await using discovery = await discover(NEAR);
    const before = await discovery.first();
    const dead = async (cycles: number) => {
      for (let i = 0; i < cycles; i++) {
        const answer = await discovery.cycle();
        expect([online(answer), answer.lastChange]).toEqual([online(before), before.lastChange]);
      }
    };
    // The switch passes nothing on, in either direction, and the link stays up.
    await lab.on('switch', 'ip link set dev agent type bridge_slave state 0');
    await forget();
    await dead(8);
    await lab.on('switch', 'ip link set dev agent type bridge_slave state 3');
    // The cable is out.
    await lab.on('switch', 'ip link set agent down');
    await dead(4);
    await lab.on('switch', 'ip link set agent up');
    // The interface is down.
    await lab.on('agent', 'ip link set eth0 down');
    await dead(4);
    await lab.on(
      'agent',
      `ip link set eth0 up; ip addr add ${AGENT.ipv6} dev eth0
      ip route replace default via ${bare(ROUTER.ipv4)} dev eth0`,
    );
    const after = await discovery.cycle();
    expect([online(after), after.lastChange]).toEqual([online(before), before.lastChange]);
  });

  test('without the gateway, those who still answer show that the network works', async () => {
    await using discovery = await discover(NEAR);
    const before = await discovery.first();
    await lab.on('router', 'ip link set eth0 down');
    await forget();
    for (let i = 0; i < 4; i++) expect((await discovery.cycle()).lastChange).toBe(before.lastChange);
    const after = await discovery.cycle();
    expect(after.valid).toEqual(NEAR);
    expect(online(after)).toEqual(online(before).filter((mac) => mac !== ROUTER.mac));
  });

  test('a restart of the agent changes nothing', async () => {
    await using discovery = await discover(NEAR);
    const before = await discovery.first();
    const restarted = await discovery.restart();
    expect(restarted.devices).toEqual(before.devices);
    const after = await discovery.cycle();
    expect([online(after), after.lastChange]).toEqual([online(before), before.lastChange]);
  });

  test('a device that changes its address is one device; two that swap theirs are two', async () => {
    await using discovery = await discover(NEAR);
    const before = await discovery.first();
    const ipOf = ({ devices }: DiscoverAnswer, mac: string) => devices.find((device) => device.mac === mac)?.ip;
    const readdress = (host: string, from: string, to: string) =>
      lab.on(host, `ip addr del ${from}/24 dev eth0; ip addr add ${to}/24 dev eth0`);

    await readdress('desktop', '10.77.1.40', '10.77.1.44');
    const moved = await discovery.cycle();
    expect(ipOf(moved, HOSTS.desktop.mac)).toBe('10.77.1.44');
    expect([moved.devices.length, moved.lastChange]).toEqual([before.devices.length, before.lastChange + 1]);

    await lab.on('desktop', 'ip addr flush dev eth0 scope global');
    await readdress('printer', '10.77.1.30', '10.77.1.44');
    await lab.on('desktop', 'ip addr add 10.77.1.30/24 dev eth0');
    const swapped = await discovery.cycle();
    expect(ipOf(swapped, HOSTS.desktop.mac)).toBe('10.77.1.30');
    expect(ipOf(swapped, HOSTS.printer.mac)).toBe('10.77.1.44');
    expect([online(swapped), swapped.devices.length]).toEqual([online(before), before.devices.length]);
    const later = await discovery.cycle();
    expect(later.lastChange).toBe(swapped.lastChange);
  });

  /** Puts the agent's link, and nothing else, to a LAN with the same addresses, another router, and these many hosts. */
  const ELSEWHERE = (hosts: number) => `
    for v in default agent; do echo 1 > /proc/sys/net/ipv6/conf/$v/disable_ipv6; done
    echo 1 > /proc/sys/net/ipv4/conf/all/arp_ignore
    ip link add br1 type bridge
    ip link set br1 up
    for i in 1 $(seq 201 ${200 + hosts}); do
      ip link add p$i type veth peer name h$i
      ip link set p$i master br1 up
      ip link set h$i address $(printf '02:99:99:00:00:%02x' $i) up
      ip addr add 10.77.1.$i/24 dev h$i
    done
    ip link set agent master br1`;

  test('on another LAN with the same addresses nobody is new and nobody goes offline; back at home all goes on', async () => {
    await using discovery = await discover(NEAR);
    await discovery.cycle();
    const before = await discovery.first();
    await lab.on('switch', ELSEWHERE(20));
    await forget();
    for (let i = 0; i < 6; i++) {
      const there = await discovery.cycle();
      expect(there.strange).toMatchObject([{ network: NEAR[0], gateway: '02:99:99:00:00:01', answered: 0 }]);
      expect([there.valid, there.lastChange, there.devices]).toEqual([[], before.lastChange, before.devices]);
    }
    await lab.on('switch', 'ip link set agent master br0');
    await forget();
    const back = await discovery.cycle();
    expect([back.strange, back.valid]).toEqual([[], NEAR]);
    expect([online(back), back.devices.length]).toEqual([online(before), before.devices.length]);

    // A person says that the other one is right, too.
    await using confirmed = await discover(NEAR, { confirmed: ['02:99:99:00:00:01'] });
    await confirmed.cycle();
    await lab.on('switch', 'ip link set agent master br1');
    await forget();
    expect((await confirmed.cycle()).valid).toEqual(NEAR);
  });

  test('a router that answers for the addresses of others keeps its own', async () => {
    await lab.on(
      'desktop',
      `ip link add inner type veth peer name outer
      ip link set inner up; ip link set outer up
      ip route add 10.77.1.96/28 dev inner
      echo 1 > /proc/sys/net/ipv4/ip_forward
      echo 1 > /proc/sys/net/ipv4/conf/eth0/proxy_arp
      echo 0 > /proc/sys/net/ipv4/neigh/eth0/proxy_delay`,
    );
    await using discovery = await discover(NEAR);
    const answer = await discovery.first();
    const desktop = answer.devices.find(({ mac }) => mac === HOSTS.desktop.mac);
    expect(desktop?.ip).toBe(bare(HOSTS.desktop.ipv4));
    expect(desktop?.ips?.length).toBeGreaterThan(4);
    expect([answer.crowded, answer.devices.flatMap(({ conflict }) => conflict ?? [])]).toEqual([[], []]);
  });

  test('somebody who answers for every address makes no devices, and nobody goes offline for it', async () => {
    await using discovery = await discover(NEAR);
    await discovery.cycle();
    const before = await discovery.first();
    await lab.on(
      'switch',
      `ip link add inner type veth peer name outer
      ip link set inner up; ip link set outer up
      ip route add 10.77.1.0/24 dev inner
      echo 1 > /proc/sys/net/ipv4/ip_forward
      for i in 1 2 3 4; do
        ip link add p$i type veth peer name h$i
        ip link set p$i master br0 up
        ip link set h$i address 02:66:66:00:00:0$i up
        echo 1 > /proc/sys/net/ipv4/conf/h$i/proxy_arp
        echo 0 > /proc/sys/net/ipv4/neigh/h$i/proxy_delay
      done`,
    );
    await forget();
    for (let i = 0; i < 3; i++) {
      const answer = await discovery.cycle();
      expect([answer.crowded, online(answer)]).toEqual([NEAR, online(before)]);
      expect(answer.lastChange - before.lastChange).toBeLessThan(EVERYBODY.length);
    }
  });
});
