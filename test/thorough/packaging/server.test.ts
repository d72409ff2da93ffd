/** The .deb of the server, on bare hosts: from its installation to a list of devices, an upgrade, and its end. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect } from 'vitest';
import { PERMIT_HEADER } from '../../../shared/agent/proof.ts';
import { ROOT } from '../../support/packages.ts';
import { becomes, describeDeb, expectHardened, left, passes, unitOn } from './on-host.ts';
import { LAN, PROJECT, type TestHost } from './test-host.ts';

const URL = 'http://127.0.0.1:8787';
const NODE = '/usr/lib/lanreach-server/node';
const DATA = '/var/lib/lanreach-server';
/** What is there is lost with the host. */
const BACKUP = '/tmp/lanreach.tar.gz';
const SERVICE = 'lanreach-server.service';
/** What `scripts/packaging/system/Containerfile` says, which no test can build. */
const container = readContainerfile();
/** A device of the LAN, which answers and has no more to say. */
const DEVICE = { address: '192.168.77.9', mac: '02:00:5E:00:53:09' };
const READY_WITHIN_MS = 60_000;

function readContainerfile() {
  const text = readFileSync(join(ROOT, 'scripts', 'packaging', 'system', 'Containerfile'), 'utf8');
  const line = (instruction: string) => new RegExp(`^${instruction} (.*)$`, 'm').exec(text)?.[1] ?? '';
  const [, ...command] = JSON.parse(line('ENTRYPOINT')) as string[];
  return {
    environment: line('ENV').split(' '),
    volume: line('VOLUME'),
    /** What the script starts that is named first. */
    command,
    healthCheck: JSON.parse(line(' +CMD')) as string[],
    user: '10001',
  };
}

const onHost = describeDeb('server', 300_000);

/** A request with the server's own Node.js: the host has no other. */
const GET = `
  fetch(process.argv[1], { headers: JSON.parse(process.argv[2]) }).then(async (answer) => {
    const body = Buffer.from(await answer.arrayBuffer()).toString('base64');
    console.log(JSON.stringify({ status: answer.status, type: answer.headers.get('content-type'), body }));
  }, () => console.log(JSON.stringify({ status: 0, type: null, body: '' })));
`;

async function get(host: TestHost, path: string, headers: Record<string, string> = {}) {
  const answer = JSON.parse(await passes(host, NODE, '-e', GET, URL + path, JSON.stringify(headers)));
  return { ...answer, body: Buffer.from(answer.body, 'base64') } as { status: number; type: string; body: Buffer };
}

/** Ready also means that the agent of this host is connected. */
const ready = (host: TestHost) =>
  becomes('200', async () => String((await get(host, '/health/ready')).status), READY_WITHIN_MS);

/** What the command line, run by root, says as JSON. Beside the .deb's service it needs no setting. */
async function lanreach(host: TestHost, environment: string[], ...argv: string[]): Promise<Record<string, unknown>> {
  return JSON.parse(await passes(host, 'env', ...environment, 'lanreach', ...argv, '--json'));
}

/** Puts a device on the LAN of the host: one end of its cable goes into a network of its own. */
async function addDevice(host: TestHost): Promise<void> {
  const device = host.start('unshare', '--net', 'sh', '-c', 'echo $$; exec sleep infinity');
  const [said] = (await once(device.stdout as Readable, 'data')) as [Buffer];
  const pid = said.toString().trim();
  const at = (...argv: string[]) => passes(host, 'nsenter', `--target=${pid}`, '--net', 'ip', ...argv);
  await passes(host, 'ip', 'link', 'set', 'lan1', 'netns', pid);
  await at('link', 'set', 'lan1', 'address', DEVICE.mac);
  await at('addr', 'add', `${DEVICE.address}/24`, 'dev', 'lan1');
  await at('link', 'set', 'lan1', 'up');
}

/** Everything that a browser, an agent of another host, and a person ask of a server that has just been installed. */
async function looksComplete(host: TestHost, environment: string[] = []): Promise<void> {
  const page = await get(host, '/console/');
  expect([page.status, page.type]).toEqual([200, 'text/html; charset=utf-8']);
  const [, script = ''] = /src="\.\/(assets\/[^"]+\.js)"/.exec(page.body.toString()) ?? [];
  expect(await get(host, `/console/${script}`)).toMatchObject({
    status: 200,
    type: expect.stringMatching(/javascript/),
  });
  for (const path of ['/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/openapi.json'])
    expect([path, (await get(host, path)).status]).toEqual([path, 200]);

  const release = JSON.parse((await get(host, '/agent/release.json')).body.toString());
  expect(release.files.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['npm', 'program']);
  const { code } = await lanreach(host, environment, 'agent', 'enrol', '--site', 'home', '--name', 'other');
  for (const { name, sha256 } of release.files) {
    const { body } = await get(host, `/agent/packages/${name}`, { [PERMIT_HEADER]: String(code) });
    expect([name, createHash('sha256').update(body).digest('hex')]).toEqual([name, sha256]);
  }
  expect((await get(host, '/agent/install.sh')).body.toString()).toContain('-----BEGIN PUBLIC KEY-----');

  const agents = await lanreach(host, environment, 'agent', 'list');
  expect(agents).toMatchObject({ agents: [{ id: 'home:main', state: 'online' }] });
  expect(await passes(host, 'lanreach-server', '--help')).toMatch(/^Usage: lanreach-server \[--help \| --version\]\n/);
}

