import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { startEmulator } from '../test/support/emulator.ts';
import { folderOfEachTest } from '../test/support/folder-of-tests.ts';
import { descendantsOf, isRunning } from '../test/support/processes.ts';
import { PATIENT_ACK_MS } from '../test/test-system.ts';
import { childEnvironment, readConfig } from './config.ts';
import { openDataFolder } from './data-folder.ts';
import { type System, startSystem } from './system.ts';

const COMMAND = '/nettools/interfaces';
const base = folderOfEachTest();
const folder = () => join(base.path, 'data');
const running: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.close();
});

/**
 * Starts it, and runs a command in the moment in which it says that it is ready: that has to work at every start.
 * @param isReady whether its agent can start
 */
async function start(environment: NodeJS.ProcessEnv = {}, { isReady = true } = {}): Promise<System> {
  let ready: Promise<void> = Promise.resolve();
  const system = await startSystem({
    config: readConfig({ ...childEnvironment(), PORT: '0', MQTT_PORT: '0', LANREACH_DATA: folder(), ...environment }),
    log: pino({ level: 'silent' }),
    ackWithinMs: PATIENT_ACK_MS,
    onStep(part, url) {
      if (part !== 'API' || !isReady) return;
      const token = environment.API_TOKEN ?? readFileSync(join(folder(), 'api-token'), 'utf8').trim();
      ready = runWhenReady(url, token);
    },
  });
  running.push(system);
  await ready;
  if (isReady) expect((await get(system, COMMAND)).status).toBe(200);
  return system;
}

async function runWhenReady(url: string, token: string): Promise<void> {
  while ((await fetch(`${url}/health/ready`)).status !== 200);
  const command = await fetch(url + COMMAND, { headers: { authorization: `Bearer ${token}` } });
  expect([command.status, ((await command.json()) as { code?: string }).code]).toEqual([200, undefined]);
}

