import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ARCHITECTURE, buildPackages } from '../../support/packages.ts';
import { makeTestFolder, type TestFolder } from '../../support/test-folder.ts';
import { becomes, left, openAsk, passes, startSystem as startSystemOn } from './on-host.ts';
import { FOLDER, LAN, startTestHost, type TestHost, testHostSupport } from './test-host.ts';

const URL = 'http://127.0.0.1:8787';
const STATE = '/var/lib/lanreach-agent';
/** Any user but root, as systemd would make one up. */
const USER = '61234';
/** What the kernel holds the service to, where no systemd does. */
const AS_SERVICE = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', '--no-new-privs'].concat(
  ['inh-caps', 'ambient-caps', 'bounding-set'].map((set) => `--${set}=-all,+net_raw`),
);

const support = { systemd: testHostSupport('systemd'), none: testHostSupport('none') };
for (const [init, why] of Object.entries(support)) {
  if (why !== null) console.warn(`The package is not installed on a test host (init: ${init}): ${why}`);
}

const isSupported = Object.values(support).includes(null);
let temporary: TestFolder;
let folder: string;
/** The .deb as a host finds it, or why there is none. */
let made: { deb: string } | { missing: string } = { missing: 'no host to install it on' };

beforeAll(async () => {
  if (!isSupported) return;
  temporary = makeTestFolder();
  folder = temporary.path;
  const only = ['--of', 'agent', '--only', 'deb', '--architecture', ARCHITECTURE, '--compression', 'none'];
  const files = await buildPackages(folder, ...only);
  made = typeof files === 'string' ? { missing: files } : { deb: join(FOLDER, basename(files[0] ?? '')) };
}, 120_000);
afterAll(async () => {
  if (isSupported) await temporary.remove();
});

/** `npm start` on the host, and the site `cabin`. */
async function startSystem(host: TestHost): Promise<void> {
  await startSystemOn(host);
  expect(await ask(host, 'POST', '/sites', { id: 'cabin' })).toMatchObject({ status: 201 });
}

const ask = (host: TestHost, method: string, path: string, body?: unknown) => openAsk(host, URL)(method, path, body);

async function enrolmentCode(host: TestHost): Promise<string> {
  const { json } = await ask(host, 'POST', '/sites/cabin/agents', { name: 'main', replace: true });
  return String(json.code);
}

async function agentState(host: TestHost): Promise<string> {
  const { json } = await ask(host, 'GET', '/sites/cabin/agents');
  return (json.agents as { state: string }[])[0]?.state ?? 'none';
}

const online = (host: TestHost) => becomes('online', () => agentState(host));

/** Every tool that needs nobody on the internet. */
async function useTools(host: TestHost): Promise<void> {
  const scan = await ask(host, 'POST', '/nettools/nmap', { scan: '127.0.0.1', mode: 'fast' });
  // Only a SYN scan hears of resets; one by connect() would say conn-refused.
  expect(scan).toMatchObject({
    status: 200,
    json: { output: expect.arrayContaining([expect.stringMatching(/reset/)]) },
  });
  const lan = await ask(host, 'POST', '/nettools/nmap', { scan: LAN.network.replace(/\/24$/, '/30'), mode: 'fast' });
  expect(lan).toMatchObject({ status: 200, json: { result: { hostsUp: 1 } } });
  const trace = await ask(host, 'POST', '/nettools/traceroute', { devLastIP: LAN.address });
  expect(trace).toMatchObject({ status: 200, json: { result: { reached: true } } });
  expect(await ask(host, 'POST', '/nettools/nslookup', { devLastIP: 'localhost' })).toMatchObject({ status: 200 });
  expect(await ask(host, 'GET', '/nettools/interfaces')).toMatchObject({
    status: 200,
    json: { interfaces: { lan0: { ipv4: [`${LAN.address}/24`] } } },
  });
  const magic = await ask(host, 'POST', '/nettools/wakeonlan', { devMac: '00:1E:06:AA:BB:01' });
  expect(magic).toMatchObject({ status: 200 });
}

