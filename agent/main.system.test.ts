import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROTOCOL_VERSION, type Request } from '../shared/agent/messages.ts';
import { type AgentId, LOCAL_STAGE } from '../shared/identity.ts';
import { Command } from '../shared/tools/list.ts';
import { listenOnLoopback } from '../test/support/loopback.ts';
import { startTcpProxy } from '../test/support/tcp-proxy.ts';
import { makeTestAuthority, type TestAuthority } from '../test/support/test-authority.ts';
import { makeTestFolder, type TestFolder } from '../test/support/test-folder.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { readIdentity } from './identity/identity.ts';
import { lockDirectory } from './state/lock.ts';
import { bundleAgent, startAgentProcess } from './testing/agent-process.ts';
import { AGENT, CLIENT, requestFor, sentNow, startTestBroker, type TestBroker } from './testing/broker.ts';
import type { Moment } from './testing/dying-agent.ts';
import { namesIn } from './testing/state-names.ts';

const CODE = 'lre_the-code';
let programs: TestFolder;
let program: string;
let dyingProgram: string;
let authority: TestAuthority;

beforeAll(async () => {
  programs = makeTestFolder();
  [program, dyingProgram, authority] = await Promise.all([
    bundleAgent(programs.path),
    bundleAgent(programs.path, 'dying-agent.ts'),
    makeTestAuthority(),
  ]);
});
afterAll(() => programs[Symbol.asyncDispose]());

