/** A server that is lost, and comes back on another host: follows docs/restore.md, step by step. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AGENT_PROGRAM, startAgentProcess } from './support/agent/agent-process.ts';
import { runHere } from './support/cli/command-line.ts';
import { becomes, enrolAgent } from './support/enrolled-agent.ts';
import { freePort } from './support/free-port.ts';
import { makeTestFolder } from './support/test-folder.ts';
import { startTestSystem, type TestSystem } from './test-system.ts';

const DEVICES = 'devMac,devName,devOwner\n02:00:00:00:00:01,nas,me\n02:00:00:00:00:02,printer,\n';

test('restored on another host under the same name, it has devices, tokens and jobs, and its agent comes back by itself', async () => {
  await using folder = makeTestFolder();
  const at = (name: string) => join(folder.path, name);
  // Another host has other folders. The name leads to it, and the ports are those that the agents know.
  const start = async (data: string) =>
    startTestSystem({ HOST: 'localhost', PORT: String(port), MQTT_PORT: String(mqttPort), LANREACH_DATA: at(data) });
  const [port, mqttPort] = [await freePort(), await freePort()];

  const first = await start('first');
  await first.request('POST', '/sites', { body: { id: 'cabin' } });
  await first.importCsv(DEVICES, 'cabin');
  const limited = await first.createToken({ sites: ['cabin'] });
  await using enrolled = await enrolAgent(first, 'cabin', 'main');
  expect(enrolled.identity).toMatchObject({ api: first.url, broker: `mqtts://localhost:${mqttPort}` });
  await using agent = startAgentProcess(AGENT_PROGRAM, [], { LANREACH_AGENT_DATA: enrolled.folder });
  await becomes(first, enrolled.id, 'online');
  const ran = await first.request('GET', '/nettools/interfaces', { site: 'cabin' });
  expect(ran.status).toBe(200);
  // The answer may come before the row.
  await expect.poll(async () => (await known(first, limited)).jobs).toMatchObject([{ state: 'succeeded' }]);
  const before = await known(first, limited);
  const identity = readFileSync(join(enrolled.folder, 'identity.json'), 'utf8');

  const env = { LANREACH_URL: first.url, LANREACH_TOKEN: first.token };
  await succeeds(['backup', '--output', at('lanreach.tar.gz')], env);
  await first.importCsv('devMac,devName\n02:00:00:00:00:03,late\n', 'cabin');
  await first.close();

  await succeeds(['restore', at('lanreach.tar.gz'), '--data', at('second')], {});
  await using second = await start('second');
  expect([second.url, second.token]).toEqual([first.url, first.token]);
  expect(await known(second, limited)).toEqual(before);
  await becomes(second, enrolled.id, 'online');
  expect((await second.request('GET', '/nettools/interfaces', { site: 'cabin' })).status).toBe(200);
  expect(readFileSync(join(enrolled.folder, 'identity.json'), 'utf8')).toBe(identity);
  await expect.poll(() => agent.stderr()).toContain('the server was restored from a backup');
});

/** What a caller sees whose token is for the site alone. */
async function known({ request }: TestSystem, token: string) {
  const devices = await request('GET', '/devices/export?columns=all', { site: 'cabin', token });
  const jobs = await request('GET', '/jobs', { site: 'cabin', token });
  expect([devices.status, jobs.status]).toEqual([200, 200]);
  return { devices: devices.text, jobs: (jobs.json as { jobs: unknown[] }).jobs };
}

async function succeeds(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { code, stderr } = await runHere(args, { env: { PATH: process.env.PATH, ...env } });
  expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
}
