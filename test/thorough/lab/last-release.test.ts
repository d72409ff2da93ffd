/**
 * The programs of the last release beside those of today, as when a fleet is updated: each agent with the server of the other
 * release, in the lab, through everything that they say to each other; and an agent that is updated, or put back, with a result
 * that nobody has confirmed yet.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OLDEST_PROTOCOL_VERSION, PROTOCOL_VERSION } from '../../../shared/agent/messages.ts';
import { type ApiClient, openApiClient } from '../../api-client.ts';
import { type Lab, type LabProcess, labSupport, startLab } from '../../lab/lab.ts';
import { AGENT, bare, HOSTS, LAN, SERVER } from '../../lab/plan.ts';
import { lastReleaseObstacle, unpackLastRelease } from '../../support/last-release.ts';
import { makeTestFolder } from '../../support/test-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const unsupported = labSupport() ?? lastReleaseObstacle();
if (unsupported !== null) console.warn(`The last release is not tested: ${unsupported}`);

/** Folders of the programs. */
type Release = 'the last release' | 'today';
const programs: Record<Release, string> = { today: join(ROOT, 'dist'), 'the last release': '' };
const TOKEN = 'a-token-for-the-lab-only';
const CLOUD = bare(SERVER.ipv4);
const [API_PORT, BROKER_PORT] = [8787, 8883];
const SITE = 'flat';
const AGENT_ID = `${SITE}:main`;
/** A cycle of discovery, a run of a check, and some more on a slow machine. */
const PATIENCE_MS = 180_000;

