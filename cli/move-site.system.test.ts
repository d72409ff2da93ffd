/** A site goes from one running system to another, with the program of its agent, which is enrolled once. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readIdentities } from '../agent/identity/identity.ts';
import { startAgentProcess } from '../test/support/agent/agent-process.ts';
import { useCommandLine } from '../test/support/cli/command-line.ts';
import { becomes, type EnrolledAgent, enrolAgent } from '../test/support/enrolled-agent.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { startTestSystem, type TestSystem } from '../test/test-system.ts';
import { writeProfiles } from './client/profiles.ts';

const PROGRAM = join(import.meta.dirname, '..', 'dist', 'agent.js');

let east: TestSystem;
let west: TestSystem;
let enrolled: EnrolledAgent;
beforeAll(async () => {
  [east, west] = await Promise.all([startTestSystem(), startTestSystem()]);
  await east.request('POST', '/sites', { body: { id: 'cabin', name: 'Cabin by the lake', tags: ['customers'] } });
  await east.request('PATCH', '/sites/cabin', { body: { timeZone: 'Europe/Berlin', policy: { deny: ['speedtest'] } } });
  await east.importCsv('devName,devMAC\nprinter,00:1E:06:AA:BB:01\nnas,00:1E:06:AA:BB:02\n', 'cabin');
  enrolled = await enrolAgent(east, 'cabin', 'main');
  await writeFile(join(enrolled.folder, 'policy.json'), '{}');
});
afterAll(async () => {
  await east?.close();
  await west?.close();
  await enrolled?.[Symbol.asyncDispose]();
});
const { env, run } = useCommandLine(() => east);

/** As on a host whose operator has named no broker. */
const start = () => startAgentProcess(PROGRAM, [], { LANREACH_AGENT_DATA: enrolled.folder });
const devicesOf = async ({ request }: TestSystem) =>
  (await request('GET', '/devices/export?columns=all', { site: 'cabin' })).text;
const jobsOf = async ({ request }: TestSystem) =>
  ((await request('GET', '/jobs', { site: 'cabin' })).json as { jobs: { id: string }[] }).jobs.map(({ id }) => id);
const move = (...options: string[]) => run(['site', 'move', 'cabin', '--to-profile', 'west', ...options]);
const rename = ({ request }: TestSystem, devName: string) =>
  request('PATCH', '/devices/00:1E:06:AA:BB:01', { site: 'cabin', body: { devName } });
const command = ({ request }: TestSystem) => request('GET', '/nettools/interfaces', { site: 'cabin' });

test('a site stays when it is said before its agent could follow, and then goes with it, to stay there', async () => {
  const file = join(String(env().XDG_CONFIG_HOME), 'lanreach', 'config.json');
  writeProfiles(file, { current: null, profiles: { west: { url: west.url, token: west.token } } });
  const agent = start();
  try {
    await becomes(east, 'cabin:main', 'online');
    const before = await devicesOf(east);
    const identity = (await readIdentities(enrolled.folder)).current;

    // What would be done, and is not.
    expect((await move('--dry-run')).stderr).toContain('cabin:main');
    expect((await rename(east, 'printer')).status).toBe(200);

    // The west has no such site, and refuses the agent, which stays.
    expect((await east.request('POST', '/sites/cabin/move', { body: { to: west.url } })).status).toBe(200);
    const refused = await rename(east, 'lost');
    expect([refused.status, refused.json]).toMatchObject([421, { code: 'site_moved' }]);
    expect(refused.text).toContain(west.url);
    await waitFor('a refusal', () => agent.stderr().includes('cannot follow its site yet'));
    expect(await move('--undo')).toMatchObject({ code: 0 });
    expect((await rename(east, 'printer')).status).toBe(200);
    expect((await command(east)).status).toBe(200);
    expect(await readIdentities(enrolled.folder)).toEqual({ current: identity, next: null });

    const moved = await move();
    expect([moved.code, moved.stdout]).toEqual([0, 'cabin\n']);
    await becomes(west, 'cabin:main', 'online');
    await becomes(east, 'cabin:main', 'offline');
    const jobs = await jobsOf(east);
    expect(jobs).toHaveLength(1);
    expect(await jobsOf(west)).toEqual(jobs);
    expect((await command(west)).status).toBe(200);
    expect((await devicesOf(west)).split('\n').length).toBe(before.split('\n').length);
    expect(await devicesOf(west)).toBe(await devicesOf(east));
    expect((await west.request('GET', '/sites/cabin')).json).toMatchObject({
      ...{ name: 'Cabin by the lake', tags: ['customers'], timeZone: 'Europe/Berlin', policy: { deny: ['speedtest'] } },
    });
    expect((await west.request('GET', '/sites/cabin')).json).not.toHaveProperty('movedTo');
    expect((await rename(west, 'printer in the west')).status).toBe(200);

    // Here it can be read, and nothing else. Once the agent has left, it is too late to stay.
    expect((await rename(east, 'lost')).status).toBe(421);
    expect((await command(east)).status).toBe(421);
    expect(await move('--undo')).toMatchObject({ code: 1 });
    // Nothing is left to do, and nothing is done twice.
    expect(await move()).toMatchObject({ code: 0 });
    expect(await readFile(join(enrolled.folder, 'policy.json'), 'utf8')).toBe('{}');
    await waitFor('the end of the former certificate', async () => {
      const { current, next } = await readIdentities(enrolled.folder);
      return current.api === west.url && next === null;
    });
  } finally {
    await agent[Symbol.asyncDispose]();
  }

  // After a new start, and without the site in the east.
  expect(await run(['site', 'remove', 'cabin', '--yes'])).toMatchObject({ code: 0 });
  await becomes(west, 'cabin:main', 'offline');
  const again = start();
  try {
    await becomes(west, 'cabin:main', 'online');
    expect((await command(west)).status).toBe(200);
  } finally {
    await again[Symbol.asyncDispose]();
  }
});
