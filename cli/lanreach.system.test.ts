/** The program itself, against a system as `npm start` starts it. */
import { spawn } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { childEnvironment, readConfig } from '../local/config.ts';
import { type System, startSystem } from '../local/system.ts';
import { Job, jobs } from '../shared/api/jobs.ts';
import { shellWord } from '../shared/install-line.ts';
import { rows } from '../store/rows.ts';
import { startReceiver, status } from '../test/hooks/receiver.ts';
import { listenOnLoopback } from '../test/support/loopback.ts';
import { makeTestFolder, type TestFolder } from '../test/support/test-folder.ts';
import { PATIENT_ACK_MS } from '../test/test-system.ts';

/** Bundled before the tests begin. */
const PROGRAM = join(import.meta.dirname, '..', 'dist', 'cli.js');
const AGENT_PROGRAM = join(import.meta.dirname, '..', 'dist', 'agent.js');

let temporary: TestFolder;
let folder: string;
let system: System;

beforeAll(async () => {
  temporary = makeTestFolder();
  folder = temporary.path;
  const config = readConfig({
    ...childEnvironment(),
    PORT: '0',
    MQTT_PORT: '0',
    LANREACH_DATA: join(folder, 'data'),
    LANREACH_INSTALL: 'no',
    HOOKS_ALLOW_PRIVATE: 'yes',
  });
  system = await startSystem({ config, log: pino({ level: 'silent' }), ackWithinMs: PATIENT_ACK_MS });
});
afterAll(async () => {
  await system?.close();
  await temporary.remove();
});

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the program as somebody who has only set its URL, in the folder in which `npm start` runs. */
async function run(
  args: string[],
  {
    input = '',
    env = {},
    program = PROGRAM,
    command,
  }: { input?: string; env?: object; program?: string; command?: string } = {},
): Promise<Ran> {
  const [file, ...words] = command === undefined ? [process.execPath, program] : [command];
  const child = spawn(file, [...words, ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, 'config'),
      LANREACH_URL: system.url,
      LANREACH_DATA: 'data',
      ...env,
    },
    timeout: 180_000,
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, stdout, stderr };
}

