/** What an agent that has fallen into the wrong hands can do to those who read what it says. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { openJobStore } from '../functions/dynamodb/job-store.ts';
import { openIngest } from '../functions/ingest/ingest.ts';
import { CHUNK_BYTES, type Chunk, PROTOCOL_VERSION } from '../shared/agent/messages.ts';
import { MAX_MESSAGE_BYTES, MAX_VALUES } from '../shared/agent/wire.ts';
import { startTable } from './test-table.ts';

const ROOT = join(import.meta.dirname, '..');
/** What Lambda leaves to the heap of a function with half a gigabyte. */
const HEAP_MB = 460;
const JOB = 'home.01890000-0000-7000-8000-000000000001';

/** A message of at most so many bytes and values, made to take as much memory as possible when it is read. */
function bomb(filling: string, bytes: number, values: number): Buffer {
  const result = { v: PROTOCOL_VERSION, id: JOB, t: 'result', state: 'succeeded', reason: null, message: null };
  const rest = { output: '', truncated: false, startedAt: 1, endedAt: 2, data: [] };
  const [head, tail] = JSON.stringify({ ...result, ...rest }).split(/(?<="data":\[)/) as [string, string];
  const room = bytes - head.length - tail.length;
  const each = (`${filling},`.match(/[,[{]/g) ?? []).length;
  const times = Math.floor(Math.min(room / (filling.length + 1), (values - 100) / each));
  const json = `${head}${Array.from({ length: times }, () => filling).join(',')}${tail}`;
  const compressed = gzipSync(json);
  const sha = createHash('sha256').update(compressed).digest('hex');
  const d = compressed.toString('base64');
  const chunk = { v: PROTOCOL_VERSION, id: JOB, t: 'chunk', i: 0, n: 1, len: compressed.length, sha, d };
  return Buffer.from(JSON.stringify(chunk));
}

/** Hands a payload of each of ten agents to ingest at once. @returns how many results came to the store */
async function ingestInLittleMemory(payload: Buffer): Promise<number> {
  const program = await build({
    stdin: {
      contents: `
        import { parentPort, workerData } from 'node:worker_threads';
        import { openIngest } from './functions/ingest/ingest.ts';
        const log = { info() {}, warn() {}, error() {} };
        let stored = 0;
        const jobs = {
          async finish(agent, result) {
            await new Promise((resolve) => setTimeout(resolve, 50)); // The database takes its time, and the result waits.
            stored += result.data.length > 0 ? 1 : 0;
            return 'stored';
          },
        };
        const ingest = openIngest({ jobs, sites: {}, agents: { async confirmStored() {} } }, log);
        const agents = Array.from({ length: 10 }, (_, i) => 'home:a' + i);
        await Promise.all(agents.map((agent) => ingest.result(agent, workerData)));
        parentPort.postMessage(stored);
      `,
      resolveDir: ROOT,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  });
  const url = new URL(`data:text/javascript,${encodeURIComponent(program.outputFiles[0]!.text)}`);
  const worker = new Worker(url, {
    workerData: payload,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  try {
    const [stored] = await once(worker, 'message'); // Rejects with the error that ends the worker.
    return stored;
  } finally {
    await worker.terminate();
  }
}

test.each(['[]', '{}', '[[]]', '0.5', '{"":{}}'])(
  'ten agents that send the largest message there is, full of %s, do not exhaust ingest',
  async (filling) => {
    const payload = bomb(filling, MAX_MESSAGE_BYTES, MAX_VALUES);
    expect(payload.length).toBeLessThan(128 * 1024); // It fits into one packet of the broker.
    expect(await ingestInLittleMemory(payload)).toBe(10);
  },
  60_000,
);

test.each([
  ['longer', 8 * MAX_MESSAGE_BYTES, MAX_VALUES],
  ['fuller', MAX_MESSAGE_BYTES, 3 * MAX_VALUES],
  ['longer and fuller', 8 * MAX_MESSAGE_BYTES, 24 * MAX_VALUES],
])('a %s one is dropped', { timeout: 60_000 }, async (_, bytes, values) => {
  expect(await ingestInLittleMemory(bomb(`"${'x'.repeat(bytes / values)}"`, bytes, values))).toBe(0);
});

test('the last chunk of a message, sent over and over, has the others read a limited number of times', async () => {
  await using engine = await startTable();
  const table = engine.open();
  const jobs = openJobStore(table, () => new Date());
  const [agent, other] = ['home:main', 'home:other'];
  await jobs.create({ id: JOB, agent, command: { tool: 'interfaces' }, actor: 'token' });
  const d = Buffer.alloc(CHUNK_BYTES).toString('base64');
  const sha = '0'.repeat(64); // Of nothing that they are.
  const chunk = (i: number): Chunk => ({
    v: PROTOCOL_VERSION,
    id: JOB,
    t: 'chunk',
    i,
    n: 4,
    len: 4 * CHUNK_BYTES,
    sha,
    d,
  });
  for (const i of [0, 1, 2]) expect(await jobs.addChunk(agent, chunk(i))).toBeNull();
  expect(await jobs.addChunk(other, chunk(3))).toBeNull();
  expect(await jobs.addChunk(agent, chunk(3))).toHaveLength(4 * CHUNK_BYTES);
  let read = 0;
  for (let i = 0; i < 120; i++) read += (await jobs.addChunk(agent, chunk(3))) === null ? 0 : 1;
  expect(read).toBe(100);
  expect(await jobs.addChunk(agent, chunk(0))).toBeNull();
}, 60_000);

test('a result that is nested deeper than it could be written down again is dropped, and comes no second time', async () => {
  await using engine = await startTable();
  const jobs = openJobStore(engine.open(), () => new Date());
  const agent = 'home:main';
  await jobs.create({ id: JOB, agent, command: { tool: 'interfaces' }, actor: 'token' });
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  const ingest = openIngest({ jobs, sites: {} as never, agents: { confirmStored: async () => {} } }, silent);
  const result = { v: PROTOCOL_VERSION, id: JOB, t: 'result', state: 'succeeded', reason: null, message: null };
  const rest = { output: '', truncated: false, startedAt: 1, endedAt: 2 };
  const nested = (levels: number) =>
    Buffer.from(
      `${JSON.stringify({ ...result, ...rest }).slice(0, -1)},"data":${'['.repeat(levels)}${']'.repeat(levels)}}`,
    );
  await ingest.result(agent, nested(50_000));
  expect((await jobs.find(JOB))?.state).toBe('queued');
  await ingest.result(agent, nested(60));
  expect((await jobs.find(JOB))?.state).toBe('succeeded');
});