describe.skipIf(unsupported !== null)('the last release', { timeout: 600_000 }, () => {
  const folder = makeTestFolder();
  beforeAll(async () => {
    const sources = await unpackLastRelease(folder.path);
    execFileSync(process.execPath, [join(sources, 'scripts', 'build.mjs')]);
    programs['the last release'] = join(sources, 'dist');
  });
  afterAll(() => folder.remove());

  let lab: Lab;
  let api: ApiClient;
  let server: LabProcess;
  let agent: LabProcess;
  /** What the agent has logged. */
  let said: string[];
  beforeEach(async () => {
    lab = await startLab();
    const base = `http://127.0.0.1:${await lab.forward(API_PORT, CLOUD)}`;
    api = openApiClient(base, TOKEN);
    return () => lab.close();
  });

  async function startServer(release: Release): Promise<void> {
    server = await lab.run([process.execPath, '--no-warnings', join(programs[release], 'local.js')], {
      host: 'server',
      cwd: lab.folder,
      env: {
        ...{ HOST: CLOUD, PORT: String(API_PORT), MQTT_PORT: String(BROKER_PORT), API_TOKEN: TOKEN },
        ...{ PATH: process.env.PATH ?? '', LANREACH_INSTALL: 'no', LANREACH_DATA: join(lab.folder, 'cloud') },
      },
    });
    const lines = linesOf(server);
    await waitFor(
      () => `the server:\n${lines.join('\n')}`,
      () => lines.some((line) => line.includes('Ctrl-C')),
    );
  }

  async function kill(process: LabProcess): Promise<void> {
    await process.kill('SIGKILL');
    await process.exited;
  }

  const state = () => join(lab.folder, 'agent-state');

  async function enrol(release: Release): Promise<void> {
    const { code } = await ask<{ code: string }>('POST', `/sites/${SITE}/agents`, { name: 'main' });
    const enrolment = await lab.run(
      [process.execPath, join(programs[release], 'agent.js'), 'enrol', '-', '--url', `http://${CLOUD}:${API_PORT}`],
      { env: { LANREACH_AGENT_DATA: state() } },
    );
    const lines = linesOf(enrolment);
    enrolment.stdin.end(code);
    if ((await enrolment.exited).code !== 0) throw new Error(lines.join('\n'));
  }

  async function startAgent(release: Release): Promise<void> {
    await runAgent(release);
    await becomes('online');
  }

  /** Starts it again when it fails, as its host does: that of 0.2.0 may fail at a start on a slow machine. */
  async function runAgent(release: Release): Promise<void> {
    const started = await lab.run([process.execPath, join(programs[release], 'agent.js')], {
      env: { LANREACH_AGENT_DATA: state() },
    });
    agent = started;
    said = linesOf(agent);
    started.exited.then(({ code }) => (code === 1 && agent === started ? runAgent(release) : undefined));
  }

  async function ask<T>(method: string, path: string, body?: object): Promise<T> {
    const { status, text, json } = await api.request(method, path, { site: SITE, ...(body && { body }) });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}\n${said?.join('\n')}`);
    return json as T;
  }

  async function shown(): Promise<Record<string, unknown>> {
    const { agents } = await ask<{ agents: { id: string }[] }>('GET', `/sites/${SITE}/agents`);
    return agents.find(({ id }) => id === AGENT_ID) ?? {};
  }

  const becomes = (wanted: string) =>
    waitFor(
      () => `agent ${wanted}:\n${said.join('\n')}`,
      async () => (await shown()).state === wanted,
      PATIENCE_MS,
    );

  const stateOf = async (path: string) => (await ask<{ state: string }>('GET', path)).state;

  async function begin(body: object): Promise<string> {
    const headers = { prefer: 'respond-async' };
    const {
      status,
      text,
      headers: answer,
    } = await api.request('POST', '/nettools/nmap', { site: SITE, headers, body });
    expect(status, text).toBe(202);
    return String(answer.get('location')?.split('/').at(-1));
  }

  /** Everything that a server and an agent say to each other. */
  async function sayEverything(): Promise<void> {
    expect(await ask('GET', '/nettools/interfaces')).toMatchObject({ success: true });
    expect(await ask('POST', '/nettools/traceroute', { devLastIP: CLOUD })).toMatchObject({ success: true });

    const stream = await api.stream('POST', '/nettools/nmap', {
      site: SITE,
      body: { scan: bare(HOSTS.nas.ipv4), mode: 'normal' },
    });
    await stream.first('output');
    await stream.ended;
    expect(stream.events.at(-1)).toMatchObject({ event: 'result', data: { state: 'succeeded' } });

    const long = await begin({ scan: LAN.ipv4, mode: 'skipdiscovery' });
    await ask('DELETE', `/jobs/${long}`);
    await waitFor('a cancelled job', async () => (await stateOf(`/jobs/${long}`)) === 'cancelled');

    const check = await ask<{ id: string }>('POST', '/checks', {
      ...{ kind: 'tcp', host: bare(HOSTS.nas.ipv4), port: 80, label: 'nas', everySeconds: 60 },
    });
    const scan = await ask<{ id: string }>('POST', '/scans', { range: '10.77.1.16/29', mode: 'fast' });
    await ask('PATCH', `/sites/${SITE}`, { discovery: { enabled: true, networks: 'auto', intervalSeconds: 30 } });
    let missing: string[] = [];
    const areAllThere = async () => {
      const { devices } = await ask<{ devices: { devMac: string }[] }>('GET', '/devices?fields=all');
      const found = devices.map(({ devMac }) => devMac);
      missing = [AGENT, ...Object.values(HOSTS)].map(({ mac }) => mac).filter((mac) => !found.includes(mac));
      return missing.length === 0;
    };
    await waitFor(() => `the devices ${missing.join()}`, areAllThere, PATIENCE_MS);
    await waitFor('the planned scan', async () => (await stateOf(`/scans/${scan.id}`)) === 'done', PATIENCE_MS);
    const stateOfCheck = async () => {
      const { checks } = await ask<{ checks: { id: string; state: string }[] }>('GET', '/checks');
      return checks.find(({ id }) => id === check.id)?.state;
    };
    await waitFor('the check', async () => (await stateOfCheck()) === 'up', PATIENCE_MS);
    expect(said.filter((line) => line.includes('cannot be understood') || line.includes('another version'))).toEqual(
      [],
    );
  }

  const unconfirmed = () => readdirSync(join(state(), 'spool')).filter((name) => name.endsWith('.json'));

  /** A command ends while its server is away, and then its agent is another one. */
  async function replaceAgent(next: Release, serverOf: Release): Promise<void> {
    const job = await begin({ scan: LAN.ipv4, mode: 'normal' });
    await kill(server);
    await waitFor('a result in the spool', () => unconfirmed().includes(`${job}.json`), PATIENCE_MS);
    await kill(agent);
    await startServer(serverOf);
    await startAgent(next);
    await waitFor('the result', async () => (await stateOf(`/jobs/${job}`)) === 'succeeded', PATIENCE_MS);
    await waitFor('an empty spool', () => unconfirmed().length === 0, PATIENCE_MS);
  }

  test('its agent works with the server of today; so does that of today in its place, with what it has left', async () => {
    await startServer('today');
    await ask('POST', '/sites', { id: SITE });
    await enrol('the last release');
    await startAgent('the last release');
    expect(await shown()).toMatchObject({ protocol: OLDEST_PROTOCOL_VERSION, problem: null });
    await sayEverything();
    await replaceAgent('today', 'today');
    expect(await shown()).toMatchObject({ protocol: PROTOCOL_VERSION, problem: null });
    expect(await ask('GET', '/nettools/interfaces')).toMatchObject({ success: true });
    await replaceAgent('the last release', 'today'); // The update was taken back.
    expect(await shown()).toMatchObject({ protocol: OLDEST_PROTOCOL_VERSION });
  });

  test('its server works with the agent of today', async () => {
    await startServer('the last release');
    await ask('POST', '/sites', { id: SITE });
    await enrol('today');
    await startAgent('today');
    await sayEverything();
  });
});

/** The lines that a process prints, as they come. */
function linesOf({ stdout, stderr }: LabProcess): string[] {
  const lines: string[] = [];
  for (const input of [stdout, stderr]) createInterface({ input }).on('line', (line) => lines.push(line));
  return lines;
}