/** Runs the program, which must succeed, and parses what it printed as JSON. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await run([...args, '--json']);
  expect([code, stderr.includes('lanreach:')]).toEqual([0, false]);
  return JSON.parse(stdout);
}

test('a login is kept as a profile, for its owner alone, and only with a token that is valid', async () => {
  const env = { XDG_CONFIG_HOME: join(folder, 'login'), LANREACH_DATA: 'elsewhere' };
  const file = join(folder, 'login', 'lanreach', 'config.json');
  const token = await readFile(join(folder, 'data', 'api-token'), 'utf8');
  const wrong = await run(['login', '--token-stdin'], { env, input: 'lr_0123456789abcdef.wrong' });
  expect(wrong.code).toBe(3);
  await expect(readFile(file)).rejects.toThrow('ENOENT');
  const login = await run(['login', '--profile', 'work', '--token-stdin'], { env, input: token });
  expect([login.code, login.stdout]).toEqual([0, '']);
  expect(login.stderr).toContain(system.url);
  expect(login.stderr).not.toContain(token.trim());
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const elsewhere = { ...env, LANREACH_URL: '' };
  expect((await run(['devices', 'totals'], { env: elsewhere })).code).toBe(0);
  const listed = await run(['profile', 'list', '--json'], { env: elsewhere });
  expect(JSON.parse(listed.stdout)).toEqual({ profiles: [{ name: 'work', url: system.url, current: true }] });
  expect((await run(['profile', 'use', 'home'], { env: elsewhere })).code).toBe(2);
  expect((await run(['logout'], { env: elsewhere })).code).toBe(0);
  expect((await run(['devices', 'totals'], { env: { ...env, LANREACH_URL: system.url } })).code).toBe(3);
  expect(await readFile(file, 'utf8')).not.toContain(token.trim());
});

test('a token is made, shown once, used and revoked', async () => {
  const made = await run('token create --name dash --scope devices:read --site home --expires 30d'.split(' '));
  expect(made.code).toBe(0);
  expect(made.stdout).toMatch(/^lr_[0-9a-f]{16}\.[\w-]{43}\n$/);
  expect(made.stderr).toMatch(/not shown again/);
  expect(made.stderr).not.toContain(made.stdout.trim());
  const token = made.stdout.trim();
  const id = token.slice(3, 19);

  const listed = await run(['token', 'list']);
  expect(listed.stdout).toMatch(new RegExp(`^${id}  dash +devices:read +home +home`, 'm'));
  expect(listed.stdout).not.toContain(token.slice(20));
  const { tokens } = await json('token', 'list');
  const { expiresAt } = tokens.find((row: { id: string }) => row.id === id);
  expect(Math.abs(Date.parse(expiresAt) - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000);

  // By every way in which a token may come.
  const file = join(folder, 'token');
  await writeFile(file, `${token}\n`);
  const ways = [
    await run(['devices', 'totals'], { env: { LANREACH_TOKEN: token } }),
    await run(['devices', 'totals', '--token-file', file]),
    await run(['--token-stdin', 'devices', 'totals'], { input: token }),
  ];
  expect(ways.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect((await run(['token', 'list', '--token-file', file])).code).toBe(3);
  const self = await run(['whoami', '--token-file', file]);
  expect(self).toMatchObject({ code: 0, stderr: '' });
  expect(self.stdout).toMatch(new RegExp(`^id +${id}\\nname +dash\\n(?:.+\\n)*scopes +devices:read\\nsites +home\\n`));
  expect(self.stdout).toContain(system.url);
  expect(self.stdout).not.toContain(token.slice(20));

  expect((await run(['token', 'revoke', id])).code).toBe(0);
  expect(await run(['devices', 'totals', '--token-file', file])).toMatchObject({
    code: 3,
    stdout: '',
    stderr: 'lanreach: This token is unknown here, or was revoked or has expired: lanreach login\n',
  });
  expect((await run(['token', 'revoke', id])).code).toBe(4);
});

test('whoever revokes a token is told how to stop the commands that go on', async () => {
  const made = await run('token create --name scanner --scope nettools:run --site home'.split(' '));
  const token = made.stdout.trim();
  const started = await fetch(`${system.url}/nettools/nmap`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ scan: '127.0.0.0/22', mode: 'normal' }), // Takes more than ten seconds.
  });
  const { id } = Job.parse(await started.json());
  const revoked = await run(['token', 'revoke', token.slice(3, 19)]);
  expect(revoked).toMatchObject({ code: 0, stdout: '' });
  const [, args = ''] = /^ {2}lanreach (job cancel .+)$/m.exec(revoked.stderr) ?? [];
  expect(args).toBe(`job cancel ${id}`);
  expect(await run(args.split(' '))).toMatchObject({ code: 0 });
});

test('all sites in one table, and as JSON', async () => {
  expect((await run(['site', 'add', 'annex', '--name', 'The annex'])).code).toBe(0);
  const shown = await run(['overview']);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  const [heading, ...lines] = shown.stdout.trimEnd().split('\n');
  expect(heading?.split(/ {2,}/)).toEqual([
    'SITE',
    'NAME',
    'DEVICES',
    'ONLINE',
    'DOWN',
    'NEW',
    'UNKNOWN',
    'AGENTS',
    'LAST CHANGE',
    'STALE SINCE',
  ]);
  const annex = lines.find((line) => line.startsWith('annex '))?.split(/ {2,}/);
  expect(annex).toEqual(['annex', 'The annex', '0', '0', '0', '0', '0', '0 of 0 online', 'none yet', '-']);
  expect(lines.find((line) => line.startsWith('home '))).toContain('1 of 1 online');
  const { sites, nextCursor } = await json('overview');
  expect(sites.map(({ id }: { id: string }) => id)).toEqual(lines.map((line) => line.split(' ')[0]));
  expect(nextCursor).toBeNull();
  expect((await run(['site', 'remove', 'annex', '--yes', 'The annex'])).code).toBe(0);
});

test('a token for all sites, with JSON', async () => {
  const args = 'token create --name ops --scope devices:read devices:write --all-sites --default-site home'.split(' ');
  expect(await json(...args)).toMatchObject({
    success: true,
    name: 'ops',
    scopes: ['devices:read', 'devices:write'],
    sites: '*',
    defaultSite: 'home',
    expiresAt: null,
  });
});

test('a site is added and listed; a second of its name is refused', async () => {
  const added = await run(['site', 'add', 'cabin', '--name', 'Cabin by the lake']);
  expect(added).toMatchObject({ code: 0, stdout: 'cabin\n' });
  expect((await run(['site', 'list'])).stdout).toMatch(
    /^ID +NAME +CREATED +DISCOVERY +STALE SINCE\ncabin +Cabin by the lake +20\S+ +off +-\n/,
  );
  expect((await json('site', 'list')).sites).toHaveLength(2);
  expect(await run(['site', 'add', 'cabin'])).toMatchObject({ code: 1, stdout: '' });
  expect((await run(['site', 'add', 'No Site'])).code).toBe(2);
});

test('an agent is announced with the one line to paste on its host', async () => {
  const made = await run(['agent', 'enrol', '--site', 'home', '--name', 'attic']);
  expect(made.code).toBe(0);
  expect(made.stdout).toMatch(new RegExp(`^lanreach-agent enrol lre_[\\w-]+ --url ${system.url}\n$`));
  expect(made.stderr).toContain('home:attic');
  expect(made.stderr).toMatch(/once, until 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d /);
  expect(made.stderr).toMatch(/this host only\. For another one: HOST=0\.0\.0\.0 npm start/);
  expect(await json('agent', 'enrol', '--site', 'home', '--name', 'attic')).toMatchObject({
    success: true,
    agent: 'home:attic',
    code: expect.stringMatching(/^lre_/),
    expiresAt: expect.any(String),
  });
  // Without a name it is the main one, and home has one.
  const taken = await run(['agent', 'enrol', '--site', 'home']);
  expect(taken).toMatchObject({ code: 1, stdout: '' });
  expect(taken.stderr).toMatch(/agent home:main exists already.*--replace/);
  const replacing = await run(['agent', 'enrol', '--site', 'home', '--replace']);
  expect(replacing).toMatchObject({ code: 0, stdout: expect.stringContaining('lanreach-agent enrol lre_') });
  expect(replacing.stderr).toContain('If there is an agent home:main when the code is used, it is disconnected');
  expect((await run(['agent', 'list'])).stdout).toMatch(/^home:main +online /m);
  expect((await json('agent', 'list', '--site', 'home')).agents[0]).toMatchObject({ id: 'home:main' });
  expect((await run(['agent', 'list', '--site', 'nowhere'])).code).toBe(3);
});

test('updates of a site are set, shown, and refused as what they are not; a release that stopped goes on', async () => {
  await run(['site', 'add', 'updated']);
  const set = (...options: string[]) => run(['site', 'set', 'updated', ...options]);
  expect((await run(['site', 'show', 'updated'])).stdout).toMatch(/^updates +notify$/m);
  expect((await set('--updates', 'auto', '--update-window', '22:00-06:00')).stdout).toMatch(
    /^updates +auto, 22:00-06:00$/m,
  );
  expect((await set('--update-window', '')).stdout).toMatch(/^updates +auto$/m);
  for (const options of [
    ['--updates', 'sometimes'],
    ['--update-window', 'at night'],
  ])
    expect(await set(...options)).toMatchObject({ code: 2, stdout: '' });
  const failures = [{ agent: 'updated:attic', reason: 'it died', at: Date.UTC(2026, 10, 26) }];
  const ring = { ring: 1, since: Date.now(), size: 1, well: 0, early: {}, underWay: {} } as const;
  const { write } = await system.parts.context.rollOuts.read({ consistent: true });
  await write({ version: '0.9.0', state: 'stopped', ...ring, failures });
  const shown = (await run(['update', 'show'])).stdout;
  expect(shown).toMatch(/^rolled out +0\.9\.0, stopped$/m);
  expect(shown).toMatch(/^updated:attic +failed at 2026-11-26T00:00:00\.000Z: it died$/m);
  expect((await run(['update', 'go-on', '0.9.0'])).stdout).toMatch(/^rolled out +0\.9\.0, going$/m);
  expect((await run(['update', 'give-up', '0.9.0'])).stdout).toMatch(/^rolled out +0\.9\.0, given-up$/m);
  expect((await run(['update', 'go-on', '0.9.1'])).code).toBe(1);
});

test('an agent is enrolled with that line, revoked, and enrolled again', async () => {
  await run(['site', 'add', 'shed']);
  const enrol = async (state: string) => {
    const line = (await run(['agent', 'enrol', '--site', 'shed'])).stdout.trim();
    const [, ...args] = line.split(' ');
    return run(args, { program: AGENT_PROGRAM, env: { LANREACH_AGENT_DATA: join(folder, state) } });
  };
  expect(await enrol('first')).toMatchObject({ code: 0 });
  expect((await json('agent', 'list', '--site', 'shed')).agents).toMatchObject([{ id: 'shed:main' }]);
  const revoked = await run(['agent', 'revoke', 'shed:main']);
  expect(revoked).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('shed:main is revoked') });
  expect((await json('agent', 'list', '--site', 'shed')).agents).toEqual([]);
  expect(await run(['agent', 'revoke', 'shed:main'])).toMatchObject({ code: 4, stdout: '' });
  expect((await run(['agent', 'revoke', 'elsewhere:main'])).code).toBe(3);
  expect(await enrol('second')).toMatchObject({ code: 0 });
});

test('devices come in, are listed, found and counted, and go out again', async () => {
  await run(['site', 'add', 'barn']);
  const file = join(folder, 'devices.csv');
  const csv =
    'devName,devMAC,devIP,devType,devFavorite,devStatus\r\n' +
    'router,00:1E:06:AA:BB:00,192.168.1.1,Router,1,online\r\n' +
    '"nas, big",00:1E:06:AA:BB:01,192.168.1.20,NAS,0,down\r\n';
  await writeFile(file, `${csv}broken\r\n`);
  const at = ['--site', 'barn'];
  const tried = await run(['devices', 'import', file, '--dry-run', ...at]);
  expect(tried.stdout).toBe('new      2\nupdated  0\ndeleted  0\n');
  const came = await run(['devices', 'import', file, ...at]);
  expect(came).toMatchObject({ code: 0, stdout: 'new      2\nupdated  0\ndeleted  0\n' });
  expect(came.stderr).toMatch(/^line 4 was skipped: /);

  expect((await run(['devices', 'list', ...at])).stdout).toBe(
    'MAC                IP            STATUS              LAST SEEN  TYPE    NAME\n' +
      '00:1E:06:AA:BB:00  192.168.1.1   online as imported  -          Router  ★ router\n' +
      '00:1E:06:AA:BB:01  192.168.1.20  down as imported    -          NAS     nas, big\n',
  );
  expect((await run(['devices', 'list', '--status', 'down', ...at])).stdout).toMatch(/nas, big\n$/);
  const listed = async (...options: string[]): Promise<string[]> => {
    const answer = await json('devices', 'list', ...options, ...at);
    return answer.devices.map(({ devName }: { devName: string }) => devName);
  };
  expect(await listed('--sort', '-mac')).toEqual(['nas, big', 'router']);
  expect(await listed('--type', 'Router', '--search', 'aa:bb')).toEqual(['router']);
  expect(await listed('--type', '')).toEqual([]);
  expect(await listed('--group', '', '--vendor', '', '--status', 'down')).toEqual(['nas, big']);
  expect(await run(['devices', 'list', '--sort', 'age', ...at])).toMatchObject({ code: 2 });
  expect((await run(['devices', 'search', 'nas', ...at])).stdout).toMatch(/AA:BB:01 .*nas, big\n$/);
  expect((await run(['devices', 'totals', ...at])).stdout).toMatch(/^my +2\nonline +1\n/);
  expect(await json('devices', 'totals', ...at)).toEqual([2, 1, 1, 0, 1, 0]);

  expect((await run(['devices', 'export', ...at])).stdout).toBe(csv);
  expect((await json('devices', 'export', ...at)).data).toHaveLength(2);
  const copy = join(folder, 'copy.csv');
  expect((await run(['devices', 'export', '--all-columns', '--output', copy, ...at])).stdout).toBe('');
  const again = await run(['devices', 'import', '-', ...at], { input: await readFile(copy, 'utf8') });
  expect(again.stdout).toBe('new      0\nupdated  2\ndeleted  0\n');
});

test('an import tells what it leaves out, changes and ignores', async () => {
  const changed = await run(['devices', 'import', '-', '--dry-run'], {
    input: `devMac,devParentMAC,My icon\n00:1E:06:AA:BB:01,the switch,x\n${'nonsense,,\n'.repeat(1_100)}`,
  });
  expect(changed.stderr).toMatch(/^100 more lines were skipped$/m);
  expect(changed.stderr).toMatch(/^line 2 was changed: devParentMAC: "the switch" is no MAC address; left empty$/m);
  expect(changed.stderr).toMatch(/^ignored columns: My icon$/m);
});

test('names of devices cannot steer a terminal, and a pipe gets their exact bytes', async () => {
  await run(['site', 'add', 'hostile']);
  const name = 'tv\x1b]0;owned\x07\x9b2J\u202eend';
  const csv = `devName,devMAC,devIP,devType,devFavorite,devStatus\r\n"${name}",00:1E:06:AA:BB:00,,,0,offline\r\n`;
  const at = ['--site', 'hostile'];
  expect((await run(['devices', 'import', '-', ...at], { input: csv })).code).toBe(0);
  expect((await run(['devices', 'export', ...at])).stdout).toBe(csv);
  expect((await json('devices', 'list', ...at)).devices[0].devName).toBe(name);

  for (const args of [
    ['devices', 'export'],
    ['devices', 'export', '--json'],
    ['devices', 'list', '--json'],
    ['devices', 'list'],
  ]) {
    const { code, stdout } = await onTerminal([...args, ...at]);
    expect([args, code, stdout]).toEqual([args, 0, expect.stringMatching(/tv.*owned.*2J.*end/)]);
    // The bold of our own headings apart.
    const steering =
      stdout
        .replace('\x1b[1m', '')
        .replace('\x1b[0m', '')
        .match(/[\p{Cc}\p{Bidi_Control}]/gu) ?? [];
    expect([args, steering.filter((c) => c !== '\r' && c !== '\n')]).toEqual([args, []]);
    if (args.includes('--json')) expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(name));
  }
});

/** Runs the program on a terminal of its own, which puts a CR before each LF. */
async function onTerminal(args: string[]): Promise<Ran> {
  const command = [process.execPath, PROGRAM, ...args].map(shellWord).join(' ');
  return run(['--quiet', '--return', '--command', command, '/dev/null'], { command: 'script' });
}