/** An API that knows one enrolment code. */
async function startApi(broker: string, agent: AgentId = AGENT) {
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests++;
    let text = '';
    for await (const chunk of request) text += chunk;
    const { code, csr } = JSON.parse(text);
    const known = request.method === 'POST' && request.url === '/api/enrol' && code === CODE;
    const body = known
      ? {
          success: true,
          agent,
          stage: LOCAL_STAGE,
          certificate: await authority.certify(csr, agent),
          authority: authority.certificate,
          broker,
        }
      : {
          success: false,
          error: 'Forbidden',
          message: 'The enrolment code is unknown, used or expired',
          code: 'enrolment_refused',
          requestId: 'r-1',
        };
    response.writeHead(known ? 201 : 403, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}/api`,
    requests: () => requests,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** An enrolled agent's state directory and its broker. */
async function startSite() {
  const folder = makeTestFolder();
  const broker = await startTestBroker(authority.broker);
  const state = join(folder.path, 'state');
  await using api = await startApi(`mqtts://127.0.0.1:${broker.port}`);
  const enrolment = startAgentProcess(program, ['enrol', CODE, '--url', api.url], { LANREACH_AGENT_DATA: state });
  expect(await enrolment.ended, enrolment.stderr()).toEqual({ code: 0, signal: null });
  return {
    broker,
    state,
    stdout: enrolment.stdout(),
    start: (environment: Record<string, string> = {}) =>
      startAgentProcess(program, [], { LANREACH_AGENT_DATA: state, LANREACH_LOG_LEVEL: 'debug', ...environment }),
    startDying: (moment: Moment) =>
      startAgentProcess(dyingProgram, [moment], { LANREACH_AGENT_DATA: state, LANREACH_LOG_LEVEL: 'info' }),
    async [Symbol.asyncDispose]() {
      await broker[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function sendAndAwaitAck(broker: TestBroker, command: Command) {
  const request = requestFor(command);
  await broker.send('req', request);
  await broker.reply('ack', request.id);
  return request;
}

/** Takes more than ten seconds, even on loopback. */
const LONG_SCAN = Command.parse({ tool: 'nmap', target: '127.0.0.0/22', mode: 'normal' });

test('enrol leaves an identity that only its owner can read, and says so', async () => {
  await using site = await startSite();
  expect(site.stdout).toMatch(
    new RegExp(
      `^connected as ${AGENT} in \\d+\\.\\d s\nThe identity is in ${site.state}\\. Next: lanreach-agent run\n$`,
    ),
  );
  expect(site.broker.connections).toEqual([CLIENT]);
  expect(site.broker.presences).toEqual([]);
  expect((await stat(site.state)).mode & 0o777).toBe(0o700);
  expect(await namesIn(site.state)).toEqual(['identity.json']);
  expect((await stat(join(site.state, 'identity.json'))).mode & 0o777).toBe(0o600);
  const { key, certificate } = await readIdentity(site.state);
  expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----/);
  expect(new X509Certificate(certificate).publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
});

test('enrol takes the code from standard input, so that no list of processes shows it', async () => {
  await using folder = makeTestFolder();
  await using broker = await startTestBroker(authority.broker);
  await using api = await startApi(`mqtts://127.0.0.1:${broker.port}`);
  const state = join(folder.path, 'state');
  const enrolment = startAgentProcess(
    program,
    ['enrol', '-', '--url', `${api.url}/`],
    { LANREACH_AGENT_DATA: state },
    `${CODE}\n`,
  );
  expect(await enrolment.ended, enrolment.stderr()).toEqual({ code: 0, signal: null });
  expect(await readIdentity(state)).toMatchObject({
    agent: AGENT,
    broker: `mqtts://127.0.0.1:${broker.port}`,
    api: `${api.url}/`,
  });
});

test.each([
  {
    way: 'nothing listens there',
    broker: 'mqtts://127.0.0.1:1',
    set: {},
    told: ['the broker at 127.0.0.1 port 1 cannot be reached', 'ECONNREFUSED', 'firewall', 'connections to port 1'],
  },
  {
    way: 'nothing listens where the settings say',
    broker: 'mqtts://127.0.0.1:8883',
    set: { LANREACH_BROKER: 'mqtts://127.0.0.1:2' },
    told: ['the broker at 127.0.0.1 port 2 cannot be reached'],
  },
  {
    way: 'somebody else answers',
    broker: 'stranger',
    set: {},
    told: ['accepts connections, but the TLS handshake fails', 'intercept TLS'],
  },
])('when $way, the identity is kept and it is said what may be in the way', async ({ broker, set, told }) => {
  await using folder = makeTestFolder();
  const stranger = await makeTestAuthority();
  await using impostor = await startTestBroker(stranger.broker);
  await using api = await startApi(broker === 'stranger' ? `mqtts://127.0.0.1:${impostor.port}` : broker);
  const state = join(folder.path, 'state');
  const environment = { LANREACH_AGENT_DATA: state, ...set };
  const enrolment = startAgentProcess(program, ['enrol', CODE, '--url', api.url], environment);
  expect((await enrolment.ended).code, enrolment.stderr()).toBe(1);
  expect(enrolment.stdout()).toBe('');
  for (const text of [`This host is ${AGENT} now`, ...told, `kept in ${state}: do not enrol again`]) {
    expect(enrolment.stderr()).toContain(text);
  }
  expect(await namesIn(state)).toEqual(['identity.json']);
});

test('a broker that has not heard of the certificate yet is asked again', async () => {
  await using folder = makeTestFolder();
  await using broker = await startTestBroker(authority.broker);
  await using late = await startTcpProxy(() => broker.port);
  late.newConnections = 'cut-after-handshake';
  await using api = await startApi(`mqtts://127.0.0.1:${late.port}`);
  const state = join(folder.path, 'state');
  const environment = { LANREACH_AGENT_DATA: state };
  const enrolment = startAgentProcess(program, ['enrol', CODE, '--url', api.url], environment);
  await waitFor('the first attempt', () => late.attempts.length > 0);
  late.newConnections = 'pass';
  expect((await enrolment.ended).code, enrolment.stderr()).toBe(0);
  expect(late.attempts).toHaveLength(2);
});

test('a host on which an agent runs is not enrolled over it, and the code stays good', async () => {
  await using site = await startSite();
  await using agent = site.start();
  await site.broker.presence('online');
  await using api = await startApi(`mqtts://127.0.0.1:${site.broker.port}`);
  const enrol = () =>
    startAgentProcess(program, ['enrol', CODE, '--url', api.url], { LANREACH_AGENT_DATA: site.state });
  const identity = await readIdentity(site.state);
  const refused = enrol();
  expect((await refused.ended).code).toBe(1);
  expect(refused.stderr()).toContain('Another agent is running');
  expect(refused.stderr()).toContain('the code has not been used');
  expect(await readIdentity(site.state)).toEqual(identity);
  expect(api.requests()).toBe(0);
  expect(site.broker.connections).toEqual([CLIENT, CLIENT]); // The enrolment and the agent; nobody has cut it off.

  agent.child.kill('SIGTERM');
  await agent.ended;
  expect((await enrol().ended).code).toBe(0);
  expect((await readIdentity(site.state)).certificate).not.toBe(identity.certificate);
});

test('an agent that is started while its host is being enrolled waits, and is not cut off', async () => {
  await using folder = makeTestFolder();
  await using broker = await startTestBroker(authority.broker);
  const state = join(folder.path, 'state');
  await using gate = await startTcpProxy(() => broker.port);
  gate.newConnections = 'hold';
  await using api = await startApi(`mqtts://127.0.0.1:${gate.port}`);
  const enrolment = startAgentProcess(program, ['enrol', CODE, '--url', api.url], { LANREACH_AGENT_DATA: state });
  await expect.poll(() => readdir(state).catch(() => [])).toContain('identity.json');
  await using agent = startAgentProcess(program, [], {
    LANREACH_AGENT_DATA: state,
    LANREACH_BROKER: `mqtts://127.0.0.1:${broker.port}`,
  });
  await expect.poll(agent.stderr).toContain('waiting up to 15 s');
  await sleep(500);
  expect(agent.stderr()).not.toContain('agent started');
  gate.newConnections = 'pass';
  expect((await enrolment.ended).code, enrolment.stderr()).toBe(0);
  await broker.presence('online');
  expect(broker.connections).toEqual([CLIENT, CLIENT]);
  expect(broker.presences.map((presence) => presence.state)).toEqual(['online']);
});

test('results of the agent that was there before are put aside, and never sent by the new one', async () => {
  await using site = await startSite();
  const first = site.start();
  await site.broker.presence('online');
  const request = requestFor({ tool: 'interfaces' });
  await site.broker.send('req', request);
  await site.broker.reply('result', request.id); // Never confirmed.
  first.child.kill('SIGTERM');
  await first.ended;
  const enrolAs = async (agent: AgentId) => {
    await using api = await startApi(`mqtts://127.0.0.1:${site.broker.port}`, agent);
    const args = ['enrol', CODE, '--url', api.url];
    const enrolment = startAgentProcess(program, args, { LANREACH_AGENT_DATA: site.state });
    expect((await enrolment.ended).code, enrolment.stderr()).toBe(0);
    return enrolment.stdout();
  };

  // The same agent goes on with what it has.
  await enrolAs(AGENT);
  expect(await readdir(join(site.state, 'spool'))).toEqual([`${request.id}.json`]);

  const told = await enrolAs('home:other');
  const aside = (await readdir(site.state)).filter((name) => name.startsWith('previous-home-main-')).sort();
  const [folder = ''] = aside;
  expect(told).toContain(
    `This host was enrolled as ${AGENT} before. 1 of its results were never sent; they are kept in ${site.state}/${folder}.`,
  );
  expect((await stat(join(site.state, folder))).mode & 0o777).toBe(0o700);
  expect(aside).toEqual([folder, `${folder}.jsonl`]);
  expect(await readdir(join(site.state, folder))).toEqual([`${request.id}.json`]);
  const { length: replies } = site.broker.replies;
  const { length: earlier } = site.broker.presences;
  await using _second = site.start();
  await waitFor('the other agent', () => site.broker.presences.slice(earlier).find((said) => said.state === 'online'));
  expect(site.broker.connections.at(-1)).toBe('local:home:other');
  expect(await readdir(join(site.state, 'spool'))).toEqual([]);
  expect(site.broker.replies).toHaveLength(replies);
});

test('root enrols for the user to whom the state directory belongs', async (context) => {
  context.skip(process.getuid?.() !== 0, 'only root can make files for another user');
  const NOBODY = 65_534;
  await using folder = makeTestFolder();
  await chmod(folder.path, 0o755);
  await using broker = await startTestBroker(authority.broker);
  await using api = await startApi(`mqtts://127.0.0.1:${broker.port}`);
  const state = join(folder.path, 'state');
  await mkdir(state);
  await chown(state, NOBODY, NOBODY);
  const enrolment = startAgentProcess(program, ['enrol', CODE, '--url', api.url], { LANREACH_AGENT_DATA: state });
  expect((await enrolment.ended).code, enrolment.stderr()).toBe(0);
  const files = ['.', ...(await namesIn(state))];
  expect(files).toContain('identity.json');
  for (const file of files) expect((await stat(join(state, file))).uid, file).toBe(NOBODY);
  expect((await stat(join(state, 'identity.json'))).mode & 0o777).toBe(0o600);
  const program2 = join(folder.path, 'agent.mjs');
  await copyFile(program, program2);
  await using agent = startAgentProcess(program2, [], { LANREACH_AGENT_DATA: state }, undefined, {
    uid: NOBODY,
    gid: NOBODY,
  });
  await broker.presence('online');
  expect((await stat(join(state, 'journal.jsonl'))).uid).toBe(NOBODY);
  agent.child.kill('SIGTERM');
  expect(await agent.ended).toEqual({ code: 0, signal: null });
});

test('root runs no agent with the state of another user, and nobody one that others can change', async (context) => {
  await using site = await startSite();
  const runs = async () => {
    await using agent = startAgentProcess(program, ['run'], { LANREACH_AGENT_DATA: site.state });
    return { code: (await agent.ended).code, stderr: agent.stderr() };
  };
  await chmod(site.state, 0o770);
  expect(await runs()).toEqual({
    code: 2,
    stderr: expect.stringContaining(`${site.state} can be changed by other users (its mode is 0770)`),
  });
  await chmod(site.state, 0o700);
  await chmod(join(site.state, 'identity.json'), 0o620);
  expect(await runs()).toEqual({
    code: 2,
    stderr: expect.stringContaining(`chmod go-w ${join(site.state, 'identity.json')}`),
  });
  await chmod(join(site.state, 'identity.json'), 0o600);
  context.skip(process.getuid?.() !== 0, 'only root can give files away');
  const NOBODY = 65_534;
  await chown(join(site.state, 'identity.json'), NOBODY, NOBODY);
  expect(await runs()).toEqual({ code: 2, stderr: expect.stringContaining(`identity.json belongs to user ${NOBODY}`) });
  await chown(join(site.state, 'identity.json'), 0, 0);
  await chown(site.state, NOBODY, NOBODY);
  expect(await runs()).toEqual({
    code: 2,
    stderr: expect.stringContaining(`${site.state} belongs to user ${NOBODY} and not to root`),
  });
});

test('a line that is pasted twice leaves the agent as it is, and says that the host is enrolled', async () => {
  await using site = await startSite();
  await using api = await startApi(`mqtts://127.0.0.1:${site.broker.port}`);
  const identity = await readIdentity(site.state);
  const again = startAgentProcess(program, ['enrol', 'used', '--url', api.url], { LANREACH_AGENT_DATA: site.state });
  expect((await again.ended).code).toBe(1);
  expect(again.stderr()).toContain('The enrolment code is unknown, used or expired');
  expect(again.stderr()).toContain(`This host has been enrolled as ${AGENT} already`);
  expect(await readIdentity(site.state)).toEqual(identity);
});

test('an API without TLS is not asked over https, and the person is told', async () => {
  await using folder = makeTestFolder();
  await using api = await startApi('mqtts://127.0.0.1:1');
  const url = api.url.replace('http:', 'https:');
  const environment = { LANREACH_AGENT_DATA: join(folder.path, 'state') };
  const enrolment = startAgentProcess(program, ['enrol', CODE, '--url', url], environment);
  expect((await enrolment.ended).code).toBe(1);
  const reason = 'the server does not speak TLS at that port; should the URL begin with http://?';
  expect(enrolment.stderr()).toBe(`lanreach-agent: Cannot reach ${url}/enrol: ${reason}\n`);
});

test('a refused enrolment says what the API said and stores nothing', async () => {
  await using folder = makeTestFolder();
  await using api = await startApi('mqtts://127.0.0.1:1');
  const state = join(folder.path, 'state');
  const enrolment = startAgentProcess(program, ['enrol', 'wrong', '--url', api.url], { LANREACH_AGENT_DATA: state });
  expect((await enrolment.ended).code).toBe(1);
  expect(enrolment.stderr()).toContain('The enrolment code is unknown, used or expired');
  expect(await namesIn(state)).toEqual([]);
});

test.each([
  [['enrol', CODE], {}, 'requires --url'],
  [['enrol', '--url', 'http://127.0.0.1:1'], {}, 'expects one argument'],
  [['enrol', CODE, '--url', 'nowhere'], {}, '--url: expected'],
  [['dance'], {}, 'there is no command "dance"\nSee lanreach-agent --help\n'],
  [['--loud'], {}, '--loud'],
  [[], { LANREACH_LOG_LEVEL: 'loud' }, 'LANREACH_LOG_LEVEL'],
  [[], { LANREACH_AGENT_DATA: '/nonexistent' }, 'not enrolled'],
])('%j with %j is refused and explained', async (args, environment, explanation) => {
  const run = startAgentProcess(program, args, environment);
  expect((await run.ended).code).toBe(2);
  expect(run.stderr()).toContain(explanation);
});

test('help and version are there', async () => {
  const help = startAgentProcess(program, ['--help'], {});
  expect((await help.ended).code).toBe(0);
  expect(help.stdout()).toContain('LANREACH_AGENT_DATA');
  const version = startAgentProcess(program, ['--version'], {});
  expect((await version.ended).code).toBe(0);
  expect(version.stdout()).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('a malformed policy stops the start and names the field', async () => {
  await using site = await startSite();
  await writeFile(join(site.state, 'policy.json'), '{"nmap": {"maxAddresses": "all"}}');
  await using agent = site.start();
  expect((await agent.ended).code).toBe(1);
  expect(agent.stderr()).toContain('nmap.maxAddresses');
});

test('an enrolled agent connects with its certificate, runs a real command and ends in order', async () => {
  await using site = await startSite();
  await using agent = site.start();
  expect(await site.broker.presence('online')).toMatchObject({ version: expect.stringMatching(/^\d/) });
  const request = requestFor({ tool: 'interfaces' });
  await site.broker.send('req', request);
  const result = await site.broker.reply('result', request.id);
  expect(result).toMatchObject({ state: 'succeeded', result: { lo: { name: 'lo', type: 'loopback' } } });
  agent.child.kill('SIGTERM');
  expect(await agent.ended).toEqual({ code: 0, signal: null });
  expect(site.broker.presences.at(-1)?.state).toBe('offline');
  expect(agent.stderr()).not.toContain((await readIdentity(site.state)).key);
});

test('an agent stays small, also after it has worked', async () => {
  await using site = await startSite();
  await using agent = site.start();
  await site.broker.presence('online');
  for (let i = 0; i < 100; i++) {
    const request = requestFor({ tool: 'interfaces' });
    await site.broker.send('req', request);
    await site.broker.reply('result', request.id);
    await site.broker.send('ctl', { v: PROTOCOL_VERSION, id: request.id, t: 'stored' });
  }
  const status = await readFile(`/proc/${agent.pid}/status`, 'utf8');
  expect(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024).toBeLessThan(90); // About 81 with Node 20.
});

test('an agent that was killed in the middle of a command says so at its next start, and never runs it again', async () => {
  await using site = await startSite();
  const journal = () => readFile(join(site.state, 'journal.jsonl'), 'utf8');
  const first = site.start();
  await site.broker.presence('online');
  const request = await sendAndAwaitAck(site.broker, LONG_SCAN);
  await expect.poll(journal).toContain('"t":"process"');
  const scan = Number(/"pid":(\d+)/.exec(await journal())?.[1]);
  await first[Symbol.asyncDispose](); // SIGKILL

  await using _second = site.start();
  expect(await site.broker.reply('result', request.id)).toMatchObject({
    state: 'interrupted',
    reason: 'agent_restarted',
    output: '',
  });
  await expect.poll(() => isRunning(scan)).toBe(false);
  await site.broker.send('req', { ...request, ...sentNow() });
  const results = () => site.broker.replies.filter(({ t, id }) => t === 'result' && id === request.id);
  await waitFor('the same result again', () => results().length >= 2);
  expect(new Set(results().map((result) => JSON.stringify(result))).size).toBe(1);
  const acks = site.broker.replies.filter((reply) => reply.t === 'ack');
  expect(acks.map(({ state }) => state)).toEqual(['running', 'finished']);
});

test('an agent that was killed before its result was confirmed sends it again', async () => {
  await using site = await startSite();
  const first = site.start();
  await site.broker.presence('online');
  const request = requestFor({ tool: 'interfaces' });
  await site.broker.send('req', request);
  const result = await site.broker.reply('result', request.id);
  await first[Symbol.asyncDispose]();
  site.broker.replies.length = 0;
  await using _second = site.start();
  expect(await site.broker.reply('result', request.id)).toEqual(result);
});

test.each<{ moment: Moment; acknowledged: boolean; starts: number; state: string }>([
  // The request is unknown then; delivered again, it is run.
  { moment: 'before-journal', acknowledged: false, starts: 1, state: 'succeeded' },
  { moment: 'before-ack', acknowledged: false, starts: 0, state: 'interrupted' },
  { moment: 'while-running', acknowledged: true, starts: 1, state: 'interrupted' },
  { moment: 'before-spool', acknowledged: true, starts: 1, state: 'interrupted' },
  { moment: 'before-publish', acknowledged: true, starts: 1, state: 'succeeded' },
  { moment: 'before-stored', acknowledged: true, starts: 1, state: 'succeeded' },
])('killed $moment: $state', async ({ moment, acknowledged, starts, state }) => {
  await using site = await startSite();
  await using first = site.startDying(moment);
  await site.broker.presence('online');
  const request = requestFor({ tool: 'interfaces' });
  await site.broker.send('req', request);
  expect(await first.ended).toEqual({ code: null, signal: 'SIGKILL' });
  const acks = () => site.broker.replies.filter(({ t }) => t === 'ack').map((ack) => 'state' in ack && ack.state);
  if (!acknowledged) expect(acks()).toEqual([]);
  const results = () => site.broker.replies.filter(({ t }) => t === 'result');
  expect(results()).toHaveLength(moment === 'before-stored' ? 1 : 0);

  const earlier = site.broker.presences.length;
  await using second = site.start();
  await waitFor('the agent', () =>
    site.broker.presences.slice(earlier).find((presence) => presence.state === 'online'),
  );
  const again = { ...request, ...sentNow() };
  await site.broker.send('req', again);
  expect(await site.broker.reply('result', request.id)).toMatchObject({
    state,
    startedAt: starts === 0 ? null : expect.any(Number),
    result: state === 'succeeded' ? { lo: { name: 'lo' } } : null,
  });

  await site.broker.send('ctl', { v: PROTOCOL_VERSION, id: request.id, t: 'stored' });
  await expect.poll(() => readdir(join(site.state, 'spool'))).toEqual([]);
  await site.broker.send('req', again);
  await site.broker.reply('ack', request.id, { state: 'finished' });
  expect(new Set(results().map((result) => JSON.stringify(result))).size).toBe(1);
  expect(`${first.stderr()}${second.stderr()}`.split('"command started"')).toHaveLength(starts + 1);
});

test('what a killed scan has left on the disk is gone after the next start', async () => {
  await using site = await startSite();
  const first = site.start();
  await site.broker.presence('online');
  await sendAndAwaitAck(site.broker, LONG_SCAN);
  const scratch = join(site.state, 'scratch');
  await expect.poll(() => readdir(scratch)).toHaveLength(1);
  expect((await stat(scratch)).mode & 0o777).toBe(0o700);
  await first[Symbol.asyncDispose](); // SIGKILL
  expect(await readdir(scratch)).toHaveLength(1);
  const earlier = site.broker.presences.length;
  await using _second = site.start();
  await waitFor('the agent', () => site.broker.presences.slice(earlier).find(({ state }) => state === 'online'));
  expect(await readdir(scratch)).toEqual([]);
});

test('SIGTERM: what runs may end and is answered, nothing new is taken, and the agent ends in order', async () => {
  await using site = await startSite();
  const asked: ServerResponse[] = [];
  const info = createServer((_request, response) => void asked.push(response));
  const port = await listenOnLoopback(info);
  await using agent = site.start({ INTERNET_INFO_URL: `http://127.0.0.1:${port}/` });
  await site.broker.presence('online');
  const running = await sendAndAwaitAck(site.broker, { tool: 'internetinfo' });
  await waitFor('the question', () => asked[0]);
  agent.child.kill('SIGTERM');
  await site.broker.presence('draining');
  const refused = requestFor({ tool: 'interfaces' });
  await site.broker.send('req', refused);
  expect(await site.broker.reply('result', refused.id)).toMatchObject({ state: 'failed', reason: 'agent_busy' });

  const answer = { ip: '192.0.2.1', city: 'Here', country: 'XX', org: 'None' };
  asked[0]?.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  expect(await site.broker.reply('result', running.id)).toMatchObject({
    state: 'succeeded',
    output: '192.0.2.1 Here, XX None\n',
  });
  expect(await agent.ended).toEqual({ code: 0, signal: null });
  expect(site.broker.presences.at(-1)?.state).toBe('offline');
  info.close();
  info.closeAllConnections();
});

test('whenever it is killed: no command runs twice, no id has two results, what was acknowledged ends', async () => {
  await using site = await startSite();
  const sent: Request[] = [];
  const starts: string[] = [];
  for (let round = 0; round < 8; round++) {
    const earlier = site.broker.presences.length;
    const agent = site.start({ LANREACH_LOG_LEVEL: 'info' });
    await waitFor('the agent', () => site.broker.presences.slice(earlier).find(({ state }) => state === 'online'));
    const killAt = performance.now() + Math.random() * 100;
    while (performance.now() < killAt) {
      sent.push(requestFor({ tool: 'interfaces' }));
      // A fresh one, and one of all that were ever sent, as if the broker delivered it again.
      for (const request of [sent.at(-1)!, sent[Math.floor(Math.random() * sent.length)]!]) {
        await site.broker.send('req', { ...request, ...sentNow() });
      }
      await sleep(Math.random() * 15);
    }
    await agent[Symbol.asyncDispose]();
    const started = agent
      .stderr()
      .split('\n')
      .filter((line) => line.includes('"command started"'));
    starts.push(...started.map((line) => JSON.parse(line).jobId));
  }
  await using _last = site.start();
  const results = () => site.broker.replies.filter(({ t }) => t === 'result');
  const acknowledged = new Set(site.broker.replies.filter(({ t }) => t === 'ack').map(({ id }) => id));
  await waitFor('all results', () => {
    const ended = new Set(results().map(({ id }) => id));
    return [...acknowledged, ...starts].every((id) => ended.has(id));
  });
  expect(starts.length).toBe(new Set(starts).size);
  const different = new Set(results().map((result) => JSON.stringify(result)));
  expect(different.size).toBe(new Set(results().map(({ id }) => id)).size);
});

test('an agent that lives with its parent ends with it', async () => {
  await using site = await startSite();
  await using agent = site.start({ LANREACH_EXIT_WITH_PARENT: '1' });
  await site.broker.presence('online');
  const request = await sendAndAwaitAck(site.broker, LONG_SCAN);
  agent.child.stdin?.end();
  expect(await site.broker.reply('result', request.id)).toMatchObject({ state: 'interrupted' });
  expect(await agent.ended).toEqual({ code: 0, signal: null });
});

test.each([
  ['SIGTERM', 'npx alone'],
  ['SIGHUP', 'npx alone'],
  ['SIGKILL', 'npx alone'],
  // The shell between npx and the agent waits for the end of its command when it gets this one.
  ['SIGINT', 'its process group, as by Ctrl-C'],
] as const)('%s to %s ends an agent that npx has started, and in order', async (signal, to) => {
  await using site = await startSite();
  const { PATH = '', HOME = '' } = process.env;
  // It is to ask no registry for news of npm.
  const quiet = { npm_config_update_notifier: 'false', npm_config_offline: 'true' };
  const child = spawn('npx', ['lanreach-agent', 'run'], {
    cwd: join(import.meta.dirname, '..'),
    env: { PATH, HOME, LANREACH_AGENT_DATA: site.state, ...quiet },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true, // A process group of its own.
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  await using _ = { [Symbol.asyncDispose]: async () => killGroup(child.pid ?? 0) };
  await site.broker.presence('online');
  process.kill((child.pid ?? 0) * (to === 'npx alone' ? 1 : -1), signal);
  await once(child, 'close'); // When nobody has its output open any more: then the agent has ended, too.
  expect(stderr).toContain('agent stopped');
  await expect.poll(() => site.broker.presences.at(-1)).toMatchObject({ state: 'offline' });
  (await lockDirectory(site.state, 0)).release();
});

test('a broker with a certificate of another authority is not spoken to', async () => {
  await using site = await startSite();
  const stranger = await makeTestAuthority();
  await using impostor = await startTestBroker(stranger.broker);
  await using agent = site.start({ LANREACH_BROKER: `mqtts://127.0.0.1:${impostor.port}` });
  await expect.poll(agent.stderr).toContain('cannot connect to the broker');
  expect(impostor.connections).toEqual([]);
  const line = agent
    .stderr()
    .split('\n')
    .find((text) => text.includes('cannot connect to the broker'));
  expect(JSON.parse(line ?? '')).toEqual({
    level: 40,
    time: expect.any(Number),
    agentId: expect.stringMatching(/^[a-z0-9-]+:[a-z0-9-]+$/),
    reason: expect.stringContaining('certificate'),
    msg: 'cannot connect to the broker',
  });
  const doctor = startAgentProcess(program, ['doctor', '--json'], {
    LANREACH_AGENT_DATA: site.state,
    LANREACH_API: 'http://127.0.0.1:1',
  });
  expect((await doctor.ended).code).toBe(1);
  expect(JSON.parse(doctor.stdout()).findings.at(-1)).toMatchObject({
    check: 'connection',
    state: 'problem',
    message: expect.stringContaining('certificate'),
  });
});

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
