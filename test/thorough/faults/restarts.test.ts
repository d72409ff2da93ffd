/** Agent, broker and server end in the middle of something, and are started again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { endpointOf, tryConnection } from '../../../agent/link/session.ts';
import { isFinal } from '../../../shared/agent/messages.ts';
import { Job } from '../../../shared/api/jobs.ts';
import { becomes, clientOf, enrolAgent } from '../../support/enrolled-agent.ts';
import { ownSystem } from '../../support/shared-system.ts';
import { makeTestFolder } from '../../support/test-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startTestSystem } from '../../test-system.ts';

/** Takes more than ten seconds. */
const LONG_SCAN = { scan: '127.0.0.0/22', mode: 'normal' };

const system = ownSystem({ LOG_LEVEL: 'info' });

const find = async (id: string): Promise<Job> => Job.parse((await system.request('GET', `/jobs/${id}`)).json);
const starts = (id: string) =>
  system.logged.filter((line) => line.jobId === id && line.msg === 'command started').length;

test('the agent is killed while a command runs: interrupted, told to who waits, and never run again', async () => {
  const before = system.logged.length;
  const waiting = system.request('POST', '/nettools/nmap', { body: LONG_SCAN });
  const started = await waitFor('the start of the command', () =>
    system.logged.slice(before).find((line) => line.msg === 'command started' && line.tool === 'nmap'),
  );
  const id = String(started.jobId);
  process.kill(system.system.parts.agent.pid ?? 0, 'SIGKILL');
  const { status, json } = await waiting;
  expect([status, json]).toMatchObject([500, { code: 'command_failed' }]);
  await expect.poll(async () => isFinal((await find(id)).state)).toBe(true);
  const job = await find(id);
  expect(job).toMatchObject({ state: 'interrupted', reason: 'agent_restarted' });
  await becomes(system, 'home:main', 'online');
  await sleep(1_000);
  expect(starts(id)).toBe(1);
  expect(await find(id)).toEqual(job);
});

test('the broker is restarted while a command runs: who watches sees it to its end', async () => {
  const stream = await system.stream('POST', '/nettools/nmap', {
    body: { scan: '127.0.0.0/24', mode: 'skipdiscovery' },
  });
  await stream.first('output');
  await system.system.parts.restartBroker();
  await stream.ended;
  expect(stream.events.at(-1)).toMatchObject({
    event: 'result',
    data: { state: 'succeeded', result: { hostsTotal: 256 } },
  });
});

test('a second start on the same folder is refused; after the first has gone, everything is there, and revoked agents are not', async () => {
  await using folder = makeTestFolder();
  const first = await startTestSystem({ LANREACH_DATA: folder.path });
  await first.importCsv('devName,devMAC\nnas,00:1E:06:AA:BB:01\n');
  const list = (await first.request('GET', '/devices?fields=all')).text;
  await expect(startTestSystem({ LANREACH_DATA: folder.path })).rejects.toThrow(/process \d+|pid \d+/i);
  const site = await first.addSite();
  await using revoked = await enrolAgent(first, site, 'main');
  expect((await first.request('DELETE', `/sites/${site}/agents/main`)).status).toBe(200);
  const { token } = first;
  await first.system.close();
  const second = await startTestSystem({ LANREACH_DATA: folder.path });
  expect(second.token).toBe(token);
  const endpoint = endpointOf(revoked.identity, `mqtts://127.0.0.1:${second.brokerPort}`);
  const login = tryConnection(clientOf(revoked), endpoint, AbortSignal.timeout(60_000));
  await expect(login).rejects.toThrow(/not authorized/i);
  expect((await second.request('GET', `/sites/${site}/agents`)).json).toMatchObject({ agents: [] });
  expect((await second.request('GET', '/devices?fields=all')).text).toBe(list);
  const traceroute = { devLastIP: '127.0.0.1' };
  expect((await second.request('POST', '/nettools/traceroute', { body: traceroute })).status).toBe(200);
  // Nor does the agent of this machine enrol itself again.
  expect((await second.request('DELETE', '/sites/home/agents/main')).status).toBe(200);
  await second.system.close();
  await using third = await startTestSystem({ LANREACH_DATA: folder.path });
  expect((await third.request('GET', '/sites/home/agents')).json).toMatchObject({ agents: [] });
  expect((await third.request('GET', '/nettools/interfaces')).status).toBe(503);
});