test('a command on the LAN prints what its tool printed', async () => {
  expect((await run(['interfaces'])).stdout).toMatch(/^NAME +TYPE +STATE .*\n(?:.*\n)*lo +loopback +up /);
  expect((await json('interfaces')).interfaces.lo).toMatchObject({ type: 'loopback' });
  expect(await run(['wake', 'nonsense'])).toMatchObject({ code: 4, stdout: '' });
  expect((await run(['nmap', '203.0.113.9'])).stderr).toMatch(/^lanreach: Cannot run nmap: /);
});

test.each([
  ['wake', '00:1E:06:AA:BB:01'],
  ['traceroute', '127.0.0.1'],
  ['nslookup', '127.0.0.1'],
  ['nmap', '127.0.0.1'],
  ['speedtest'],
  ['internet'],
  ['interfaces'],
])('%s runs on the agent that is named', async (...command) => {
  const unknown = await run([...command, '--agent', 'attic']);
  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toContain('expected the name of an agent of site "home": it has main');
  if (command[0] === 'interfaces') expect((await run([...command, '--agent', 'main'])).code).toBe(0);
});

test('a command that is refused says why, and so does its job', async () => {
  const refused = await run(['nmap', '10.0.0.0/8']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('10.0.0.0/8 holds 16777216 addresses; this agent scans at most 1024 in mode normal');
  const [{ id }] = (await json('job', 'list', '--limit', '1')).jobs;
  expect((await run(['job', id])).stdout).toMatch(/^message +10\.0\.0\.0\/8 holds 16777216 addresses/m);
});

test('the audit names who did what, and from which address', async () => {
  await run(['site', 'add', 'audited']);
  const { code, stdout } = await run(['audit', '--site', 'audited', '--limit', '1']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^TIME +ACTOR +ADDRESS +ACTION +DETAILS +OUTCOME\n/);
  expect(stdout).toMatch(/^20\S+Z +[0-9a-f]{16} +127\.0\.0\.1 +site\.add +name=audited +done$/m);
});

test('the audit and the commands are exported, as CSV and as lines of JSON, to standard output or a file', async () => {
  expect((await run(['interfaces'])).code).toBe(0);
  const audit = await run(['audit', 'export', '--since', '2026-01-01T00:00:00Z']);
  expect(audit).toMatchObject({ code: 0, stderr: '' });
  expect(audit.stdout).toMatch(
    /^id,at,site,actor,sourceAddress,action,detail,outcome,problem\r\n.*,tool\.interfaces,/s,
  );
  const file = join(folder, 'jobs.ndjson');
  const toFile = await run(['job', 'export', '--json', '--tool', 'interfaces', '--output', file]);
  expect(toFile).toMatchObject({ code: 0, stdout: '', stderr: `The export is in ${file}.\n` });
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => Job.parse(JSON.parse(line)).tool)).toContain('interfaces');
  expect(await run(['audit', 'export', '--since', 'someday'])).toMatchObject({ code: 2, stdout: '' });
  const nowhere = await run(['audit', 'export', '--output', join(folder, 'no', 'such', 'folder')]);
  expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('Cannot write')]);
});

