/** What an agent that has fallen into the wrong hands can do to those who read what it says. */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { gunzipSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openJobStore } from '../functions/commands/job-store.ts';
import { openStores } from '../functions/stores.ts';
import type { Table } from '../functions/table/table.ts';
import { PROTOCOL_VERSION } from '../shared/agent/messages.ts';
import { BROKER_LIMITS, topics } from '../shared/agent/topics.ts';
import { MAX_RESULT_BYTES, packResult } from '../shared/agent/wire.ts';
import { Job, jobs } from '../shared/api/jobs.ts';
import { Command } from '../shared/tools/list.ts';
import type { Response } from './api-client.ts';
import { openIngest } from './support/background-work.ts';
import { type StandIn, standInAt } from './support/enrolled-agent.ts';
import { ENDED, resultOf } from './support/made-up-result.ts';
import { testApi } from './support/test-api.ts';
import { memoryTable } from './test-table.ts';

// The real one, whose calls are counted: what is unpacked decides what a message costs.
vi.mock('node:zlib', async (original) => {
  const zlib = await original<typeof import('node:zlib')>();
  return { ...zlib, gunzipSync: vi.fn(zlib.gunzipSync) };
});
const unpacked = () => vi.mocked(gunzipSync).mock.calls.length;
beforeEach(() => void vi.mocked(gunzipSync).mockClear());

const ROOT = join(import.meta.dirname, '..');
/** What Lambda leaves to the heap of a function with half a gigabyte. */
const HEAP_MB = 460;
const AGENT = 'home:main';
const JOB = 'home.01890000-0000-7000-8000-000000000001';
/** The last 48 bits tell the jobs of this test apart. */
const jobNumber = (n: number) => `${JOB.slice(0, -12)}${n.toString(16).padStart(12, '0')}`;

/** The payload of a result with this text as its JSON, or with this as its gzip. */
function payloadOf(id: string, content: string | Buffer): Buffer {
  const header = JSON.stringify({ v: PROTOCOL_VERSION, t: 'result', id });
  return Buffer.concat([Buffer.from(`${header}\n`), typeof content === 'string' ? gzipSync(content) : content]);
}

const { result: _, ...WITHOUT_RESULT } = ENDED;

/** A result of the largest size there is, made to take as much memory and time as possible when it is read. */
function bomb(filling: string): Buffer {
  const head = `${JSON.stringify(WITHOUT_RESULT).slice(0, -1)},"result":{"hosts":[`;
  const tail = '],"hostsUp":1,"hostsTotal":1}}';
  const times = Math.floor((MAX_RESULT_BYTES - head.length - tail.length) / (filling.length + 1));
  return gzipSync(`${head}${Array.from({ length: times }, () => filling).join(',')}${tail}`);
}

const BOMB = bomb('{}');

