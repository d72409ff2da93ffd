import { X509Certificate } from 'node:crypto';
import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { FORMAT, otherFormat } from '../shared/format.ts';
import { AGENT_PROGRAM, startAgentProcess } from '../test/support/agent/agent-process.ts';
import { AGENT, CLIENT, requestFor, startTestBroker } from '../test/support/agent/broker.ts';
import { type AgentSites, CODE, prepareAgentSites } from '../test/support/agent/enrolled-site.ts';
import { namesIn } from '../test/support/agent/state-names.ts';
import { folderOfEachTest } from '../test/support/folder-of-tests.ts';
import { listingOf } from '../test/support/listing.ts';
import { startTcpProxy } from '../test/support/tcp-proxy.ts';
import { makeTestAuthority } from '../test/support/test-authority.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { readIdentity } from './identity/identity.ts';
import { queryHolder } from './state/lock.ts';

const folder = folderOfEachTest();

let agents: AgentSites;
beforeAll(async () => {
  agents = await prepareAgentSites();
});

/** Enrols, and says how that ended. */
async function enrol(state: string, url: string, code = CODE, input?: string) {
  const args = ['enrol', code, '--url', url];
  const enrolment = startAgentProcess(AGENT_PROGRAM, args, { LANREACH_AGENT_DATA: state }, input);
  const { code: exitCode } = await enrolment.ended;
  return { exitCode, stdout: enrolment.stdout(), stderr: enrolment.stderr() };
}

test('a host is enrolled, and its agent connects with its certificate, runs a command and ends in order; it is enrolled again only when no agent runs, and the code stays good', async () => {
  await using site = await agents.startSite();
  const next = `The identity is in ${site.state}. Next: lanreach-agent run\n`;
  expect(site.stdout.replace(/\d+\.\d s/, '1 s')).toBe(`connected as ${AGENT} in 1 s\n${next}`);
  expect(site.broker.connections).toEqual([CLIENT]);
  expect(site.broker.presences).toEqual([]);
  expect((await stat(site.state)).mode & 0o777).toBe(0o700);
  expect(await namesIn(site.state)).toEqual(['format', 'identity.json']);
  expect((await stat(join(site.state, 'identity.json'))).mode & 0o777).toBe(0o600);
  const { key, certificate } = await readIdentity(site.state);
  expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----/);
  expect(new X509Certificate(certificate).publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });

  await using agent = site.start();
  expect(await site.broker.presence('online')).toMatchObject({ version: expect.stringMatching(/^\d/) });
  const request = requestFor({ tool: 'interfaces' });
  await site.broker.send('req', request);
  const result = { lo: { name: 'lo', type: 'loopback' } };
  expect(await site.broker.reply('result', request.id)).toMatchObject({ state: 'succeeded', result });

  // While it runs, the host is not enrolled over it.
  await using api = await agents.startApi(`mqtts://127.0.0.1:${site.broker.port}`);
  const refused = await enrol(site.state, api.url);
  expect(refused.stderr).toMatch(/Another agent is running.*the code has not been used/s);
  expect([refused.exitCode, api.requests()]).toEqual([1, 0]);
  expect(site.broker.connections).toEqual([CLIENT, CLIENT]); // The enrolment and the agent; neither was cut off.

  agent.child.kill('SIGTERM');
  expect(await agent.ended).toEqual({ code: 0, signal: null });
  expect(site.broker.presences.at(-1)?.state).toBe('offline');
  expect(agent.stderr()).not.toContain(key);
  const again = await enrol(site.state, api.url, 'used');
  expect(again.exitCode).toBe(1);
  for (const text of ['code is unknown, used or expired', `This host has been enrolled as ${AGENT} already`])
    expect(again.stderr).toContain(text);
  expect((await readIdentity(site.state)).certificate).toBe(certificate);

  // The code from standard input, so that no list of processes shows it.
  expect(await enrol(site.state, `${api.url}/`, '-', `${CODE}\n`)).toMatchObject({ exitCode: 0 });
  expect(await readIdentity(site.state)).toMatchObject({ agent: AGENT, api: `${api.url}/` });
  expect((await readIdentity(site.state)).certificate).not.toBe(certificate);
});

