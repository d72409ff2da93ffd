/** Sources against the servers themselves, as Debian packages them, in a network namespace without an uplink. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runToEnd } from '../../../local/child-process.ts';
import { readConfig } from '../../../local/config.ts';
import { labSupport } from '../../lab/lab.ts';
import { keaEnvironment, keaSettings, unpackDebian } from '../../support/debian.ts';
import { ROOT } from '../../support/packages.ts';
import { makeTestFolder } from '../../support/test-folder.ts';

const AGENT = `"${process.execPath}" "${join(ROOT, 'dist/agent.js')}"`;
const unpacked =
  labSupport() === null
    ? await unpackDebian('kea', ['kea-dhcp4-server', 'kea-ctrl-agent', 'busybox'])
    : { why: labSupport() };
if ('why' in unpacked) console.warn(`Not tested: sources against Debian's servers: ${unpacked.why}`);
const root = 'root' in unpacked ? unpacked.root : '';
const folder = makeTestFolder();

/** The output of a script in a network namespace of its own; all that it starts ends with it. */
async function inside(script: string, more: Record<string, string> = {}): Promise<string> {
  const env = { ...readConfig().childEnvironment, LANREACH_AGENT_DATA: join(folder.path, 'agent'), ...more };
  const way = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const { code, output } = await runToEnd(
    ['unshare', ...way, '--net', '--pid', '--fork', '--kill-child', 'sh', '-ec', `ip link set lo up\n${script}`],
    { env, timeoutMs: 200_000 },
  );
  expect(output, 'the script').toBeTruthy();
  if (code !== 0) throw new Error(output);
  return output;
}

/** Waits until a file or socket is there. */
const until = (path: string) => `for i in $(seq 600); do [ -e "${path}" ] && break; sleep 0.1; done`;

beforeAll(() => mkdir(join(folder.path, 'kea'), { recursive: true }));

test.skipIf(root === '')('Kea: 1,500 leases in pages, by a password; and the same from its file', async () => {
  const state = join(folder.path, 'kea');
  const settings = keaSettings(root, state, {});
  await writeFile(join(state, 'dhcp4.json'), JSON.stringify(settings.server));
  await writeFile(join(state, 'agent.json'), JSON.stringify(settings.agent));
  const expire = Math.floor(Date.now() / 1000) + 550;
  const rows = Array.from({ length: 1_500 }, (_, i) => {
    const [a, b] = [i >> 8, i & 255];
    const mac = ['02', 'aa', '00', '00', a, b].map((each) =>
      typeof each === 'string' ? each : each.toString(16).padStart(2, '0'),
    );
    return `10.9.${a}.${b},${mac.join(':')},,600,${expire},1,0,0,host-${i}&#x2c.lan,0,`;
  });
  const header =
    'address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,user_context';
  await writeFile(join(state, 'kea-leases4.csv'), [header, ...rows, ''].join('\n'));
  const add = `${AGENT} source add kea --url http://127.0.0.1:8000`;
  const output = await inside(
    `"${root}/usr/sbin/kea-dhcp4" -c "${state}/dhcp4.json" &
     ${until(join(state, 'kea4.sock'))}
     "${root}/usr/sbin/kea-ctrl-agent" -c "${state}/agent.json" &
     for i in $(seq 600); do ${add} </dev/null 2>&1 | grep -q 401 && break; sleep 0.2; done
     echo secret | ${add} --user reader
     printf wrong | ${add} --name wrong --user reader 2>&1 || true
     ${AGENT} source add kea-file --file "${state}/kea-leases4.csv"
     ${AGENT} source list`,
    keaEnvironment(root, state),
  );
  const brings = /It knows 1500 hosts: 1500 with a name \(0 by a person\), 1500 seen within 15 minutes/g;
  expect(output.match(brings)).toHaveLength(2);
  expect(output).toContain('Kea rejects the user or the password (401)');
  expect(output).toContain('kea (Kea (HTTP)), every 5 min: --url http://127.0.0.1:8000 --user reader --password (set)');
  expect(output).not.toContain('secret');
});

test.skipIf(root === '')('dnsmasq: a client that has just got its address, by IPv4', async () => {
  const leases = join(folder.path, 'dnsmasq.leases');
  const output = await inside(
    `ip link add v0 type veth peer name v1 address 02:aa:bb:00:00:07
     ip addr add 10.9.0.1/24 dev v0; ip link set v0 up; ip link set v1 up
     dnsmasq --no-daemon --conf-file=/dev/null --no-resolv --no-hosts --pid-file= --port=0 --interface=v0 --bind-interfaces \
       --dhcp-range=10.9.0.50,10.9.0.99,1h --dhcp-leasefile="${leases}" 2>/dev/null &
     for i in $(seq 30); do
       "${root}/bin/busybox" udhcpc -i v1 -f -n -q -x hostname:lamp -s /bin/true 2>/dev/null && break; sleep 1
     done
     ${AGENT} source add dnsmasq --file "${leases}"
     cat "${leases}"`,
  );
  expect(output).toContain('It knows 1 host: 1 with a name (0 by a person), 0 seen within 15 minutes');
  expect(output).toMatch(/^\d+ 02:aa:bb:00:00:07 10\.9\.0\.\d+ lamp /m);
});
