import { expect } from 'vitest';
import {
  becomes,
  describeDeb,
  expectHardened,
  left,
  openAsk,
  passes,
  startSystem as startSystemOn,
  unitOn,
} from './on-host.ts';
import { LAN, type TestHost } from './test-host.ts';

const URL = 'http://127.0.0.1:8787';
const STATE = '/var/lib/lanreach-agent';
/** Any user but root, as systemd would make one up. */
const USER = '61234';
/** What the kernel holds the service to, where no systemd does. */
const AS_SERVICE = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', '--no-new-privs'].concat(
  ['inh-caps', 'ambient-caps', 'bounding-set'].map((set) => `--${set}=-all,+net_raw`),
);

const onHost = describeDeb('agent', 240_000);

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

onHost(
  'none',
  'it is installed, does its work with the rights of the service, and leaves nothing behind',
  async (host, deb) => {
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
  },
);

onHost(
  'systemd',
  'one pasted line starts the service; upgrade keeps, remove stops, purge leaves nothing',
  async (host, deb) => {
    const before = await host.changes();
    const show = unitOn(host, 'lanreach-agent.service');

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
    expectHardened(await passes(host, 'cat', `/proc/${await show('MainPID')}/status`));
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
  },
);