describe.skipIf(support.none !== null)(
  'on a host where no systemd runs',
  { timeout: 240_000, concurrent: true },
  () => {
    test('it is installed, does its work with the rights of the service, and leaves nothing behind', async (context) => {
      if ('missing' in made) return context.skip(made.missing);
      const { deb } = made;
      await using host = await startTestHost('none', folder);
      const before = await host.changes();

      await passes(host, 'dpkg', '--install', deb);
      expect(await left(host, before)).toContain('new /usr/bin/lanreach-agent');
      expect(await passes(host, 'lanreach-agent', '--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
      expect(await host.run('lanreach-agent', 'run')).toMatchObject({ code: 2, stderr: /not enrolled/ });

      await startSystem(host);
      await passes(host, 'lanreach-agent', 'enrol', await enrolmentCode(host), '--url', URL);
      await passes(host, 'chown', '--recursive', `${USER}:${USER}`, STATE);
      host.start(...AS_SERVICE, 'env', `LANREACH_AGENT_DATA=${STATE}`, 'lanreach-agent', 'run');
      await online(host);
      await useTools(host);
      const report = JSON.parse(await passes(host, 'lanreach-agent', 'doctor', '--json'));
      expect(report).toMatchObject({ ok: true });
      expect(report.findings.map(({ check }: { check: string }) => check)).toContain('clock');
      expect(report.findings.filter(({ state }: { state: string }) => state !== 'ok')).toEqual([]);

      await passes(host, 'sh', '-c', `kill $(pgrep --uid ${USER} --oldest)`);
      await becomes('', async () => (await host.run('pgrep', '--uid', USER)).stdout);

      await passes(host, 'dpkg', '--install', deb);
      expect(await passes(host, 'cat', `${STATE}/identity.json`)).toContain('cabin:main');
      await passes(host, 'dpkg', '--remove', 'lanreach-agent');
      expect(await passes(host, 'cat', `${STATE}/identity.json`, '/etc/lanreach-agent/policy.json')).toContain('cabin');
      await passes(host, 'dpkg', '--purge', 'lanreach-agent');
      expect(await left(host, before)).toEqual([]);
    });
  },
);

describe.skipIf(support.systemd !== null)(
  'on a host where systemd runs',
  { timeout: 240_000, concurrent: true },
  () => {
    test('one pasted line starts the service; upgrade keeps, remove stops, purge leaves nothing', async (context) => {
      if ('missing' in made) return context.skip(made.missing);
      const { deb } = made;
      await using host = await startTestHost('systemd', folder);
      const before = await host.changes();
      const show = async (property: string, unit = 'lanreach-agent.service') =>
        (await passes(host, 'systemctl', 'show', `--property=${property}`, '--value', unit)).trim();

      await passes(host, 'dpkg', '--install', deb);
      expect([await show('ActiveState'), await show('ActiveState', 'lanreach-agent.path')]).toEqual([
        'inactive',
        'active',
      ]);
      expect(await show('UnitFileState')).toBe('enabled');

      await startSystem(host);
      await passes(host, 'lanreach-agent', 'enrol', await enrolmentCode(host), '--url', URL);
      await online(host);
      expect(await show('ActiveState')).toBe('active');
      await useTools(host);
      const report = JSON.parse(await passes(host, 'lanreach-agent', 'doctor', '--json'));
      expect(report.findings.filter(({ state }: { state: string }) => state !== 'ok')).toEqual([]);
      const status = await passes(host, 'sh', '-c', `cat /proc/${await show('MainPID')}/status`);
      expect(status).toMatch(/^CapBnd:\s*0*2000$/m);
      expect(status).toMatch(/^Seccomp:\s*2$/m);
      expect(status).not.toMatch(/^Uid:\s*0\b/m);
      const scan = ask(host, 'POST', '/nettools/nmap', { scan: '127.0.0.0/24', mode: 'normal' });
      // A lower priority than that of the service, which the filter of system calls has to let it set.
      await becomes('5', async () => (await host.run('ps', '-C', 'nmap', '-o', 'ni=')).stdout.trim());
      await scan;

      await passes(host, 'systemctl', 'stop', 'lanreach-agent.service');
      expect([await show('Result'), await show('ActiveState')]).toEqual(['success', 'inactive']);
      // Root writes another identity, the service's user can read it, and the service starts once more by itself.
      await passes(host, 'lanreach-agent', 'enrol', await enrolmentCode(host), '--url', URL);
      await becomes('active', () => show('ActiveState'));
      await online(host);

      const first = await show('MainPID');
      await passes(host, 'dpkg', '--install', deb);
      expect(await show('MainPID')).not.toBe(first);
      await becomes('active', () => show('ActiveState'));
      await online(host);

      await passes(host, 'dpkg', '--remove', 'lanreach-agent');
      expect([await show('ActiveState'), await show('ActiveState', 'lanreach-agent.path')]).toEqual([
        'inactive',
        'inactive',
      ]);
      expect(await passes(host, 'cat', `${STATE}/identity.json`)).toContain('cabin:main');
      await passes(host, 'dpkg', '--purge', 'lanreach-agent');
      expect(await passes(host, 'systemctl', 'list-units', '--all', '--no-legend', 'lanreach*')).toBe('');
      expect(await left(host, before)).toEqual([]);
    });
  },
);
