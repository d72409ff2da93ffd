/**
 * The running system does what its OpenAPI document says, and nothing else: requests that fit it, that do not, and that
 * make no sense, for every operation that the document has. A new operation is tested without a line here.
 *
 * No packet leaves this machine, by construction: the policy of the only agent switches every tool off but the one that
 * lists interfaces, and discovery too, and this process opens connections to loopback alone.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOOLS } from '../../shared/tools/list.ts';
import { type Contract, type Operation, readContract } from '../contract/document.ts';
import { methodsFor, requestsFor, type Sent, type Source } from '../contract/requests.ts';
import { faultsOf, type Received } from '../contract/verdict.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { startTestSystem, type TestSystem } from '../test-system.ts';

/** Without another seed it follows from the document, so that each document is asked other things, but always the same. */
const SEED = seedOf(process.env.CONTRACT_SEED ?? 'document');
/** Requests at once. */
const AT_ONCE = 4;
const LEAST_REQUESTS = 2_000;
/** Answers with 429, which say little, may be one in so many. */
const MOST_LIMITED = 5;

/** As the examples of the document have it. */
const DEVICE = '00:1E:06:AA:BB:01';
const CSV = `devName,devMAC,devIP,devStatus\nswitch,00:1E:06:AA:BB:00,192.168.1.2,online\nnas,${DEVICE},192.168.1.20,online\n,,192.168.1.30,down\n`;

const folder = makeTestFolder();
const connect = Socket.prototype.connect;
let system: TestSystem;
let token: string;
let contract: Contract;
let source: Source;

beforeAll(async () => {
  console.log(`CONTRACT_SEED=${SEED} npx vitest run test/thorough/contract-fuzz.test.ts`);
  const state = join(folder.path, 'agents', 'home-main');
  await mkdir(state, { recursive: true, mode: 0o700 });
  const off = TOOLS.filter((tool) => tool !== 'interfaces').map((tool) => [tool, { enabled: false }]);
  const policy = { discovery: { allow: false }, ...Object.fromEntries(off) };
  await writeFile(join(state, 'policy.json'), JSON.stringify(policy), { mode: 0o600 });
  Socket.prototype.connect = loopbackOnly;
  system = await startTestSystem({ LANREACH_DATA: folder.path });
  // For one site, so that it can neither add others nor remove this one.
  token = await system.createToken({ sites: ['home'] });
  const document = (await system.request('GET', '/openapi.json', { token: null })).json as object;
  contract = readContract(document);
  await system.request('GET', '/nettools/interfaces');
  const [job = ''] = await system.newestJobs(1);
  source = {
    contract,
    token,
    seed: SEED,
    real: {
      '/jobs/{id}': { id: job },
      '/jobs/{id}/events': { id: job },
      '/enrol/renew': { at: Date.now() },
      '/series': { of: 'speed' },
      '/series/export': { of: 'speed' },
    },
  };
});
afterAll(async () => {
  await system?.close();
  Socket.prototype.connect = connect;
  await folder.remove();
});

/** Connections of the API, and of what it might call, go to this machine or fail. */
function loopbackOnly(this: Socket, ...args: unknown[]): Socket {
  const [first] = args.flat() as { host?: string; path?: string }[];
  const host = first?.host ?? 'localhost';
  if (!/^(?:localhost|127\.[\d.]+|::1)$/.test(host)) throw new Error(`a connection to ${host} is not allowed here`);
  return connect.apply(this, args as Parameters<Socket['connect']>);
}

async function send({ method, path, headers, body }: Sent): Promise<Received> {
  const abort = new AbortController();
  const response = await fetch(system.url + path, {
    method,
    headers,
    signal: abort.signal,
    redirect: 'manual',
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  });
  if (response.headers.get('content-type') === 'text/event-stream') {
    const { value } = (await response.body?.getReader().read()) ?? {};
    abort.abort(); // Some go on for minutes.
    return { status: response.status, headers: response.headers, text: new TextDecoder().decode(value) };
  }
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test('the system answers as its OpenAPI document says, whatever it is asked', async () => {
  /** Requests by what was wrong with their answers. */
  const faults = new Map<string, string[]>();
  const byStatus = new Map<number, number>();
  let requests = 0;

  async function check(sent: Sent, allowed: readonly string[] = []): Promise<void> {
    const received = await send(sent);
    requests++;
    byStatus.set(received.status, (byStatus.get(received.status) ?? 0) + 1);
    for (const fault of faultsOf(contract, sent, received, allowed)) {
      const name = `${sent.operation?.operationId ?? sent.path}: ${fault}`;
      const body = typeof sent.body === 'string' ? sent.body.slice(0, 200) : '';
      const asked = `${sent.kind}: ${sent.method} ${sent.path.slice(0, 200)} ${body}`;
      faults.set(name, [...(faults.get(name) ?? []), `${asked} → ${received.status} ${received.text.slice(0, 300)}`]);
    }
  }

  async function checkAll(all: readonly Sent[], allowed: readonly string[] = []): Promise<void> {
    const left = [...all];
    const worker = async () => {
      for (let sent = left.shift(); sent !== undefined; sent = left.shift()) await check(sent, allowed);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  const byPath = new Map<string, Operation[]>();
  for (const operation of contract.operations) {
    await system.importCsv(CSV); // What the operation before has deleted is there again.
    // One operation takes away the token that calls it, and one takes only tokens of its own.
    const own: Record<string, () => Promise<string>> = {
      revokeOwnToken: () => system.createToken({ sites: ['home'] }),
      async readShare() {
        const { json } = await system.request('POST', '/shares', { body: { name: 'fuzzed', of: 'home' } });
        return (json as { token: string }).token;
      },
    };
    const token = await own[operation.operationId]?.();
    const caller = token === undefined ? source : { ...source, token };
    await checkAll(requestsFor(caller, operation));
    const streams = [...operation.answers.values()].some(({ content }) => content?.['text/event-stream'] !== undefined);
    const [example] = requestsFor(source, operation);
    if (streams && example !== undefined) {
      await check({ ...example, kind: 'stream', headers: { ...example.headers, accept: 'text/event-stream' } });
    }
    byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation]);
  }
  await system.importCsv(CSV);
  for (const [path, operations] of byPath) {
    await checkAll(methodsFor(source, path, operations), [...operations.map(({ method }) => method), 'OPTIONS']);
  }

  const counts = [...byStatus].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  console.log(`${requests} requests; ${counts.join(', ')}`);
  const shown = [...faults].map(([name, all]) => [`${name} (${all.length} times)`, ...all.slice(0, 3)]);
  expect(shown, `CONTRACT_SEED=${SEED}`).toEqual([]);
  expect(requests).toBeGreaterThanOrEqual(LEAST_REQUESTS);
  expect(byStatus.get(429) ?? 0).toBeLessThan(requests / MOST_LIMITED);
});

function seedOf(wanted: string): number {
  if (wanted === 'random') return Math.floor(Math.random() * 2 ** 31);
  if (wanted !== 'document') return Number(wanted);
  const document = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'openapi.json'));
  return createHash('sha256').update(document).digest().readUInt32BE() >>> 1;
}