test('a site without an agent ends with a code of its own', async () => {
  await run(['site', 'add', 'empty']);
  expect(await run(['interfaces', '--site', 'empty'])).toMatchObject({ code: 5, stdout: '' });
});

test('commands are listed, shown and stopped', async () => {
  expect((await run(['interfaces'])).code).toBe(0);
  const token = (await readFile(join(folder, 'data', 'api-token'), 'utf8')).trim();
  const started = await fetch(`${system.url}/nettools/nmap`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ scan: '127.0.0.0/22', mode: 'normal' }), // Takes more than ten seconds.
  });
  const { id } = Job.parse(await started.json());

  // Whoever starts a command and leaves does not see it run; whoever looks at it does, and writes it down.
  const shown = async () => (await run(['job', id])).stdout;
  await expect.poll(shown).toMatch(/^state +running$/m);
  const listed = await run(['job', 'list', '--state', 'running']);
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(/^ID +COMMAND +AGENT +STATE +CREATED\n/);
  expect(listed.stdout).toMatch(
    new RegExp(`^${id} +nmap target=127.0.0.0/22 mode=normal +home:main +running +20`, 'm'),
  );
  const newest = await run(['job', 'list', '--limit', '1']);
  expect(newest.stdout.split('\n')).toHaveLength(3);
  expect(newest.stderr).toContain('--limit shows more');
  const ofOneTool = await json('job', 'list', '--tool', 'interfaces', '--site', 'home');
  expect(new Set(ofOneTool.jobs.map(({ tool }: Job) => tool))).toEqual(new Set(['interfaces']));
  expect((await run(['job', 'list', '--site', 'nowhere'])).code).toBe(3);

  const cancelled = await run(['job', 'cancel', id]);
  expect(cancelled).toMatchObject({ code: 0, stderr: 'The agent home:main has stopped it.\n' });
  expect(cancelled.stdout).toMatch(/^state +cancelled$/m);
  expect((await run(['job', 'cancel', id])).code).toBe(1);
  for (const args of [
    ['job', id],
    ['job', 'show', id],
  ]) {
    expect(await run(args)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^state +cancelled$/m) });
  }
});

test('a job that does not exist is not found', async () => {
  expect((await run(['job', jobs.getJob.example.params.id])).code).toBe(4);
  expect((await run(['job', 'cancel', jobs.getJob.example.params.id])).code).toBe(4);
});

