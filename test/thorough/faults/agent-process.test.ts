/** The agent as a process that is killed, stopped and left alone, at any moment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockDirectory } from '../../../agent/state/lock.ts';
import { PROTOCOL_VERSION, type Request } from '../../../shared/agent/messages.ts';
import { Command } from '../../../shared/tools/list.ts';
import { AGENT_PROGRAM, bundleAgent, startAgentProcess } from '../../support/agent/agent-process.ts';
import { CLIENT, requestFor, sentNow, startTestBroker, type TestBroker } from '../../support/agent/broker.ts';
import type { Moment } from '../../support/agent/dying-agent.ts';
import { type AgentSites, CODE, prepareAgentSites } from '../../support/agent/enrolled-site.ts';
import { resultsIn } from '../../support/agent/state-names.ts';
import { listenOnLoopback } from '../../support/loopback.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { makeTestFolder } from '../../support/test-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

let agents: AgentSites;
let dyingProgram: string;
const programs = makeTestFolder();
beforeAll(async () => {
  agents = await prepareAgentSites();
  dyingProgram = await bundleAgent(programs.path, 'dying-agent.ts');
});
afterAll(async () => {
  await programs.remove();
});

async function sendAndAwaitAck(broker: TestBroker, command: Command) {
  const request = requestFor(command);
  await broker.send('req', request);
  await broker.reply('ack', request.id);
  return request;
}

/** Takes more than ten seconds, even on loopback. */
const LONG_SCAN = Command.parse({ tool: 'nmap', target: '127.0.0.0/22', mode: 'normal' });

test('an agent that is started while its host is being enrolled waits, and is not cut off', async () => {
  await using folder = makeTestFolder();
  await using broker = await startTestBroker(agents.authority.broker);
  const state = join(folder.path, 'state');
  await using gate = await startTcpProxy(() => broker.port);
  gate.newConnections = 'hold';
  await using api = await agents.startApi(`mqtts://127.0.0.1:${gate.port}`);
  const enrolment = startAgentProcess(AGENT_PROGRAM, ['enrol', CODE, '--url', api.url], {
    LANREACH_AGENT_DATA: state,
  });
  await expect.poll(() => readdir(state).catch(() => [])).toContain('identity.json');
  await using agent = startAgentProcess(AGENT_PROGRAM, [], {
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

test.each<{ moment: Moment; acknowledged: boolean; starts: number; state: string }>([
  // The request is unknown then; delivered again, it is run.
  { moment: 'before-journal', acknowledged: false, starts: 1, state: 'succeeded' },
  { moment: 'before-ack', acknowledged: false, starts: 0, state: 'interrupted' },
  { moment: 'while-running', acknowledged: true, starts: 1, state: 'interrupted' },
  { moment: 'before-result', acknowledged: true, starts: 1, state: 'interrupted' },
  { moment: 'before-publish', acknowledged: true, starts: 1, state: 'succeeded' },
  { moment: 'before-stored', acknowledged: true, starts: 1, state: 'succeeded' },
])('killed $moment: $state', async ({ moment, acknowledged, starts, state }) => {
  await using site = await agents.startSite();
  await using first = startAgentProcess(dyingProgram, [moment], {
    LANREACH_AGENT_DATA: site.state,
    LANREACH_LOG_LEVEL: 'info',
  });
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
  await expect.poll(() => resultsIn(site.state)).toEqual([]);
  await site.broker.send('req', again);
  await site.broker.reply('ack', request.id, { state: 'finished' });
  expect(new Set(results().map((result) => JSON.stringify(result))).size).toBe(1);
  expect(`${first.stderr()}${second.stderr()}`.split('"command started"')).toHaveLength(starts + 1);
});

test('a scan that was killed with the agent has ended, and what it left on the disk is gone, after the next start', async () => {
  await using site = await agents.startSite();
  const first = site.start();
  await site.broker.presence('online');
  await sendAndAwaitAck(site.broker, LONG_SCAN);
  const scratch = join(site.state, 'scratch');
  await expect.poll(() => readdir(scratch)).toHaveLength(1);
  expect((await stat(scratch)).mode & 0o777).toBe(0o700);
  await first[Symbol.asyncDispose](); // SIGKILL
  expect(await readdir(scratch)).toHaveLength(1);
  const scan = Number(/"pid":(\d+)/.exec(await readFile(join(site.state, 'journal.jsonl'), 'utf8'))?.[1]);
  const earlier = site.broker.presences.length;
  await using _second = site.start();
  await waitFor('the agent', () => site.broker.presences.slice(earlier).find(({ state }) => state === 'online'));
  expect(await readdir(scratch)).toEqual([]);
  await expect.poll(() => isRunning(scan)).toBe(false);
});

test('SIGTERM: what runs may end and is answered, nothing new is taken, and the agent ends in order', async () => {
  await using site = await agents.startSite();
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
  await using site = await agents.startSite();
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

test('an agent stays small, also after it has worked', async () => {
  await using site = await agents.startSite();
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

test('an agent that lives with its parent ends with it', async () => {
  await using site = await agents.startSite();
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
  await using site = await agents.startSite();
  const { PATH = '', HOME = '' } = process.env;
  // It is to ask no registry for news of npm.
  const quiet = { npm_config_update_notifier: 'false', npm_config_offline: 'true' };
  const child = spawn('npx', ['lanreach-agent', 'run'], {
    cwd: join(import.meta.dirname, '..', '..', '..'),
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