/** Ingest as a program of its own, made once for all payloads. */
let ingestUrl: URL;
beforeAll(async () => {
  const program = await build({
    stdin: {
      contents: `
        import { parentPort, workerData } from 'node:worker_threads';
        import { Snapshot } from './functions/devices/collection/snapshot.ts';
        import { openIngest } from './functions/sightings/ingest.ts';
        const log = { info() {}, warn() {}, error() {} };
        const ended = [];
        let next = 0;
        const agents = Array.from({ length: 10 }, (_, i) => 'home:a' + i);
        const jobs = {
          async assignment(id) {
            const command = { tool: 'nmap', target: '10.0.0.0/24', mode: 'fast' };
            return { id, agent: agents[next++], tool: 'nmap', command, createdAt: 1, startedAt: null, hasEnded: false };
          },
          async finish(job, result) {
            await new Promise((resolve) => setTimeout(resolve, 50)); // The database takes its time, and the result waits.
            ended.push(result.reason);
            return true;
          },
        };
        const devices = { read: async (site) => ({ snapshot: new Snapshot(site, 1, []), staleSince: null, born: 0 }) };
        const agentsToTell = { async confirmStored() {} };
        const ingest = openIngest({ jobs, sites: { find: async () => null }, devices, ports: {}, agents: agentsToTell, now: () => new Date() }, log);
        await Promise.all(agents.map((agent) => ingest.result(agent, workerData)));
        parentPort.postMessage(ended);
      `,
      resolveDir: ROOT,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  });
  ingestUrl = new URL(`data:text/javascript,${encodeURIComponent(program.outputFiles[0]!.text)}`);
});

/** Hands a payload of each of ten agents to ingest at once. @returns how they ended in the store */
async function ingestInLittleMemory(payload: Buffer): Promise<string[]> {
  const worker = new Worker(ingestUrl, { workerData: payload, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
  try {
    const [ended] = await once(worker, 'message'); // Rejects with the error that ends the worker.
    return ended;
  } finally {
    await worker.terminate();
  }
}

const HOST = '{"address":"","mac":null,"vendor":null,"names":[],"state":"","timedOut":false,"os":null,"ports":[]}';

test.each([
  // The most elements, the largest objects, and what is read to its end.
  ['0', 'malformed_result'],
  ['{}', 'malformed_result'],
  [HOST, null],
])('ten agents that send the longest result there is, full of %s, do not exhaust ingest', async (filling, reason) => {
  const payload = payloadOf(JOB, bomb(filling));
  expect(payload.length).toBeLessThan(BROKER_LIMITS.packetBytes);
  expect(await ingestInLittleMemory(payload)).toEqual(Array(10).fill(reason));
});

/* ---- Ingest and the table --------------------------------------------------------------------------------------- */

/** Ingest with a table of its own, which says what it stores, confirms and logs. */
function openStored() {
  const table = memoryTable().open();
  const store = openJobStore(table, () => new Date());
  const confirmed: string[] = [];
  const lines: string[] = [];
  const log = { info() {}, warn: (_: object, message: string) => lines.push(message), error() {} };
  const agents = {
    confirmStored: async (agent: string, id: string) => void confirmed.push(`${agent} ${id}`),
    control: async () => {},
  };
  const ingest = openIngest(
    { ...openStores(table, () => new Date()), jobs: store, registry: {} as never, agents, now: () => new Date() },
    log,
  );
  const start = (id: string, agent = AGENT) =>
    store.create({
      id,
      agent,
      command: Command.parse({ tool: 'nmap', target: '10.0.0.1', mode: 'fast' }),
      actor: 'token',
      sourceAddress: null,
    });
  return { store, table, ingest, confirmed, lines, start };
}

/** Rows of the jobs of site home, and the bytes of what is stored in them. */
async function rowsOf(table: Table): Promise<{ rows: number; bytes: number }> {
  let [rows, bytes] = [0, 0];
  for await (const page of table.query('J#home', 'home.', { consistent: true })) {
    rows += page.length;
    for (const item of page) bytes += Object.values(item).reduce<number>((sum, value) => sum + sizeOf(value), 0);
  }
  return { rows, bytes };
}

const sizeOf = (value: unknown) => (value instanceof Uint8Array ? value.length : String(value).length);

test('600 messages for jobs that are unknown, foreign or over unpack nothing, store nothing and do not fill the log', async () => {
  const stored = openStored();
  const { store, ingest, start } = stored;
  const [over, foreign] = [jobNumber(1), jobNumber(2)];
  await start(over);
  await start(foreign, 'home:other');
  await ingest.result(AGENT, payloadOf(over, '{'));
  expect((await store.find(over))?.state).toBe('failed');
  expect(stored.lines).toEqual(['malformed result']);
  const before = await rowsOf(stored.table);
  vi.mocked(gunzipSync).mockClear();
  stored.confirmed.length = 0;

  const ids = Array.from({ length: 600 }, (_, i) =>
    i % 3 === 0 ? over : i % 3 === 1 ? foreign : jobNumber(1_000 + i),
  );
  for (const id of ids) await ingest.result(AGENT, payloadOf(id, BOMB));
  for (let i = 0; i < 100; i++) await ingest.result(AGENT, gzipSync('no header'));

  expect(unpacked()).toBe(0);
  expect(await rowsOf(stored.table)).toEqual(before);
  // So that an agent that means well sends none of them again.
  expect(stored.confirmed).toEqual(ids.map((id) => `${AGENT} ${id}`));
  expect(stored.lines.slice(1).sort()).toEqual([
    'dropped a result without the id of a job',
    'rejected a result for a job of another agent',
  ]);
  expect((await store.find(foreign))?.state).toBe('queued');
});

test('of many results for one job the first counts, and no other is unpacked', async () => {
  const stored = openStored();
  await stored.start(JOB);
  for (let i = 0; i < 50; i++) await stored.ingest.result(AGENT, payloadOf(JOB, BOMB));
  expect(unpacked()).toBe(1);
  expect(await stored.store.find(JOB)).toMatchObject({ state: 'failed', reason: 'malformed_result' });
});

test('what an agent of another version of the protocol says is dropped, and the log says why', async () => {
  const stored = openStored();
  const presence = { v: PROTOCOL_VERSION - 1, t: 'presence', state: 'online', session: 1 };
  await stored.ingest.presence(AGENT, Buffer.from(JSON.stringify(presence)));
  expect(stored.lines).toEqual(['unsupported protocol version; update the agent']);
});

test('what an agent packs better than we do takes no more room than a row has', async () => {
  const stored = openStored();
  await stored.start(JOB);
  const digits = Array.from({ length: 400_000 }, () => Math.random().toString(36)[5]).join('');
  const job = (await stored.store.assignment(JOB))!;
  expect(await stored.store.finish(job, { ...ENDED, output: digits.repeat(2) })).toBe(true);
  expect(await stored.store.find(JOB)).toMatchObject({ state: 'succeeded', output: '', truncated: true });
  expect((await rowsOf(stored.table)).bytes).toBeLessThan(1_000);
});

test.each([
  ['long ago', 1, 1],
  ['in the far future', 8.64e15, 8.64e15],
  ['before it began', Date.now() + 1e9, 1],
])('a command that ran %s, by its agent, ran between its creation and now', async (_, startedAt, endedAt) => {
  const stored = openStored();
  const before = Date.now();
  await stored.start(JOB);
  await stored.ingest.result(AGENT, packResult(resultOf(JOB, { startedAt, endedAt }))!);
  const job = (await stored.store.find(JOB))!;
  const times = [job.createdAt, job.startedAt ?? '', job.endedAt ?? ''].map((time) => Date.parse(time));
  const all = [before, ...times, Date.now()];
  expect(all).toEqual(all.toSorted((a, b) => a - b));
});

/* ---- Ingest, and those who wait for answers ---------------------------------------------------------------------- */

const system = testApi({ hasAgent: true });

/** A request whose command the agent takes and answers with this payload. */
async function answeredWith(
  agent: StandIn,
  send: () => Promise<Response>,
  payload: (id: string) => Buffer,
): Promise<Response & { id: string }> {
  const sent = send();
  const { id, replyTo } = await agent.take();
  await agent.publish(topics.result(replyTo, agent.client), payload(id));
  const answer = await sent;
  await agent.control('stored', id);
  return { ...answer, id };
}

const body = (changes: object) => JSON.stringify({ ...ENDED, ...changes });

test('a result that ended in the year 287396 is a command that failed, with a message, and hides nothing else', async () => {
  const site = await system.addSite();
  await using agent = await standInAt(system, site, 'hostile');
  const send = () => system.request('GET', '/nettools/interfaces', { site });
  const answer = await answeredWith(agent, send, (id) => payloadOf(id, body({ endedAt: 9_007_199_254_740_991 })));
  expect(answer).toMatchObject({
    status: 500,
    json: { code: 'command_failed', message: expect.stringContaining('The agent sent a result that cannot be read: ') },
  });
  const { status, json: found } = await system.request('GET', `/jobs/${answer.id}`);
  const job = Job.parse(found);
  expect([status, job]).toMatchObject([200, { state: 'failed', reason: 'malformed_result' }]);
  expect(job.message).toContain('The agent sent a result that cannot be read: ');
  const listed = jobs.listJobs.response.parse((await system.request('GET', '/jobs', { site })).json);
  expect(listed.jobs.map(({ id }) => id)).toEqual([answer.id]);
  const audit = await system.request('GET', '/audit', { site });
  expect([audit.status, audit.json]).toMatchObject([200, { unreadable: [] }]);
  expect(audit.text).toContain('failed: malformed_result');
  // A success without a result is a failure, not a defect of the service.
  const empty = await answeredWith(agent, send, (id) => payloadOf(id, body({})));
  expect([empty.status, empty.json]).toMatchObject([500, { code: 'command_failed' }]);
});

test('a flood of bombs from one agent unpacks nothing, while another agent answers', async () => {
  const site = await system.addSite();
  await using agent = await standInAt(system, site, 'hostile');
  const over = await answeredWith(
    agent,
    () => system.request('GET', '/nettools/speedtest', { site }),
    (id) => payloadOf(id, body({})),
  );
  const sent = system.request('GET', '/nettools/speedtest', { site, headers: { prefer: 'respond-async' } });
  const { replyTo } = await agent.take(); // The instance that waits for answers, and hears all of this.
  await sent;
  await agent.control('stored', over.id);
  vi.mocked(gunzipSync).mockClear();
  const ids = Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? over.id : `${site}.${uuidv7()}`));
  const flood = (async () => {
    for (const id of ids) {
      const instances = [replyTo, 'lr-local-00000000'];
      const payload = payloadOf(id, BOMB);
      await Promise.all(instances.map((instance) => agent.publish(topics.result(instance, agent.client), payload)));
    }
  })();
  const answer = await system.request('GET', '/nettools/interfaces');
  expect(answer.status).toBe(200);
  await flood;
  await Promise.all(ids.map((id) => agent.control('stored', id)));
  // The one of the other agent: by the function that waits for it, and by ingest.
  expect(unpacked()).toBe(2);
});