test('a command that outlives its request is followed to its end', async () => {
  const job = { ...jobs.getJob.example.response, state: 'running', output: null, endedAt: null };
  const slow = await listening((path) =>
    path.startsWith('/jobs/') ? [200, jobs.getJob.example.response] : [202, job],
  );
  const ran = await run(['traceroute', '192.168.1.1', '--json'], { env: slow.env });
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.stdout)).toEqual(jobs.getJob.example.response);
  expect(ran.stderr).toContain(`lanreach job ${job.id}`);
  slow.server.close();
});

test('a command is shown to its end over requests that are all short, also when some are refused', async () => {
  const whole = { ...jobs.getJob.example.response, output: 'one\ntwo\nthree\n' };
  const asked: [string, unknown][] = [];
  const event = (name: string, data: unknown, more = '') => `event: ${name}\n${more}data: ${JSON.stringify(data)}\n\n`;
  const end = (id: number) => event('end', {}, `id: ${id}\nretry: 10\n`);
  const output = (at: number, text: string) => event('output', { at, text }, `id: ${at + text.length}\n`);
  const streams = [
    event('accepted', { id: whole.id, state: 'running' }) + output(0, 'one\n') + end(4),
    end(4),
    output(4, 'two\n') + end(8),
    output(8, 'three\n') + event('result', whole),
  ];
  const server = createServer((request, response) => {
    asked.push([request.url ?? '', request.headers['last-event-id']]);
    response.writeHead(200, { connection: 'close', 'content-type': 'text/event-stream' }).end(streams.shift());
  });
  const env = {
    LANREACH_URL: `http://127.0.0.1:${await listenOnLoopback(server)}`,
    LANREACH_TOKEN: 'a-token-for-the-stand-in',
  };
  const live = await run(['traceroute', '192.168.1.1'], { env });
  server.close();
  expect([live.code, live.stdout, live.stderr]).toEqual([0, 'one\ntwo\nthree\n', '']);
  const next = `/jobs/${whole.id}/events`;
  expect(asked).toEqual([
    ['/nettools/traceroute', undefined],
    [next, '4'],
    [next, '4'],
    [next, '8'],
  ]);

  const running = { ...whole, state: 'running', output: null, endedAt: null };
  const refusal = { success: false, error: 'e', code: 'unavailable', message: 'm', requestId: 'r' };
  const answers: [number, unknown][] = [
    [202, running],
    [200, running],
    [503, refusal],
    [200, whole],
  ];
  const paths: string[] = [];
  const slow = await listening((path) => {
    paths.push(path);
    return answers.shift() ?? [500, {}];
  });
  const asJson = await run(['traceroute', '192.168.1.1', '--json'], { env: slow.env });
  slow.server.close();
  expect([asJson.code, JSON.parse(asJson.stdout)]).toEqual([0, whole]);
  expect(new Set(paths.slice(1))).toEqual(new Set([`/jobs/${whole.id}?wait=20`]));
});

test('what a command prints is shown as it comes, and Ctrl-C stops the command', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'nmap', '127.0.0.0/22'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, LANREACH_URL: system.url, LANREACH_DATA: 'data' },
    timeout: 120_000,
  });
  const said = text(child.stderr);
  const closed = new Promise((resolve) => child.once('close', resolve));
  let shown = '';
  for await (const piece of child.stdout) {
    // The scan takes more than ten seconds, and its report comes at the end.
    if (shown === '') child.kill('SIGINT');
    shown += piece;
  }
  expect(shown).toMatch(/^Starting Nmap/);
  expect(shown).not.toContain('Nmap done');
  expect([await closed, await said]).toEqual([130, 'The command was stopped.\n']);
  const [job] = (await json('job', 'list', '--limit', '1')).jobs;
  expect(job).toMatchObject({ tool: 'nmap', state: 'cancelled' });
});

async function listening(answer: (path: string) => [number, unknown]): Promise<{ server: Server; env: object }> {
  const server = createServer((request, response) => {
    const [status, body] = answer(request.url ?? '');
    response.writeHead(status, { connection: 'close' }).end(JSON.stringify(body));
  });
  const port = await listenOnLoopback(server);
  return { server, env: { LANREACH_URL: `http://127.0.0.1:${port}`, LANREACH_TOKEN: 'a-token-for-the-stand-in' } };
}

test.each([
  [['--help'], 0],
  [['help', 'token', 'create'], 0],
  [['--version'], 0],
  [[], 2],
  [['nonsense'], 2],
  [['token', 'create', '--name', 'x', '--scope', 'root', '--all-sites'], 2],
  [['token', 'create', '--name', 'x', '--scope', 'admin'], 2],
  [['token', 'create', '--name', 'x', '--scope', 'admin', '--all-sites', '--expires', 'soon'], 2],
  [['token', 'create', '--name', 'x', '--scope', 'admin', '--all-sites', '--expires', '2020-01-01'], 2],
  [['token', 'revoke', '../sites'], 2],
  [['agent', 'revoke', 'main'], 2],
  [['agent', 'revoke', 'home:main:more'], 2],
  [['agent', 'revoke', '..:main'], 2],
  [['agent', 'enrol'], 2],
  [['job'], 2],
  [['job', 'nonsense'], 2],
  [['job', 'list', '--state', 'gone'], 2],
  [['job', 'list', '--limit', '0'], 2],
  [['devices', 'import', 'no-such-file'], 2],
  [['site', 'list', '--url', 'nonsense'], 2],
  [['site', 'list', '--token', 'lr_in.argv'], 2],
  [['site', 'list', '--url', 'http://127.0.0.1:1'], 1],
])('%j ends with %i', async (args, code) => {
  const ran = await run(args);
  expect(ran.code).toBe(code);
  expect(ran.stdout === '').toBe(code !== 0);
  expect(ran.stderr === '').toBe(code === 0);
});

test('without a token it says where one may come from', async () => {
  const ran = await run(['site', 'list'], { env: { LANREACH_DATA: 'elsewhere' } });
  expect(ran.code).toBe(3);
  expect(ran.stderr).toMatch(/LANREACH_TOKEN/);
});

