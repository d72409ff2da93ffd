/** Commands on the LAN and what has become of them, and an agent that comes and goes: against a running system. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { Job, jobs } from '../shared/api/jobs.ts';
import { PROGRAM, useCommandLine } from '../test/support/cli/command-line.ts';
import { listenOnLoopback } from '../test/support/loopback.ts';
import { sharedSystem } from '../test/support/shared-system.ts';

const system = sharedSystem();
const line = useCommandLine(() => ({ url: system.url, token: system.token }));
const { run, json } = line;

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
  const [{ id }] = (await json('runs', 'list', '--limit', '1')).jobs;
  expect((await run(['runs', id])).stdout).toMatch(/^message +10\.0\.0\.0\/8 holds 16777216 addresses/m);
});

test('the audit and the commands are exported, as CSV and as lines of JSON, to standard output or a file', async () => {
  expect((await run(['interfaces'])).code).toBe(0);
  const audit = await run(['audit', 'export', '--since', '2026-01-01T00:00:00Z']);
  expect(audit).toMatchObject({ code: 0, stderr: '' });
  expect(audit.stdout).toMatch(
    /^id,at,site,actor,sourceAddress,action,detail,outcome,person,changes,problem\r\n.*,tool\.interfaces,/s,
  );
  const file = join(line.folder, 'jobs.ndjson');
  const toFile = await run(['runs', 'export', '--json', '--tool', 'interfaces', '--output', file]);
  expect(toFile).toMatchObject({ code: 0, stdout: '', stderr: `The export is in ${file}.\n` });
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => Job.parse(JSON.parse(line)).tool)).toContain('interfaces');
  expect(await run(['audit', 'export', '--since', 'someday'])).toMatchObject({ code: 2, stdout: '' });
  const nowhere = await run(['audit', 'export', '--output', join(line.folder, 'no', 'such', 'folder')]);
  expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('Cannot write')]);
});

test('a site without an agent ends with a code of its own', async () => {
  await run(['site', 'add', 'empty']);
  expect(await run(['interfaces', '--site', 'empty'])).toMatchObject({ code: 5, stdout: '' });
});

test('commands are listed, shown and stopped', async () => {
  expect((await run(['interfaces'])).code).toBe(0);
  const started = await fetch(`${system.url}/nettools/nmap`, {
    method: 'POST',
    headers: { authorization: `Bearer ${system.token}`, 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ scan: '127.0.8.0/22', mode: 'normal' }), // Takes more than ten seconds.
  });
  const { id } = Job.parse(await started.json());

  // Whoever starts a command and leaves does not see it run; whoever looks at it does, and writes it down.
  const shown = async () => (await run(['runs', id])).stdout;
  await expect.poll(shown).toMatch(/^result +running$/m);
  const listed = await run(['runs', 'list', '--state', 'running']);
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(/^RUN +RESULT +WHEN +AGENT +ID\n/);
  expect(listed.stdout).toMatch(
    new RegExp(`^nmap target=127.0.8.0/22 mode=normal +running +20\\S+ +home:main +${id}$`, 'm'),
  );
  const newest = await run(['runs', 'list', '--limit', '1']);
  expect(newest.stdout.split('\n')).toHaveLength(3);
  expect(newest.stderr).toContain('--limit shows more');
  const ofOneTool = await json('runs', 'list', '--tool', 'interfaces', '--site', 'home');
  expect(new Set(ofOneTool.jobs.map(({ tool }: Job) => tool))).toEqual(new Set(['interfaces']));
  for (const agent of ['main', 'home:main']) {
    const about = await json('runs', 'list', '--about', '127.0.8.0/22', '--agent', agent);
    expect(about.jobs.map((job: Job) => job.id)).toEqual([id]);
  }
  expect((await json('runs', 'list', '--agent', 'attic')).jobs).toEqual([]);
  expect((await run(['runs', 'list', '--site', 'nowhere'])).code).toBe(3);

  const cancelled = await run(['runs', 'cancel', id]);
  expect(cancelled).toMatchObject({ code: 0, stderr: 'The agent home:main has stopped it.\n' });
  expect(cancelled.stdout).toMatch(/^result +cancelled$/m);
  expect((await run(['runs', 'cancel', id])).code).toBe(1);
  for (const args of [
    ['runs', id],
    ['runs', 'show', id],
    ['job', 'show', id.slice(0, -6)],
    ['runs', id.slice(-8)],
  ]) {
    expect(await run(args)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^result +cancelled$/m) });
  }
});

test('an agent is enrolled with its code, revoked, and enrolled again', async () => {
  await run(['site', 'add', 'shed']);
  const enrol = async () => {
    const { code } = await json('agent', 'enrol', '--site', 'shed');
    const { csr } = await system.makeCsr();
    return system.request('POST', '/enrol', { token: null, body: { code, csr } });
  };
  expect(await enrol()).toMatchObject({ status: 201 });
  expect((await json('agent', 'list', '--site', 'shed')).agents).toMatchObject([{ id: 'shed:main' }]);
  const shown = await run(['agent', 'show', 'shed:main']);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Agent +shed:main\nState +\w+/) });
  expect(shown.stdout).toMatch(/^Certificate +until 20/m);
  expect(shown.stdout).toContain('No connection in the last 7 days is known.');
  expect((await run(['agent', 'show', 'shed:attic'])).code).toBe(4);
  const revoked = await run(['agent', 'revoke', 'shed:main', '--yes']);
  expect(revoked).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('shed:main is revoked') });
  expect((await json('agent', 'list', '--site', 'shed')).agents).toEqual([]);
  expect(await run(['agent', 'revoke', 'shed:main', '--yes'])).toMatchObject({ code: 4, stdout: '' });
  expect((await run(['agent', 'revoke', 'elsewhere:main', '--yes'])).code).toBe(3);
  expect(await enrol()).toMatchObject({ status: 201 });
});

test('a job that does not exist is not found', async () => {
  expect((await run(['runs', jobs.getJob.example.params.id])).code).toBe(4);
  expect((await run(['runs', 'cancel', jobs.getJob.example.params.id])).code).toBe(4);
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
  const streaming = await listening((request, response) => {
    asked.push([request.url ?? '', request.headers['last-event-id']]);
    response.writeHead(200, { connection: 'close', 'content-type': 'text/event-stream' }).end(streams.shift());
  });
  const live = await run(['traceroute', '192.168.1.1'], streaming);
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
  const slow = await listening(({ url = '' }, response) => {
    paths.push(url);
    const [status, body] = answers.shift() ?? [500, {}];
    response.writeHead(status, { connection: 'close' }).end(JSON.stringify(body));
  });
  const asJson = await run(['traceroute', '192.168.1.1', '--json'], slow);
  expect([asJson.code, JSON.parse(asJson.stdout)]).toEqual([0, whole]);
  expect(asJson.stderr).toContain(`lanreach runs ${whole.id}`);
  expect(new Set(paths.slice(1))).toEqual(new Set([`/jobs/${whole.id}?wait=20`]));
});

test('what a command prints is shown as it comes, and Ctrl-C stops the command', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'nmap', '127.0.8.0/22'], { env: line.env(), timeout: 120_000 });
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
  const [job] = (await json('runs', 'list', '--limit', '1')).jobs;
  expect(job).toMatchObject({ tool: 'nmap', state: 'cancelled' });
});

async function listening(answer: RequestListener): Promise<{ env: NodeJS.ProcessEnv }> {
  const server = createServer(answer);
  onTestFinished(() => void server.close());
  const port = await listenOnLoopback(server);
  return { env: { LANREACH_URL: `http://127.0.0.1:${port}`, LANREACH_TOKEN: 'a-token-for-the-stand-in' } };
}