async function get(system: System, path: string, token = system.token.token) {
  const response = await fetch(system.url + path, { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function importDevice({ url, token }: System, mac: string): Promise<number> {
  const content = Buffer.from(`devName,devMAC\ndevice,${mac}\n`).toString('base64');
  const response = await fetch(`${url}/devices/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content }),
  });
  await response.arrayBuffer();
  return response.status;
}

const deviceMacs = async (system: System) => {
  const { body } = await get(system, '/devices');
  return (body.devices as { devMAC: string }[]).map(({ devMAC }) => devMAC);
};

/** Commands reach the agent and come back. */
async function agentWorks(system: System): Promise<void> {
  await vi.waitUntil(async () => (await get(system, COMMAND)).status === 200, {
    timeout: 60_000,
    interval: 100,
  });
}

async function occupy(port: number): Promise<{ server: Server; port: number }> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  running.push({ close: () => new Promise((resolve) => server.close(() => resolve())) });
  return { server, port: (server.address() as AddressInfo).port };
}

test('everything answers when it has started; the broker is found again, the agent is started again after kill -9, and no process is left after close', async () => {
  const system = await start();
  expect(await get(system, '/health')).toMatchObject({ status: 200 });
  expect(await get(system, '/health/ready')).toMatchObject({ status: 200, body: { status: 'ready' } });
  expect(await get(system, '/devices')).toEqual({ status: 200, body: { success: true, devices: [] } });
  const interfaces = await get(system, '/nettools/interfaces');
  expect(interfaces).toMatchObject({ status: 200, body: { interfaces: { lo: { ipv4: ['127.0.0.1/8'] } } } });
  expect(await system.isAgentOnline()).toBe(true);
  expect(system.token).toMatchObject({ isNew: true, file: join(folder(), 'api-token') });

  await system.parts.restartBroker();
  await agentWorks(system);
  expect(await system.isAgentOnline()).toBe(true);
  expect(system.parts.agent.restarts).toBe(0);

  process.kill(system.parts.agent.pid!, 'SIGKILL');
  const readiness = async () => (await get(system, '/health/ready')).status;
  await vi.waitUntil(async () => (await readiness()) === 503, { timeout: 60_000, interval: 5 });
  await vi.waitUntil(() => system.parts.agent.isReady, { timeout: 60_000 });
  // A moment later, when its presence has been stored.
  await vi.waitUntil(async () => (await readiness()) === 200, { timeout: 60_000, interval: 5 });
  await agentWorks(system);
  expect(system.parts.agent.restarts).toBe(1);

  const agent = system.parts.agent.pid!;
  const pids = [agent, ...descendantsOf(agent)];
  expect(pids.filter(isRunning)).toEqual(pids);
  await system.close();
  expect(pids.filter(isRunning)).toEqual([]);
  await expect(fetch(system.url)).rejects.toThrow();
});

test('at the next start the devices, the token, the identity of the agent and the free port of its broker are still there; a token from outside replaces the own one as long as it is given, and may get another secret behind the same id; an agent enrols again when the database does not know it, or the authority its certificate', async () => {
  await occupy(8883).catch(() => {}); // Another process has it already: as good.
  const first = await start({ MQTT_PORT: '' });
  const { port } = first.parts.broker;
  expect(port).not.toBe(8883);
  expect(await importDevice(first, '00:1E:06:AA:BB:01')).toBe(200);
  const identity = () => readFileSync(join(folder(), 'agents', 'home-main', 'identity.json'), 'utf8');
  const before = identity();
  await first.close();
  await first.close();

  const given = ['a', 'b'].map((letter) => `lr_0123456789abcdef.${letter.repeat(43)}`);
  const statuses = (system: System) =>
    Promise.all([...given, first.token.token].map(async (token) => (await get(system, '/devices', token)).status));
  for (const [token, expected] of [
    [given[0]!, [200, 403, 403]],
    [given[1]!, [403, 200, 403]],
  ] as const) {
    const system = await start({ MQTT_PORT: '', API_TOKEN: token });
    expect(system.token).toEqual({ token, isNew: false, file: null });
    expect(await statuses(system)).toEqual(expected);
    expect(system.parts.broker.port).toBe(port);
    expect(await deviceMacs(system)).toEqual(['00:1E:06:AA:BB:01']);
    expect(identity()).toBe(before);
    await system.close();
  }
  const again = await start();
  expect(again.token).toEqual({ ...first.token, isNew: false });
  expect(await statuses(again)).toEqual([403, 403, 200]);
  await again.close();

  for (const lost of [['lanreach.mdb', 'state.json'], ['ca']]) {
    for (const name of lost) rmSync(join(folder(), name), { recursive: true });
    await (await start()).close();
  }
});

test('an agent that cannot start does not delay the start, and connects when it can', async () => {
  mkdirSync(join(folder(), 'agents', 'home-main'), { recursive: true, mode: 0o700 });
  const policy = join(folder(), 'agents', 'home-main', 'policy.json');
  writeFileSync(policy, 'no JSON');
  const system = await start({}, { isReady: false });
  expect(await system.isAgentOnline()).toBe(false);
  expect((await get(system, '/devices')).status).toBe(200);
  expect((await get(system, '/health/ready')).status).toBe(503);
  expect(await get(system, COMMAND)).toMatchObject({ status: 503, body: { code: 'agent_offline' } });
  rmSync(policy);
  await agentWorks(system);
});

test('a port that is in use is named with its variable, and so is an unreachable DynamoDB; what had been started is stopped', async () => {
  const { server, port } = await occupy(0);
  await expect(start({ PORT: String(port) })).rejects.toThrow(
    `Cannot start the API: port ${port} is in use. Set PORT or HOST to something else`,
  );
  await expect(start({ MQTT_PORT: String(port) })).rejects.toThrow(
    `Cannot start the broker: port ${port} is in use. Set MQTT_PORT`,
  );
  await new Promise((resolve) => server.close(resolve));
  const endpoint = `http://127.0.0.1:${port}`;
  await expect(start({ DYNAMODB_ENDPOINT: endpoint })).rejects.toThrow(`Cannot use ${endpoint}: `);
  (await openDataFolder(folder())).release(); // The folder is free again.
});

test('another DynamoDB than the embedded one serves as well', async () => {
  const other = await startEmulator();
  running.push({ close: async () => other[Symbol.asyncDispose]() });
  const guest = await start({ DYNAMODB_ENDPOINT: other.endpoint });
  expect(existsSync(join(folder(), 'lanreach.mdb'))).toBe(false);
  expect((await get(guest, '/devices')).status).toBe(200);
});