/** A site of its own with these devices. */
async function siteWith(name: string, csv: string): Promise<string[]> {
  await run(['site', 'remove', name, '--yes', name]); // What an attempt that failed has left.
  await json('site', 'add', name);
  const file = join(folder, `${name}.csv`);
  await writeFile(file, csv);
  await json('devices', 'import', file, '--site', name);
  return ['--site', name];
}

test('one device: shown, set and forgotten by its MAC, its name or its key, and brought back', async () => {
  const at = await siteWith(
    'one-device',
    'devName,devMac,devOwner\nrouter,001e06aabb00,\nnas,001e06aabb01,me\nNAS,001e06aabb02,\nsensor,,\n',
  );
  const names = ['router', 'ROUTER', '00-1e-06-aa-bb-00'];
  for (const shown of await Promise.all(names.map((name) => run(['devices', 'show', name, ...at])))) {
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^devName +router$/m) });
  }
  expect(await run(['devices', 'show', 'nas', ...at])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('ambiguous: 2 devices are named "nas": 00:1E:06:AA:BB:01, 00:1E:06:AA:BB:02'),
  });
  expect(await run(['devices', 'forget', 'printer', ...at])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('No device is named "printer"'),
  });
  expect((await run(['devices', 'forget', '', ...at])).code).toBe(2);

  const set = await json(
    'devices',
    'set',
    'sensor',
    '--parent',
    'router',
    '--favorite',
    'on',
    '--location',
    'attic',
    ...at,
  );
  expect(set).toMatchObject({ devParentMAC: '00:1E:06:AA:BB:00', devFavorite: 1, devLocation: 'attic', devMac: '' });
  expect(set.setByPerson).toEqual(['devName', 'devFavorite', 'devParentMAC', 'devLocation']);
  const table = await run([
    'devices',
    'set',
    '001e.06aa.bb01',
    '--name',
    'media',
    '--alert-down',
    'on',
    '--parent',
    '',
    ...at,
  ]);
  expect(table.stdout).toMatch(/^status +down as imported$/m);
  expect((await run(['devices', 'set', 'media', ...at])).stderr).toContain('Nothing to set');

  const forgotten = await run(['devices', 'forget', 'sensor', ...at]);
  const [, args = ''] = /lanreach (devices restore --change \d+ --site one-device)$/m.exec(forgotten.stderr) ?? [];
  expect((await run(['devices', 'show', 'sensor', ...at])).code).toBe(4);
  expect((await run([...args.split(' '), '--dry-run'])).stdout).toMatch(/^restored +1$/m);
  expect(await run(args.split(' '))).toMatchObject({ code: 0, stdout: expect.stringMatching(/^restored +1$/m) });
  expect(await json('devices', 'show', 'sensor', ...at)).toEqual(set);
});

test('several devices are set at once, by names and MACs; what is not there is said, and the others are set', async () => {
  const at = await siteWith('many-devices', 'devName,devMac\nrouter,001e06aabb00\nnas,001e06aabb01\nsensor,\n');
  const set = ['devices', 'set', 'NAS', '001e.06aa.bb00', 'sensor', 'nas', '--owner', 'me', ...at];
  const planned = await json(...set, '--dry-run');
  expect(planned).toEqual({ success: true, updated: 3, unchanged: 0, missing: [], change: null });
  expect((await run(set)).stdout).toMatch(/^updated +3\nunchanged +0\nmissing +0\nchange +\d+$/m);
  expect(await json(...set, '--dry-run')).toMatchObject({ updated: 0, unchanged: 3 });
  const parent = ['devices', 'set', 'nas', 'sensor', '--parent', 'router', '--favorite', 'on', ...at];
  expect(await json(...parent)).toMatchObject({ updated: 2 });
  expect(await json('devices', 'show', 'sensor', ...at)).toMatchObject({
    devOwner: 'me',
    devParentMAC: '00:1E:06:AA:BB:00',
    devFavorite: 1,
  });
  // One by two names is one device.
  expect(await json('devices', 'set', 'nas', '001e06aabb01', '--owner', 'you', ...at)).toMatchObject({
    devName: 'nas',
    devOwner: 'you',
  });

  const absent = await run(['devices', 'set', 'nas', '001e06aabb09', '--group', 'lab', ...at]);
  expect(absent).toMatchObject({
    code: 4,
    stdout: expect.stringMatching(/^updated +1$/m),
    stderr: expect.stringContaining('Not in the collection, and so not changed: 00:1E:06:AA:BB:09'),
  });
  const unnamed = await run(['devices', 'set', 'nas', 'printer', '--group', 'office', ...at]);
  expect(unnamed).toMatchObject({
    code: 4,
    stdout: '',
    stderr: expect.stringContaining('No device is named "printer"'),
  });
  expect(await json('devices', 'show', 'nas', ...at)).toMatchObject({ devGroup: 'lab' });
  const loop = await run(['devices', 'set', 'router', 'sensor', '--parent', 'nas', ...at]);
  expect(loop).toMatchObject({ code: 2, stderr: expect.stringContaining('set.devParentMAC') });
  expect((await run(['devices', 'set', 'router', 'nas', ...at])).stderr).toContain('Nothing to set');
});

