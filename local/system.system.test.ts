import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startEmulator } from '../test/support/emulator.ts';
import { folderOfEachTest } from '../test/support/folder-of-tests.ts';
import { descendantsOf, isRunning } from '../test/support/processes.ts';
import { PATIENT_ACK_MS } from '../test/test-system.ts';
import { childEnvironment, readConfig } from './config.ts';
import { type System, type SystemOptions, startSystem } from './system.ts';

const temporary = folderOfEachTest();
let base: string;
let folder: string;
const running: { close(): Promise<void> }[] = [];

beforeEach(() => {
  base = temporary.path;
  folder = join(base, 'data');
});
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.close();
});

async function start(environment: NodeJS.ProcessEnv = {}, options: Partial<SystemOptions> = {}): Promise<System> {
  const system = await startSystem({
    config: readConfig({ ...childEnvironment(), PORT: '0', MQTT_PORT: '0', LANREACH_DATA: folder, ...environment }),
    log: pino({ level: 'silent' }),
    ackWithinMs: PATIENT_ACK_MS,
    ...options,
  });
  running.push(system);
  return system;
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
  await vi.waitUntil(async () => (await get(system, '/nettools/interfaces')).status === 200, {
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
  expect(system.token).toMatchObject({ isNew: true, file: join(folder, 'api-token') });

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

test('ready means that a command is taken, at every start and from the first moment on', async () => {
  const token = 'correct-horse-battery-staple';
  const answers: unknown[] = [];
  for (let n = 0; n < 4; n++) {
    let probing: Promise<unknown> = Promise.resolve();
    /** Asks for readiness from the moment in which the API answers, and runs a command as soon as it is given. */
    const probe = async (url: string) => {
      for (;;) {
        const { status } = await fetch(`${url}/health/ready`);
        if (status !== 200) continue;
        const command = await fetch(`${url}/nettools/interfaces`, { headers: { authorization: `Bearer ${token}` } });
        answers.push([command.status, ((await command.json()) as { code?: string }).code]);
        return;
      }
    };
    const onStep = (part: string, detail: string) => {
      if (part === 'API') probing = probe(detail);
    };
    // Every other start enrols the agent anew, which connects once before the agent itself does.
    if (n % 2 === 0) rmSync(folder, { recursive: true, force: true });
    const system = await start({ API_TOKEN: token }, { onStep });
    answers.push([(await get(system, '/nettools/interfaces')).status, undefined]);
    await probing;
    await system.close();
  }
  expect(answers).toEqual(answers.map(() => [200, undefined]));
});

test('at the next start the devices, the token and the identity of the agent are still there; a token from outside replaces the own one as long as it is given', async () => {
  const first = await start();
  expect(await importDevice(first, '00:1E:06:AA:BB:01')).toBe(200);
  const identity = () => readFileSync(join(folder, 'agents', 'home-main', 'identity.json'), 'utf8');
  const before = identity();
  await first.close();
  await first.close();

  const second = await start();
  expect(second.token).toEqual({ ...first.token, isNew: false });
  expect(await deviceMacs(second)).toEqual(['00:1E:06:AA:BB:01']);
  expect(identity()).toBe(before);
  await agentWorks(second);
  await second.close();

  const given = await start({ API_TOKEN: 'correct-horse-battery-staple' });
  expect(given.token).toEqual({ token: 'correct-horse-battery-staple', isNew: false, file: null });
  expect((await get(given, '/devices')).status).toBe(200);
  expect((await get(given, '/devices', first.token.token)).status).toBe(403);
  await given.close();
  const again = await start();
  expect(again.token.token).toBe(first.token.token);
  expect((await get(again, '/devices')).status).toBe(200);
  expect((await get(again, '/devices', 'correct-horse-battery-staple')).status).toBe(403);
});

test('a token from outside may get another secret behind the same id', async () => {
  const tokens = ['a', 'b'].map((letter) => `lr_0123456789abcdef.${letter.repeat(43)}`);
  for (const token of tokens) {
    const given = await start({ API_TOKEN: token });
    const statuses = await Promise.all(tokens.map(async (one) => (await get(given, '/devices', one)).status));
    expect(statuses).toEqual(tokens.map((one) => (one === token ? 200 : 403)));
    await given.close();
  }
});

test('the agent enrols again when the database does not know it, or the authority its certificate', async () => {
  for (const lost of [[], ['lanreach.mdb', 'state.json'], ['ca']]) {
    for (const name of lost) rmSync(join(folder, name), { recursive: true });
    const system = await start();
    await agentWorks(system);
    await system.close();
  }
});

test('an agent that cannot start does not delay the start, and connects when it can', async () => {
  const first = await start();
  await first.close();
  const policy = join(folder, 'agents', 'home-main', 'policy.json');
  writeFileSync(policy, 'no JSON');
  const second = await start();
  expect(await second.isAgentOnline()).toBe(false);
  expect((await get(second, '/devices')).status).toBe(200);
  expect((await get(second, '/health/ready')).status).toBe(503);
  expect(await get(second, '/nettools/interfaces')).toMatchObject({ status: 503, body: { code: 'agent_offline' } });
  rmSync(policy);
  await agentWorks(second);
});

test('a port that is in use is named with its variable, and what had been started is stopped', async () => {
  const { port } = await occupy(0);
  await expect(start({ PORT: String(port) })).rejects.toThrow(
    `Cannot start the API: port ${port} is in use. Set PORT or HOST to something else`,
  );
  await expect(start({ MQTT_PORT: String(port) })).rejects.toThrow(
    `Cannot start the broker: port ${port} is in use. Set MQTT_PORT`,
  );
  await start(); // The folder is free again.
});

test('without MQTT_PORT a free port is found when the usual one is in use, and kept for the agents that know it', async () => {
  await occupy(8883).catch(() => {}); // Another process has it already: as good.
  const first = await start({ MQTT_PORT: '' });
  const { port } = first.parts.broker;
  expect(port).not.toBe(8883);
  await agentWorks(first);
  await first.close();
  const second = await start({ MQTT_PORT: '' });
  expect(second.parts.broker.port).toBe(port);
});

test('an unreachable DynamoDB is named', async () => {
  const { server, port } = await occupy(0);
  await new Promise((resolve) => server.close(resolve));
  await expect(start({ DYNAMODB_ENDPOINT: `http://127.0.0.1:${port}` })).rejects.toThrow(
    `Cannot use http://127.0.0.1:${port}: `,
  );
});

test('another DynamoDB than the embedded one serves as well', async () => {
  const other = await startEmulator();
  running.push({ close: async () => other[Symbol.asyncDispose]() });
  const guest = await start({ DYNAMODB_ENDPOINT: other.endpoint });
  expect(existsSync(join(folder, 'lanreach.mdb'))).toBe(false);
  expect((await get(guest, '/devices')).status).toBe(200);
  await agentWorks(guest);
});