test('where another server answers for the broker, the identity is kept and the message names possible causes', async () => {
  const stranger = await makeTestAuthority();
  await using impostor = await startTestBroker(stranger.broker);
  await using api = await agents.startApi(`mqtts://127.0.0.1:${impostor.port}`);
  const state = join(folder.path, 'state');
  const { exitCode, stdout, stderr } = await enrol(state, api.url);
  expect([exitCode, stdout]).toEqual([1, '']);
  for (const text of [`This host is ${AGENT} now`, 'the TLS handshake fails', `kept in ${state}: do not enrol again`])
    expect(stderr).toContain(text);
  expect(await namesIn(state)).toEqual(['format', 'identity.json']);

  await using agent = startAgentProcess(AGENT_PROGRAM, [], { LANREACH_AGENT_DATA: state });
  await expect.poll(agent.stderr).toContain('cannot connect to the broker');
  expect(impostor.connections).toEqual([]);
  const line = agent
    .stderr()
    .split('\n')
    .find((text) => text.includes('cannot connect'));
  const why = { reason: expect.stringContaining('certificate'), msg: 'cannot connect to the broker' };
  expect(JSON.parse(line ?? '')).toEqual({ level: 40, time: expect.any(Number), agentId: AGENT, ...why });
  // What the doctor reads.
  const status = JSON.parse((await queryHolder(state))?.status ?? '');
  expect(status).toMatchObject({ connected: false, reason: expect.stringContaining('certificate') });
});

test('enrolment retries a broker that does not know the certificate yet', async () => {
  await using broker = await startTestBroker(agents.authority.broker);
  await using late = await startTcpProxy(() => broker.port);
  late.newConnections = 'cut-after-handshake';
  await using api = await agents.startApi(`mqtts://127.0.0.1:${late.port}`);
  const state = join(folder.path, 'state');
  const enrolment = enrol(state, api.url);
  await waitFor('the first attempt', () => late.attempts.length > 0);
  late.newConnections = 'pass';
  expect(await enrolment).toMatchObject({ exitCode: 0 });
  expect(late.attempts).toHaveLength(2);
});

test('what is wrong with a command line or a setting is explained; help and version are there', async () => {
  const run = async (args: string[], environment: Record<string, string>) => {
    const agent = startAgentProcess(AGENT_PROGRAM, args, environment);
    return { code: (await agent.ended).code, text: agent.stdout() + agent.stderr() };
  };
  const cases: [string[], Record<string, string>, number, string][] = [
    [['enrol', CODE], {}, 2, 'requires --url'],
    [['enrol', CODE, '--url', 'nowhere'], {}, 2, '--url: expected'],
    [['dance'], {}, 2, 'there is no command "dance"\nSee lanreach-agent --help\n'],
    [[], { LANREACH_LOG_LEVEL: 'loud' }, 2, 'LANREACH_LOG_LEVEL'],
    [[], { LANREACH_AGENT_DATA: '/nonexistent' }, 2, 'not enrolled'],
    [['--help'], {}, 0, 'LANREACH_AGENT_DATA'],
  ];
  const answers = await Promise.all(cases.map(([args, environment]) => run(args, environment)));
  for (const [i, [args, , code, text]] of cases.entries())
    expect([args, answers[i]]).toEqual([args, { code, text: expect.stringContaining(text) }]);
});

test('a state directory that others can change, of another format, or with a malformed policy is refused by the agent and left as it is', async () => {
  await using site = await agents.startSite();
  const runs = async () => {
    const before = listingOf(site.state);
    await using agent = site.start();
    const { code } = await agent.ended;
    expect(listingOf(site.state)).toEqual(before);
    return [code, agent.stderr()];
  };
  await chmod(join(site.state, 'identity.json'), 0o620);
  expect(await runs()).toEqual([2, expect.stringContaining(`chmod go-w ${join(site.state, 'identity.json')}`)]);
  await chmod(join(site.state, 'identity.json'), 0o600);
  await writeFile(join(site.state, 'policy.json'), '{"nmap": {"maxAddresses": "all"}}');
  expect(await runs()).toEqual([1, expect.stringContaining('nmap.maxAddresses')]);

  await writeFile(join(site.state, 'format'), `${FORMAT + 1}\n`);
  const message = `lanreach-agent: ${otherFormat(`The state directory ${site.state}`, FORMAT + 1)}\n`;
  expect(await runs()).toEqual([2, message]);
  await using api = await agents.startApi(`mqtts://127.0.0.1:${site.broker.port}`);
  const before = listingOf(site.state);
  expect(await enrol(site.state, api.url)).toEqual({ exitCode: 2, stdout: '', stderr: message });
  expect([listingOf(site.state), api.requests()]).toEqual([before, 0]);
  // As the message says: what is there is removed, and the host enrolled again.
  const removal = startAgentProcess(AGENT_PROGRAM, ['uninstall'], { LANREACH_AGENT_DATA: site.state });
  expect(await removal.ended).toMatchObject({ code: 0 });
  expect((await enrol(site.state, api.url)).exitCode).toBe(0);
});