test('ports: scanned by the name of a device, and shown with it, as are its extra columns', async () => {
  const file = join(folder, 'ports.csv');
  await writeFile(file, 'devName,devMac,devLastIP,rack\nthis host,001e06aabbf1,127.0.0.1,B7\nlost,001e06aabbf2,,\n');
  await json('devices', 'import', file);
  const before = await run(['devices', 'ports', 'this host']);
  expect(before).toMatchObject({ code: 0, stdout: 'PORT  STATE  SERVICE  PRODUCT  SEEN  SCAN\n' });
  expect(before.stderr).toContain("To make one: lanreach scan 'this host'");
  expect(await run(['scan', 'lost'])).toMatchObject({ code: 4, stderr: expect.stringContaining('No address of') });

  const scanned = await run(['scan', 'this host']);
  expect(scanned).toMatchObject({ code: 0, stderr: expect.stringContaining('Scan triggered for type: NMAP') });
  expect(scanned.stdout).toMatch(
    /nmap target=127\.0\.0\.1 mode=fast +home:main +succeeded +\d+ open ports on 1 hosts\n$/,
  );
  expect((await run(['devices', 'ports', 'this host'])).stderr).toContain('Last scanned: ');
  const shown = (await run(['devices', 'show', 'this host'])).stdout;
  expect(shown).toMatch(/^open ports +\d+.*, scanned /m);
  expect(shown).toMatch(/^extra rack +B7$/m);
  expect(await json('devices', 'ports', '001e06aabbf1')).toMatchObject({ mac: '00:1E:06:AA:BB:F1' });
  const row = rows.ports('home', '00:1E:06:AA:BB:F1');
  await system.parts.context.table.update(row, { set: { d: Buffer.from('nonsense') } });
  expect(await run(['devices', 'show', 'this host'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^extra rack +B7$/m),
    stderr: expect.stringMatching(/^The open ports are not shown: .*The next port scan/),
  });
  const started = await json('scan', '127.0.0.1', '--no-wait');
  expect(started).toMatchObject({ success: true, jobs: [{ id: started.scan_id, tool: 'nmap' }] });
});

test('a look for devices is refused while discovery is off, and says how to switch it on', async () => {
  expect(await run(['scan'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('lanreach site discover home on'),
  });
});

test('events: as a table, as JSON, filtered, and as they happen', async () => {
  const at = await siteWith('events', 'devName,devMac\nrouter,001e06aabb00\nnas,001e06aabb01\n');
  await json('devices', 'set', 'nas', '--name', 'media\nserver', ...at);
  const listed = await run(['devices', 'events', ...at]);
  expect(listed.stdout.split('\n')).toEqual([
    expect.stringMatching(/^TIME +TYPE +DEVICE +NAME +WHAT$/),
    expect.stringMatching(/ renamed +00:1E:06:AA:BB:01 +media server +devName: "nas" → "media\\nserver"$/),
    expect.stringMatching(/ imported +00:1E:06:AA:BB:0/),
    expect.stringMatching(/ imported +00:1E:06:AA:BB:0/),
    '',
  ]);
  expect((await json('devices', 'events', 'router', '--type', 'imported,new', ...at)).events).toMatchObject([
    { type: 'imported', device: { name: 'router' } },
  ]);
  expect((await run(['devices', 'events', '--type', 'gone', ...at])).code).toBe(2);

  const child = spawn(process.execPath, [PROGRAM, 'devices', 'events', '--follow', '--json', ...at], {
    env: { PATH: process.env.PATH, HOME: folder, LANREACH_URL: system.url, LANREACH_DATA: join(folder, 'data') },
  });
  try {
    let printed = '';
    child.stdout.on('data', (bytes) => {
      printed += bytes;
    });
    // It begins with what is new: what is changed before it has connected may be missing, what comes later is not.
    let changes = 0;
    await expect
      .poll(async () => {
        await json('devices', 'set', 'router', '--owner', `owner ${++changes}`, ...at);
        return printed.split('\n').length;
      })
      .toBeGreaterThan(1);
    const [first = ''] = printed.split('\n');
    expect(JSON.parse(first)).toMatchObject({ type: 'edited', device: { name: 'router' } });
  } finally {
    child.kill();
  }
  const stranger = await run(['devices', 'events', '--follow', ...at], {
    env: { LANREACH_TOKEN: 'lr_0000000000000000.wrong' },
  });
  expect(stranger.code).toBe(3);
});

test('a site is told to watch its LAN, which its row in the list and its settings show', async () => {
  await json('site', 'add', 'stable', '--name', 'Old stable');
  const on = await run('site discover stable on --network 127.0.7.0/24 127.0.8.0/24 --interval 90'.split(' '));
  expect(on).toMatchObject({ code: 0, stderr: expect.stringMatching(/^No agent of stable is connected/) });
  expect(on.stdout).toMatch(
    /^discovery +on, every 90 s\nnetworks +127\.0\.7\.0\/24 127\.0\.8\.0\/24\nstale since +20/m,
  );
  const { stdout: listed } = await run(['site', 'list']);
  expect(listed).toMatch(/^ID +NAME +CREATED +DISCOVERY +STALE SINCE\n/);
  expect(listed).toMatch(/^stable +Old stable +\S+ +127\.0\.7\.0\/24 127\.0\.8\.0\/24 +20/m);
  const [first, second] = ['00:0D:B9:00:00:01', '00:0D:B9:00:00:02'];
  await run(['site', 'discover', 'stable', 'on', '--gateway', first.toLowerCase()]);
  expect((await run(['site', 'discover', 'stable', 'on', '--gateway', second])).stdout).toMatch(
    new RegExp(`^gateways +${first} ${second}$`, 'm'),
  );
  await json(...'site discover stable off --network auto'.split(' '));
  expect((await run(['site', 'show', 'stable'])).stdout).toMatch(
    /^discovery +off\nnetworks +auto\ngateways .*\nstale since +-\n/m,
  );
});

test('discovery that is neither on nor off, or goes too far, is wrong usage', async () => {
  expect(await run('site discover home maybe'.split(' '))).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Expected on or off/),
  });
  expect(await run('site discover home on --network 10.0.0.0/8'.split(' '))).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/discovery\.networks/),
  });
});

test('a site is removed when its name is said', async () => {
  await json('site', 'add', 'mill', '--name', 'Old mill');
  expect(await run(['site', 'remove', 'mill'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/confirm it with --yes and the name of the site mill/),
  });
  expect(await run(['site', 'remove', 'mill', '--yes', 'mill'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/expected the name of the site, "Old mill"/),
  });
  expect(await run(['site', 'remove', 'mill', '--yes', 'Old mill'])).toMatchObject({ code: 0, stdout: '' });
  expect((await run(['site', 'show', 'mill'])).code).toBe(3);
});