async function findsTheDevice(host: TestHost, environment: string[] = []): Promise<void> {
  const look = async () => {
    const { devices } = (await lanreach(host, environment, 'devices', 'list')) as { devices: { devMAC: string }[] };
    return devices.some(({ devMAC }) => devMAC === DEVICE.mac) ? 'there' : JSON.stringify(devices);
  };
  await becomes('there', look, 90_000);
}

onHost(
  'none',
  'it gives up root as in its container, where its health is reported; purge leaves nothing',
  async (host, deb) => {
    await addDevice(host);
    const before = await host.changes();

    expect(await passes(host, 'dpkg', '--install', deb)).toContain(`${DATA}/api-token`);
    const environment = [...container.environment, `DISCOVER=${LAN.network}`];
    host.start('env', ...environment, 'sh', `${PROJECT}/scripts/packaging/container-entry.sh`, ...container.command);
    await ready(host);
    expect(await host.run(...container.healthCheck)).toMatchObject({ code: 0 });
    const server = (await passes(host, 'pgrep', '--uid', container.user, '--oldest')).trim();
    expect(await passes(host, 'cat', `/proc/${server}/status`)).toMatch(/^CapBnd:\s*0*2000$/m);
    await looksComplete(host, container.environment);
    await findsTheDevice(host, container.environment);

    await passes(host, 'kill', server);
    await becomes('', async () => (await host.run('pgrep', '--uid', container.user)).stdout);
    expect(await host.run(...container.healthCheck)).toMatchObject({ code: 1 });
    await passes(host, 'dpkg', '--purge', 'lanreach-server');
    await passes(host, 'rm', '-r', container.volume);
    expect(await left(host, before)).toEqual([]);
  },
);

onHost(
  'systemd',
  'it runs under its hardening and finds devices; upgrade keeps all, purge leaves nothing',
  async (host, deb) => {
    await addDevice(host);
    const before = await host.changes();
    const show = unitOn(host, SERVICE);

    await passes(host, 'dpkg', '--install', deb);
    expect([await show('ActiveState'), await show('UnitFileState')]).toEqual(['active', 'enabled']);
    await ready(host);
    expectHardened(await passes(host, 'cat', `/proc/${await show('MainPID')}/status`));
    await looksComplete(host);

    // A file that only root can read: systemd gives the service what stands in it.
    await passes(host, 'sh', '-c', `echo DISCOVER=${LAN.network} >>/etc/default/lanreach-server`);
    await passes(host, 'chmod', '600', '/etc/default/lanreach-server');
    await passes(host, 'systemctl', 'restart', SERVICE);
    await ready(host);
    await findsTheDevice(host);
    await passes(host, 'lanreach', 'devices', 'set', DEVICE.mac, '--name', 'nas');
    // The agent opens raw sockets with the one right that the service has.
    expect(await lanreach(host, [], 'nmap', DEVICE.address, '--mode', 'fast')).toMatchObject({
      result: { hostsUp: 1 },
    });

    const [pid, token] = [await show('MainPID'), await passes(host, 'cat', `${DATA}/api-token`)];
    await passes(host, 'dpkg', '--install', deb);
    expect(await show('MainPID')).not.toBe(pid);
    await ready(host);
    expect(await passes(host, 'cat', `${DATA}/api-token`)).toBe(token);
    expect(await lanreach(host, [], 'devices', 'show', DEVICE.mac)).toMatchObject({ devName: 'nas' });

    // As lanreach-server(8) says it.
    await passes(host, 'lanreach', 'backup', '--output', BACKUP);
    await passes(host, 'systemctl', 'stop', SERVICE);
    await passes(host, 'rm', '-r', '/var/lib/private/lanreach-server', DATA);
    await passes(host, 'lanreach', 'restore', BACKUP);
    await passes(host, 'systemctl', 'start', SERVICE);
    await ready(host);
    expect(await passes(host, 'cat', `${DATA}/api-token`)).toBe(token);
    expect(await lanreach(host, [], 'devices', 'show', DEVICE.mac)).toMatchObject({ devName: 'nas' });

    await passes(host, 'dpkg', '--remove', 'lanreach-server');
    expect([await show('ActiveState'), await show('Result')]).toEqual(['inactive', 'success']);
    expect(await passes(host, 'cat', `${DATA}/api-token`)).toBe(token);
    await passes(host, 'dpkg', '--purge', 'lanreach-server');
    expect(await passes(host, 'systemctl', 'list-units', '--all', '--no-legend', 'lanreach*')).toBe('');
    expect(await left(host, before)).toEqual([]);
  },
);
