/** Builds and holds the LAN of `plan.ts` beside this file. All hosts but the agent's, the router and the switch are off. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forwardConnections, hold, makeNamespaces, plug, SWITCH, shell } from '../namespaces.ts';
import { AGENT, AP, CORE, HOSTILE, HOSTS, METADATA, ROUTER } from './plan.ts';

const folder = process.argv[2] ?? '/nonexistent';

async function build(): Promise<{ shaped: boolean }> {
  await writeFile(join(folder, 'resolv.conf'), `nameserver ${ROUTER.ipv4}\nsearch fritz.box\n`);
  await shell(
    null,
    `mount --bind ${folder}/resolv.conf "$(readlink -f /etc/resolv.conf)"
     mount -t sysfs sysfs /sys 2>/dev/null || true`,
  );
  const hosts = [ROUTER, ...HOSTS, HOSTILE];
  const of = await makeNamespaces(folder, ['core', 'ap', ...hosts.map(({ name }) => name)]);
  // Both have a management address of their own.
  for (const { name, mac } of [CORE, AP]) {
    await shell(of(name), `${SWITCH}; ip link set br0 address ${mac}; ip link set br0 type bridge mcast_snooping 0`);
  }
  await plug(null, 'eth0', AGENT.mac, of('core'), 'agent');
  await shell(null, `ip addr add ${AGENT.ipv4}/24 dev eth0; ip route add default via ${ROUTER.ipv4} dev eth0`);
  await plug(of('ap'), 'uplink', AP.mac.replace('78:01', '78:02'), of('core'), 'ap');
  await shell(of('ap'), 'ip link set uplink master br0 down');
  for (const { name, mac, ...rest } of hosts) {
    await plug(of(name), 'eth0', mac, of('behind' in rest && rest.behind === 'ap' ? 'ap' : 'core'), name);
    if (name !== 'router') await shell(of(name), 'ip link set eth0 down');
  }
  await shell(of('core'), `ip addr add ${CORE.ipv4}/24 dev br0; ip route add default via ${ROUTER.ipv4} dev br0`);
  await shell(of('router'), `ip addr add ${ROUTER.ipv4}/24 dev eth0; ip addr add ${METADATA}/32 dev lo`);
  await forwardConnections(join(folder, 'forward.sock'));
  return { shaped: false };
}

hold(folder, build);