test('a file that is larger than one request goes up in parts, and its lines keep their numbers', async () => {
  await json('site', 'add', 'warehouse');
  // Long comments make the file larger than the 10 MB that a request may have.
  const row = (i: number) =>
    `shelf ${i},02:00:00:00:${(i >> 8).toString(16)}:${(i & 255).toString(16)},"${'x\n'.repeat(1_900)}"`;
  const rows = Array.from({ length: 3_000 }, (_, i) => row(i).replace(/:([0-9a-f])(?=[:,])/g, ':0$1'));
  rows[2_500] = 'shelf,nonsense,""';
  const file = join(folder, 'large.csv');
  await writeFile(file, `devName,devMac,devComments\n${rows.join('\n')}\n`);
  const answer = await json('devices', 'import', file, '--site', 'warehouse');
  const line = 2 + rows.slice(0, 2_500).join('\n').split('\n').length;
  expect(answer).toMatchObject({ inserted: 2_999, updated: 0, skipped: [{ line, reason: expect.any(String) }] });
  const replacing = await run(['devices', 'import', file, '--site', 'warehouse', '--mode', 'replace']);
  expect(replacing).toMatchObject({ code: 2, stdout: '' });
  expect(replacing.stderr).toMatch(/too large for one request/);
  expect((await json('devices', 'totals', '--site', 'warehouse'))[0]).toBe(2_999);
});

test('hooks: added with a URL out of a file, tested, changed, looked at, repeated and removed', async () => {
  await using receiver = await startReceiver();
  const file = join(folder, 'hook-url');
  await writeFile(file, `${receiver.url}/a-long-secret-path\n`);
  const added = await run(['hooks', 'add', '--event', 'new', 'down', '--url-file', file]);
  expect([added.code, added.stdout]).toMatchObject([0, expect.stringMatching(/^secret +whsec_\S+$/m)]);
  expect(added.stdout).not.toContain('a-long-secret');
  const [, id = ''] = /^id +(\S+)$/m.exec(added.stdout) ?? [];
  const tested = await run(['hooks', 'test', id]);
  expect([tested.code, tested.stdout]).toMatchObject([0, expect.stringMatching(/^state +delivered$/m)]);
  receiver.answer = status(500);
  const failed = await run(['hooks', 'test', id]);
  expect([failed.code, failed.stderr]).toMatchObject([1, expect.stringContaining('it answered 500')]);
  expect((await run(['hooks', 'list'])).stdout).toMatch(new RegExp(`^${id} .*failing since`, 'm'));
  receiver.answer = status(200);
  const { deliveries } = await json('hooks', 'deliveries', id, '--state', 'delivered');
  const repeated = await run(['hooks', 'repeat', id, deliveries[0].id]);
  expect([repeated.code, repeated.stdout]).toMatchObject([0, expect.stringMatching(/^state +delivered$/m)]);
  const changed = await run(['hooks', 'set', id, '--enabled', 'off', '--new-secret', '--format', 'slack']);
  expect(changed.stdout).toMatch(/^state +disabled$/m);
  expect(changed.stdout).toMatch(/^secret +whsec_/m);
  expect((await run(['hooks', 'show', id])).stdout).toMatch(/^format +slack$/m);
  expect((await run(['hooks', 'remove', id])).code).toBe(0);
  expect((await run(['hooks', 'show', id])).code).toBe(4);
  expect((await run(['hooks', 'add', '--event', 'new'])).code).toBe(2);
});

test('checks: added for devices, hosts and sites, listed, paused, changed, removed; the matrix', async () => {
  const site = ['--site', 'checked'];
  await run(['site', 'add', 'checked']);
  await writeFile(join(folder, 'checked.csv'), 'devName,devMAC,devIP\nnas,02:A0:00:00:00:02,192.168.1.20\n');
  await run(['devices', 'import', join(folder, 'checked.csv'), ...site]);
  const added = await run(['check', 'add', 'tcp', 'NAS', '445', '--every', '5m', '--label', 'files', ...site]);
  expect([added.code, added.stdout]).toMatchObject([0, expect.stringMatching(/^target +02:A0:00:00:00:02 445$/m)]);
  expect(added.stdout).toMatch(/^every +300 s$/m);
  expect(added.stderr).toMatch(/lanreach check show [0-9a-f]{12} --site checked/);
  for (const [asked, shown] of [
    [['ping', '192.168.1.1'], 'ping +192.168.1.1'],
    [['ping', 'printer.lan', '--agents', 'auto'], 'ping +printer.lan'],
    [['http', 'https://nas.lan/', '--status', '200,401'], 'http +https://nas.lan/'],
    [['dns', 'example.org', '--record', 'aaaa'], 'dns +example.org AAAA'],
    [['internet', '--anchor', '1.1.1.1', '9.9.9.9'], 'internet +1.1.1.1 9.9.9.9'],
  ] as const) {
    expect((await run(['check', 'add', ...asked, ...site])).code).toBe(0);
    expect((await run(['check', 'list', ...site])).stdout).toMatch(new RegExp(`${shown} +unknown +-`, 'm'));
  }
  expect(await run(['check', 'add', 'ping', 'nass', ...site])).toMatchObject({ code: 4 });
  expect(await run(['check', 'add', 'ping', 'nas', '--every', '5', ...site])).toMatchObject({ code: 2 });
  expect((await run(['check', 'list', '--device', 'nas', ...site])).stdout.trim().split('\n')).toHaveLength(2);
  expect((await run(['check', 'pause', 'Files', ...site])).stdout).toMatch(/^state +paused$/m);
  expect((await run(['check', 'resume', 'files', ...site])).stdout).toMatch(/^state +unknown$/m);
  expect((await run(['check', 'set', 'files', '--every', '1h', ...site])).stdout).toMatch(/^every +3600 s$/m);
  expect((await run(['check', 'remove', 'files', ...site])).code).toBe(0);
  expect((await run(['check', 'show', 'files', ...site])).code).toBe(4);

  await run(['site', 'add', 'seen']);
  const refused = await run(['check', 'add', 'site', 'seen', ...site]);
  expect([refused.code, refused.stderr]).toMatchObject([2, expect.stringContaining('reachableAt')]);
  const matrix = await run(['check', 'matrix', 'checked,seen', '--add']);
  expect(matrix.stderr).toContain('0 checks are added');
  expect(matrix.stderr).toContain('Nobody can reach checked, seen');
});
