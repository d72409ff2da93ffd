import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { type AttributeValue, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ClientId } from '../shared/identity.ts';
import { digestOf, makeToken, tokenId } from '../store/access/token.ts';
import { makeAgentKey } from '../test/agent-key.ts';
import { makeTestFolder, type TestFolder } from '../test/support/test-folder.ts';
import { PATIENT_ACK_MS } from '../test/test-system.ts';
import { memoryTable } from '../test/test-table.ts';
import { openCertificateAuthority } from './certificate-authority.ts';
import { childEnvironment, readConfig } from './config.ts';
import { type System, type SystemOptions, startSystem } from './system.ts';

let temporary: TestFolder;
let base: string;
let folder: string;
const running: { close(): Promise<void> }[] = [];

beforeEach(() => {
  temporary = makeTestFolder();
  base = temporary.path;
  folder = join(base, 'data');
});
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.close();
  await temporary.remove();
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

/** The id of the new token, or nothing when it was not acknowledged. */
async function createToken({ url, token }: System): Promise<string[]> {
  const response = await fetch(`${url}/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'one of many', scopes: ['devices:read'], sites: ['home'] }),
  });
  const { id } = (await response.json()) as { id: string };
  return response.status === 201 ? [id] : [];
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

function descendantsOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function occupy(port: number): Promise<{ server: Server; port: number }> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  running.push({ close: () => new Promise((resolve) => server.close(() => resolve())) });
  return { server, port: (server.address() as AddressInfo).port };
}

test('when it has started, everything answers', async () => {
  const system = await start();
  expect(await get(system, '/health')).toMatchObject({ status: 200 });
  expect(await get(system, '/health/ready')).toMatchObject({ status: 200, body: { status: 'ready' } });
  expect(await get(system, '/devices')).toEqual({ status: 200, body: { success: true, devices: [] } });
  const interfaces = await get(system, '/nettools/interfaces');
  expect(interfaces).toMatchObject({ status: 200, body: { interfaces: { lo: { ipv4: ['127.0.0.1/8'] } } } });
  expect(await system.isAgentOnline()).toBe(true);
  expect(system.token).toMatchObject({ isNew: true, file: join(folder, 'api-token') });
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

test('at the next start the devices, the token and the identity of the agent are still there', async () => {
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
});

test('a data folder from before there were stages goes on working: the agent keeps its certificate', async () => {
  const first = await start();
  await first.close();
  // As an earlier version left it: certificate and identity name the agent without a stage.
  const file = join(folder, 'agents', 'home-main', 'identity.json');
  const { stage, ...identity } = JSON.parse(readFileSync(file, 'utf8'));
  expect(stage).toBe('local');
  const authority = await openCertificateAuthority(join(folder, 'ca'), ['127.0.0.1']);
  const { key, csr } = await makeAgentKey();
  const { certificate } = await authority.issue('home:main' as ClientId, csr);
  const earlier = JSON.stringify({ ...identity, current: { ...identity.current, key, certificate } });
  writeFileSync(file, earlier);

  const second = await start();
  await agentWorks(second);
  expect(readFileSync(file, 'utf8')).toBe(earlier);
});

test('a second start with the same data folder is refused and leaves the first alone', async () => {
  const system = await start();
  await expect(start()).rejects.toThrow(`in use by process ${process.pid}.`);
  expect((await get(system, '/health/ready')).status).toBe(200);
});

test('the token from outside is admitted; the one that it replaces is not any more', async () => {
  const made = await start();
  await made.close();
  const given = await start({ API_TOKEN: 'correct-horse-battery-staple' });
  expect(given.token).toEqual({ token: 'correct-horse-battery-staple', isNew: false, file: null });
  expect((await get(given, '/devices')).status).toBe(200);
  expect((await get(given, '/devices', made.token.token)).status).toBe(403);
  await given.close();
  const again = await start();
  expect(again.token.token).toBe(made.token.token);
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

test('the agent enrols again when the database does not know it', async () => {
  const first = await start();
  await first.close();
  for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `lanreach.db${end}`), { force: true });
  await expect(start()).rejects.toThrow('Put a copy of the database back');
  rmSync(join(folder, 'seal-key'));
  await agentWorks(await start());
});

test('the agent enrols again when the authority does not know its certificate any more', async () => {
  const first = await start();
  await first.close();
  rmSync(join(folder, 'ca'), { recursive: true });
  await agentWorks(await start());
});

test('kill -9 of a process of the database loses no acknowledged write, and the API is back within seconds', async () => {
  const system = await start();
  expect(await importDevice(system, '00:1E:06:AA:BB:01')).toBe(200);
  const acknowledged: string[] = [];
  let stop = false;
  const writer = (async () => {
    while (!stop) acknowledged.push(...(await createToken(system)));
  })();
  const database = system.parts.database!;
  for (let kill = 1; kill <= 3; kill++) {
    const sofar = acknowledged.length;
    await vi.waitUntil(() => acknowledged.length > sofar + 5, { timeout: 60_000 });
    // The engine is the last of them, behind the process that makes our connections to it.
    const victims = [database.pid!, ...descendantsOf(database.pid!)];
    process.kill(victims[kill % victims.length]!, 'SIGKILL');
    await vi.waitUntil(() => database.restarts === kill && database.isReady, { timeout: 60_000 });
  }
  stop = true;
  await writer;
  const { body } = await get(system, '/tokens');
  const ids = (body.tokens as { id: string }[]).map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(acknowledged));
  expect(await deviceMacs(system)).toEqual(['00:1E:06:AA:BB:01']);
  await agentWorks(system);
});

test('kill -9 of the agent: it comes back, and so do its commands', async () => {
  const system = await start();
  process.kill(system.parts.agent.pid!, 'SIGKILL');
  const readiness = async () => (await get(system, '/health/ready')).status;
  await vi.waitUntil(async () => (await readiness()) === 503, { timeout: 60_000, interval: 5 });
  await vi.waitUntil(() => system.parts.agent.isReady, { timeout: 60_000 });
  // A moment later, when its presence has been stored.
  await vi.waitUntil(async () => (await readiness()) === 200, { timeout: 60_000, interval: 5 });
  await agentWorks(system);
  expect(system.parts.agent.restarts).toBe(1);
});

test('an agent that cannot start keeps nobody waiting, and is there when it can', async () => {
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

test('when the broker is gone for a moment, agent and functions find it again', async () => {
  const system = await start();
  await agentWorks(system);
  await system.parts.restartBroker();
  await agentWorks(system);
  expect(await system.isAgentOnline()).toBe(true);
  expect(system.parts.agent.restarts).toBe(0);
});

test('no process is left after close', async () => {
  const system = await start();
  const roots = [system.parts.agent.pid!, system.parts.database!.pid!];
  const pids = roots.flatMap((pid) => [pid, ...descendantsOf(pid)]);
  expect(pids.filter(isRunning)).toEqual(pids);
  await system.close();
  expect(pids.filter(isRunning)).toEqual([]);
  await expect(fetch(system.url)).rejects.toThrow();
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
  await occupy(8883).catch(() => {}); // Somebody else has it already: as good.
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
  const other = memoryTable();
  running.push({ close: async () => other[Symbol.asyncDispose]() });
  const guest = await start({ DYNAMODB_ENDPOINT: other.database.endpoint });
  expect(guest.parts.database).toBe(null);
  expect((await get(guest, '/devices')).status).toBe(200);
  await agentWorks(guest);
});

describe('a database that other users can reach', () => {
  /** Somebody else's client of the engine, which asks nobody who they are. */
  function strangersClient(system: System): DynamoDBClient {
    const endpoint = system.parts.context.table.client.endpoint.origin;
    const credentials = { accessKeyId: 'anybody', secretAccessKey: 'anything' };
    const client = new DynamoDBClient({ endpoint, region: 'local', credentials });
    running.push({ close: async () => client.destroy() });
    return client;
  }

  const itemAt = async (client: DynamoDBClient, pk: string, sk: string) =>
    (await client.send(new GetItemCommand({ TableName: 'lanreach', Key: { pk: { S: pk }, sk: { S: sk } } }))).Item!;
  const put = (client: DynamoDBClient, Item: Record<string, AttributeValue>) =>
    client.send(new PutItemCommand({ TableName: 'lanreach', Item }));

  test('is told of at the start; one that they cannot reach is not', async () => {
    const steps: string[] = [];
    const onStep = (part: string, detail: string) => steps.push(`${part}: ${detail}`);
    const exposed = await start({}, { isolateDatabase: false, onStep });
    expect(steps).toContainEqual(
      expect.stringMatching(
        /^WARNING: every user of this machine can read and change devices and jobs, because .*README/,
      ),
    );
    await exposed.close();
    steps.length = 0;
    const { parts } = await start({}, { onStep });
    const isIsolated = parts.context.table.client.endpoint.hostname === 'database.invalid';
    expect(steps.some((step) => step.startsWith('WARNING'))).toBe(!isIsolated);
  });

  test('a token, a code and an agent that were forged there have no rights, and that is logged', async () => {
    const logged: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => logged.push(line) });
    const system = await start({}, { isolateDatabase: false, log });
    const client = strangersClient(system);

    const forged = makeToken();
    const genuine = await itemAt(client, `T#${tokenId(system.token.token)}`, 'T');
    const stored = { ...JSON.parse(genuine.d!.S!), digest: digestOf(forged) };
    const row: Record<string, AttributeValue> = {
      ...genuine,
      pk: { S: `T#${tokenId(forged)}` },
      d: { S: JSON.stringify(stored) },
    };
    await put(client, row);
    expect((await get(system, '/devices', forged)).status).toBe(403);
    const { seal: _, ...unsealed } = row;
    await put(client, unsealed);
    expect((await get(system, '/devices', forged)).status).toBe(403);
    expect(logged.filter((line) => line.includes(`T#${tokenId(forged)}`))).toHaveLength(1);

    const [known] = await createToken(system);
    const weak = await itemAt(client, `T#${known}`, 'T');
    const widened = JSON.stringify({ ...JSON.parse(weak.d!.S!), scopes: ['admin'], digest: digestOf(forged) });
    await put(client, { ...weak, d: { S: widened } });
    const { body } = await get(system, '/tokens');
    expect(JSON.stringify(body)).not.toContain(known);
    expect((await get(system, '/devices')).status).toBe(200);
  });

  test('rows from before there were seals are believed at the first start with them', async () => {
    const before = await start({}, { isolateDatabase: false });
    const [token] = await createToken(before);
    const client = await strangersClient(before);
    const rows = [
      [`T#${token}`, 'T'],
      ['S#home', 'A#home:main'],
    ] as const;
    for (const [pk, sk] of rows) {
      const { seal: _, ...unsealed } = await itemAt(client, pk, sk);
      await put(client, unsealed);
    }
    await before.close();
    rmSync(join(folder, 'seal-key'));
    const identity = () => readFileSync(join(folder, 'agents', 'home-main', 'identity.json'), 'utf8');
    const enrolled = identity();
    const after = await start();
    expect(JSON.stringify((await get(after, '/tokens')).body)).toContain(token);
    expect(identity()).toBe(enrolled);
    await agentWorks(after);
    expect(statSync(join(folder, 'seal-key')).mode & 0o777).toBe(0o600);
  });
});

test('a start can be ended while it is under way', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('enough')), 50);
  await expect(start({}, { signal: stop.signal })).rejects.toThrow('enough');
  await start();
});
