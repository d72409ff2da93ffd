/** The whole of LanReach on a host of the lab: every network tool from the HTTP request to the LAN and back. */
import { describe, expect, test } from 'vitest';
import type { DeviceEvent } from '../../shared/api/events.ts';
import type { Job } from '../../shared/api/jobs.ts';
import { nettools } from '../../shared/api/nettools.ts';
import type { DevicePorts } from '../../shared/api/one-device.ts';
import type { DeviceRecord } from '../../shared/device.ts';
import { describeLab } from './describe-lab.ts';
import type { Lab } from './lab.ts';
import { type Inside, startInside } from './system-inside.ts';

let whole: Inside;
const prepare = async (lab: Lab) => {
  whole = await startInside(lab, 'whole', 8787, { DISCOVER: 'auto' });
};

describeLab('the system in the lab', { concurrent: true, prepare }, (lab) => {
  test('wakeonlan: the packets arrive, and the answer names each of them', async () => {
    const { mac } = lab.truth.HOSTS.sleeper;
    const { status, json } = await whole.post('wakeonlan', { devMac: mac.toLowerCase().replaceAll(':', '-') });
    expect(status).toBe(200);
    const { message, output } = nettools.wakeOnLan.response.parse(json);
    expect(message).toContain('WOL packet sent');
    for (const destination of ['10.77.1.255', '255.255.255.255', 'ff02::1']) {
      for (const port of [7, 9])
        expect(output).toMatch(new RegExp(`${destination.replaceAll('.', '\\.')}\\S*:?${port}\\b`));
    }
    const received = () => lab.magicPackets().filter((packet) => packet.mac === mac);
    await expect.poll(() => new Set(received().map(({ port }) => port))).toEqual(new Set([7, 9]));
  });

  test('traceroute: through the router, as one text; a host that is down is no failure', async () => {
    const { status, json } = await whole.post('traceroute', { devLastIP: lab.truth.bare(lab.truth.SERVER.ipv4) });
    expect(status).toBe(200);
    const { output, result } = nettools.traceroute.response.parse(json);
    expect(output).toMatch(/ 1 {2}10\.77\.1\.1 .*\n 2 {2}10\.77\.2\.20 /);
    expect(result).toMatchObject({ reached: true });
    const down = await whole.post('traceroute', { devLastIP: lab.truth.NOBODY.lan });
    expect([down.status, down.json]).toMatchObject([200, { result: { reached: false } }]);
  });

  test('nslookup: an address, a name, and a name that does not exist', async () => {
    const nas = lab.truth.bare(lab.truth.HOSTS.nas.ipv4);
    const lookup = async (devLastIP: string) => whole.post('nslookup', { devLastIP });
    const server = lab.truth.bare(lab.truth.HOSTS.dns.ipv4);
    for (const target of [nas, `nas.${lab.truth.DOMAIN}`, `NAS.${lab.truth.DOMAIN}.`]) {
      const { status, json } = await lookup(target);
      expect(status).toBe(200);
      const { output } = nettools.nslookup.response.parse(json);
      expect(output.slice(0, 2)).toEqual([`Server: ${server}`, `Address: ${server}#53`]);
      expect(output.join('\n')).toMatch(/nas\.lab\.test/);
      expect(output.join('\n')).toContain(nas);
    }
    const unknown = await lookup(lab.truth.DNS_NAMES.unknown);
    expect(unknown).toMatchObject({
      status: 500,
      json: { success: false, code: 'command_failed', message: expect.stringContaining('NXDOMAIN') },
    });
  });

  test('nmap: the open ports of a host, a range, an IPv6 address, and a target outside of the policy', async () => {
    const { ipv4, tcp } = lab.truth.HOSTS.nas;
    for (const mode of ['fast', 'skipdiscovery']) {
      const { status, json } = await whole.post('nmap', { scan: lab.truth.bare(ipv4), mode });
      expect([status, json]).toMatchObject([200, { mode, ip: lab.truth.bare(ipv4) }]);
      const lines = nettools.nmap.response.parse(json).output.filter((line) => /^\d+\/tcp\s+open/.test(line));
      expect(lines.map((line) => Number.parseInt(line, 10))).toEqual([...tcp]);
    }
    const range = await whole.post('nmap', { scan: '10.77.1.0/26', mode: 'fast' });
    expect([range.status, range.json]).toMatchObject([200, { ip: '10.77.1.0/26' }]);
    const { hosts } = (range.json as { result: { hosts: { address: string; state: string }[] } }).result;
    const up = hosts.filter(({ state }) => state === 'up').map(({ address }) => address);
    expect(up).toEqual(expect.arrayContaining(['10.77.1.1', '10.77.1.20', '10.77.1.30', '10.77.1.40', '10.77.1.50']));
    const six = await whole.post('nmap', { scan: lab.truth.bare(lab.truth.HOSTS.ipv6only.ipv6), mode: 'fast' });
    expect([six.status, six.json]).toMatchObject([200, { result: { hostsUp: 1 } }]);
    const outside = await whole.post('nmap', { scan: lab.truth.bare(lab.truth.INTERNET.ipv4), mode: 'fast' });
    expect([outside.status, outside.json]).toMatchObject([403, { code: 'target_not_allowed' }]);
  });

  describe('which watches the LAN', { concurrent: false }, () => {
    const read = async <T>(path: string) => (await (await whole.request('GET', path)).json()) as T;

    /** All devices of the LAN, when they have been found. */
    async function found(): Promise<DeviceRecord[]> {
      const count = Object.keys(lab.truth.HOSTS).length + 2; // With the agent's host and the router.
      const list = async () => (await read<{ devices: DeviceRecord[] }>('/devices?fields=all')).devices;
      await expect.poll(async () => (await list()).length).toBe(count);
      return list();
    }
    const eventsOf = async (path: string) => (await read<{ events: DeviceEvent[] }>(path)).events;

    test('the devices appear below the router; list, totals and events agree', async () => {
      const devices = await found();
      const byMac = (mac: string) => devices.find(({ devMac }) => devMac === mac);
      const { HOSTS, ROUTER } = lab.truth;
      // Its name comes after it.
      const name = async () => (await read<DeviceRecord>(`/devices/${HOSTS.nas.mac}`)).devName;
      await expect.poll(name).toBe('nas.lab.test');
      expect(byMac(HOSTS.nas.mac)).toMatchObject({
        devLastIP: '10.77.1.20',
        devVendor: expect.stringContaining('Synology'),
        devPresentLastScan: 1,
        devIsNew: 0,
        devParentMAC: ROUTER.mac,
      });
      expect(byMac(ROUTER.mac)?.devParentMAC).toBe('Internet');
      expect(await read('/devices/totals')).toEqual([devices.length, devices.length, 0, 0, 0, 0]);
      const events = await eventsOf('/events?type=found,new&limit=1000');
      expect(events.map(({ type }) => type)).not.toContain('new');
      expect(events.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(devices.length);
      await expect
        .poll(() => read('/sites/home/agents'))
        .toMatchObject({ agents: [{ discovery: { state: 'on', accuracy: 'full', networks: ['10.77.1.0/24'] } }] });
      expect(await read('/sites/home')).toMatchObject({ discovery: { enabled: true }, staleSince: null });
    });

    test('a scan for devices on request is a job, which says how many were seen', async () => {
      await found();
      const started = await whole.request('POST', '/nettools/trigger-scan', { type: 'ARPSCAN' });
      expect(started.status).toBe(202);
      const { scan_id } = (await started.json()) as { scan_id: string };
      const job = async () => read<Job>(`/jobs/${scan_id}`);
      await expect.poll(async () => (await job()).state).toBe('succeeded');
      const hosts = Object.keys(lab.truth.HOSTS).length + 1; // With the router.
      const { result } = await job();
      expect(result).toMatchObject({ networks: [{ network: '10.77.1.0/24' }], accuracy: 'full' });
      expect((result as { online: number }).online).toBeGreaterThanOrEqual(hosts);
    });

    test('ports that nmap finds are shown with the devices of the LAN', async () => {
      await found();
      const { HOSTS } = lab.truth;
      const scan = async (body: object) => {
        const started = await whole.request('POST', '/nettools/trigger-scan', { type: 'NMAP', ...body });
        expect(started.status).toBe(202);
        const { scan_id, jobs } = (await started.json()) as { scan_id: string; jobs: Job[] };
        const state = async () => (await read<Job>(`/jobs/${scan_id}`)).state;
        await expect.poll(state, { timeout: 200_000, interval: 1_000 }).toBe('succeeded');
        return jobs;
      };
      const ports = async (mac: string) => read<DevicePorts>(`/devices/${mac}/ports`);
      // Without a target: the network that discovery watches.
      const [first] = await scan({});
      expect(first).toMatchObject({ request: { target: '10.77.1.0/24', mode: 'fast' } });
      const nas = await ports(HOSTS.nas.mac);
      expect(nas.ports.map(({ port }) => port)).toEqual([...HOSTS.nas.tcp]);
      expect(nas.ports[0]).toMatchObject({ protocol: 'tcp', state: 'open', scan: first?.id, mode: 'fast' });
      expect((await ports(HOSTS.printer.mac)).ports.map(({ port }) => port)).toEqual([...HOSTS.printer.tcp]);
      // A longer scan of one host tries these ports again.
      const [one] = await scan({ scan: lab.truth.bare(HOSTS.nas.ipv4), mode: 'normal' });
      const later = await ports(HOSTS.nas.mac);
      expect(later.ports.map(({ port }) => port)).toEqual([...HOSTS.nas.tcp]);
      expect(later.ports[0]).toMatchObject({ scan: one?.id, mode: 'normal', firstSeenAt: nas.ports[0]?.firstSeenAt });
    });
  });
});
