/** Hosts that become agents with a claim key, as the real program does it. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Claim, ClaimKey } from '../shared/api/claims.ts';
import { startAgentProcess } from './support/agent/agent-process.ts';
import { namesIn } from './support/agent/state-names.ts';
import { becomes } from './support/enrolled-agent.ts';
import { makeTestFolder } from './support/test-folder.ts';
import { startTestSystem, type TestSystem } from './test-system.ts';

const PROGRAM = join(import.meta.dirname, '..', 'dist', 'agent.js');

let system: TestSystem;
beforeAll(async () => {
  system = await startTestSystem();
});
afterAll(() => system.close());

async function makeKey(wanted: object) {
  const site = await system.addSite();
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const body = { name: 'shops', uses: 3, expiresAt, site, ...wanted };
  const { json } = await system.request('POST', '/claim-keys', { body });
  return { ...(json as ClaimKey & { secret: string }), site };
}

const claimsOf = async (key: string) =>
  ((await system.request('GET', `/claims?key=${key}`)).json as { claims: Claim[] }).claims;

/** A host with a state directory of its own. */
function newHost() {
  const folder = makeTestFolder();
  const state = join(folder.path, 'state');
  const environment = { LANREACH_AGENT_DATA: state, LANREACH_BROKER: `mqtts://127.0.0.1:${system.brokerPort}` };
  return {
    state,
    async enrol(secret: string) {
      const line = startAgentProcess(PROGRAM, ['enrol', '-', '--url', system.url], environment, secret);
      const { code } = await line.ended;
      return { code, stdout: line.stdout(), stderr: line.stderr() };
    },
    start: () => startAgentProcess(PROGRAM, ['run'], environment),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test('a host waits to be approved, also after a crash, and is an agent then', async () => {
  const { id, secret, site } = await makeKey({});
  await using host = newHost();
  const first = await host.enrol(secret);
  expect([first.code, first.stderr]).toEqual([0, '']);
  const [claim] = await claimsOf(id);
  expect(first.stdout).toContain(`waits for somebody who approves it: lanreach agent approve ${claim!.id}`);
  expect(await namesIn(host.state)).toEqual(['claim.json']);
  const path = join(host.state, 'claim.json');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, 'utf8')).not.toContain(secret);

  await using waiting = host.start();
  await expect.poll(waiting.stderr).toContain('waiting for somebody who approves this host');
  waiting.child.kill('SIGKILL');
  await waiting.ended;
  // The line again, which a person may run who sees nothing happen: the same claim.
  expect((await host.enrol(secret)).code).toBe(0);
  expect(await claimsOf(id)).toMatchObject([{ id: claim!.id, state: 'waiting' }]);

  const approved = await system.request('POST', '/claims/approve', { body: { ids: [claim!.id], name: 'till' } });
  expect(approved.json).toMatchObject({ failed: [] });
  await using agent = host.start();
  await becomes(system, `${site}:till`, 'online');
  expect(await namesIn(host.state)).not.toContain('claim.json');
  expect(agent.stderr()).not.toContain('PRIVATE KEY');
  expect(await claimsOf(id)).toMatchObject([{ state: 'enrolled', agent: `${site}:till` }]);
});

test('with a key that lets hosts in at once, several become agents together, and none twice', async () => {
  const { id, secret, site } = await makeKey({ approve: 'at once' });
  await using first = newHost();
  await using second = newHost();
  const lines = await Promise.all([first.enrol(secret), second.enrol(secret)]);
  for (const { code, stdout, stderr } of lines) {
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`connected as ${site}:`);
  }
  const agents = (await claimsOf(id)).map(({ agent }) => agent);
  expect(new Set(agents).size).toBe(2);
  const again = await first.enrol(secret);
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('already, so nothing was claimed')]);
  expect(await claimsOf(id)).toHaveLength(2);
});

test('a host that is refused, or in a wrong network, says so and keeps nothing', async () => {
  const foreign = await makeKey({ from: ['192.0.2.0/24'] });
  await using host = newHost();
  const outside = await host.enrol(foreign.secret);
  expect([outside.code, outside.stderr]).toEqual([1, expect.stringContaining('not for requests from 127.0.0.1')]);
  expect(await namesIn(host.state)).toEqual([]);

  const { id, secret } = await makeKey({});
  await host.enrol(secret);
  const [claim] = await claimsOf(id);
  await system.request('POST', '/claims/refuse', { body: { ids: [claim!.id] } });
  await using agent = host.start();
  expect(await agent.ended).toEqual({ code: 2, signal: null });
  expect(agent.stderr()).toContain('The claim of this host has been refused');
  expect(await namesIn(host.state)).toEqual([]);
});
