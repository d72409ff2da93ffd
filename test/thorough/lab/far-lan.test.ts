/** A second LAN behind a router, whose Kea the agent reads: it has no address there, and sends nothing there. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type * as z from 'zod';
import type { ListedDevice } from '../../../shared/api/device-list.ts';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { Agent } from '../../../shared/api/records.ts';
import { type CloudSide, program, startCloudSide } from '../../lab/cloud-side.ts';
import { describeLab } from '../../lab/describe-lab.ts';
import { type Lab, type LabProcess, labSupport } from '../../lab/lab.ts';
import { HOSTS } from '../../lab/plan.ts';
import { linesOf } from '../../lab/system-inside.ts';
import { keaEnvironment, keaSettings, unpackDebian } from '../../support/debian.ts';
import { waitFor } from '../../support/wait-for.ts';

const SITE = 'far';
const PATIENCE_MS = 300_000;
const CLIENTS = { lamp: '02:AA:BB:00:00:01', 'bedroom-tv': '02:AA:BB:00:00:02' };
/** Known only by the lease of a server that says nothing of presence. */
const LEASED = '02:AA:BB:00:00:03';
const unpacked =
  labSupport() === null ? await unpackDebian('kea', ['kea-dhcp4-server', 'kea-ctrl-agent', 'busybox']) : { why: '' };
const root = 'root' in unpacked ? unpacked.root : null;

let cloud: CloudSide;
let kea: LabProcess[] = [];

async function prepare(lab: Lab): Promise<void> {
  if (root === null) return;
  const settings = keaSettings(root, lab.folder, { interfaces: ['eth1'], subnet: '10.77.2', host: '10.77.1.1' });
  await writeFile(join(lab.folder, 'dhcp4.json'), JSON.stringify(settings.server));
  await writeFile(join(lab.folder, 'agent.json'), JSON.stringify(settings.agent));
  const env = keaEnvironment(root, lab.folder);
  const start = async (name: string, config: string) => {
    const child = await lab.run([join(root, 'usr/sbin', name), '-c', join(lab.folder, config)], {
      host: 'router',
      env,
    });
    linesOf(child);
    return child;
  };
  kea = [await start('kea-dhcp4', 'dhcp4.json'), await start('kea-ctrl-agent', 'agent.json')];
  for (const [i, [name, mac]] of Object.entries(CLIENTS).entries()) {
    await lab.on(
      'farswitch',
      `ip link add c${i} address ${mac} type veth peer name p${i}
       ip link set p${i} master br0 up; ip link set c${i} up
       for try in $(seq 30); do
         ${root}/bin/busybox udhcpc -i c${i} -f -n -q -x hostname:${name} -s /bin/true && exit 0; sleep 1
       done; exit 1`,
    );
  }
  cloud = await startCloudSide(lab, SITE);
  await cloud.enrol('main');
  await addSource(lab, ['kea', '--url', 'http://10.77.1.1:8000', '--user', 'reader', '--every', '1'], 'secret\n');
  const leases = join(lab.folder, 'dnsmasq.leases');
  await writeFile(leases, `0 ${LEASED} 10.78.0.9 old-phone *\n`);
  await addSource(lab, ['dnsmasq', '--file', leases, '--every', '1']);
  await cloud.ask('PATCH', `/sites/${SITE}`, { discovery: { enabled: true, networks: 'auto', intervalSeconds: 30 } });
  await cloud.startAgent('main');
}

async function addSource(lab: Lab, args: string[], secrets = ''): Promise<void> {
  const env = { LANREACH_AGENT_DATA: join(lab.folder, 'main') };
  const adding = await lab.run([process.execPath, program('agent.js'), 'source', 'add', ...args], { env });
  const said = linesOf(adding);
  adding.stdin.end(secrets);
  expect((await adding.exited).code, said.join('\n')).toBe(0);
}

describeLab('a LAN behind a router', { timeout: 900_000, prepare }, (lab) => {
  const devices = async () =>
    (await cloud.ask<{ devices: z.infer<typeof ListedDevice>[] }>('GET', '/devices?fields=all')).devices;
  const deviceOf = async (mac: string) => (await devices()).find(({ devMac }) => devMac === mac);

  test.skipIf(root === null)(
    'its devices appear, named and present, and those of the own LAN beside them',
    async () => {
      await waitFor(
        'all devices',
        async () =>
          (await Promise.all([...Object.values(CLIENTS), LEASED, HOSTS.nas.mac].map(deviceOf))).every(Boolean),
        PATIENCE_MS,
      );
      for (const [name, mac] of Object.entries(CLIENTS)) {
        const device = await waitFor(`${name} with its name`, async () => {
          const found = await deviceOf(mac);
          return found?.devName === name ? found : undefined;
        });
        expect(device).toMatchObject({ devPresentLastScan: 1, watch: { state: 'watched' } });
        expect(device.devLastIP).toMatch(/^10\.77\.2\.1\d\d$/);
        const { observations } = await cloud.ask<{ observations: { source: string; value: string }[] }>(
          'GET',
          `/devices/${mac}/evidence`,
        );
        expect(observations).toContainEqual(expect.objectContaining({ source: 'known-by', value: 'kea (kea)' }));
      }
      const agent = await lab.run(['ip', '-4', '-o', 'addr']);
      const addresses = linesOf(agent);
      await agent.exited;
      expect(addresses.join('\n')).not.toContain('10.77.2.');
    },
  );

  test.skipIf(root === null)('a lease alone is a device that is not monitored', async () => {
    const leased = await waitFor('its name', async () => {
      const found = await deviceOf(LEASED);
      return found?.devName === 'old-phone' ? found : undefined;
    });
    expect(leased).toMatchObject({ devPresentLastScan: 0, watch: { state: 'never-watched' }, devLastIP: '10.78.0.9' });
  });

  test.skipIf(root === null)(
    'Kea stops: a problem of the agent, and its devices are not monitored, not offline',
    async () => {
      for (const each of kea) await each.kill('SIGKILL');
      const problem = async () => {
        const { agents } = await cloud.ask<{ agents: Agent[] }>('GET', `/sites/${SITE}/agents`);
        return agents[0]?.discovery?.problem ?? '';
      };
      await waitFor(
        'the problem',
        async () => (await problem()).includes('source kea (kea): 10.77.1.1:8000'),
        PATIENCE_MS,
      );
      const mac = CLIENTS.lamp;
      await waitFor(
        'the end of monitoring',
        async () => (await deviceOf(mac))?.watch.state === 'unwatched',
        PATIENCE_MS,
      );
      expect(await deviceOf(mac)).toMatchObject({ devPresentLastScan: 1 });
      expect(await deviceOf(HOSTS.nas.mac)).toMatchObject({ devPresentLastScan: 1, watch: { state: 'watched' } });
      const { events } = await cloud.ask<{ events: DeviceEvent[] }>('GET', '/events?limit=1000');
      expect(events.map(({ type }) => type)).not.toContain('offline');
    },
  );
});
