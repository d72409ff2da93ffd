/**
 * Functions that are frozen for a minute and then called, as Lambda does with them; meanwhile their connections to the
 * broker end in the different ways of a network. All are frozen in the same minute.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { START_WITHIN_MS } from '../../shared/agent/timing.ts';
import { jobs } from '../../shared/api/jobs.ts';
import { timeOfJob } from '../../shared/identity.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { makeTestFolder, type TestFolder } from '../support/test-folder.ts';
import { startTestSystem, type TestSystem } from '../test-system.ts';
import { bundleFunction, type FunctionProcess, startFunction } from './function-process.ts';

const FROZEN_MS = 60_000;
/** Of each fault, because each is frozen at another moment of its request. */
const FUNCTIONS = 3;
/** More than a ping and a good-bye take within TLS, and less than a request. */
const LESS_THAN_A_REQUEST = 150;

const FAULTS: Record<string, (network: TcpProxy) => void> = {
  'nothing happened': () => {},
  'the peer has closed the connection': (network) => network.closeAll(),
  'the connection was reset': (network) => network.resetAll(),
  'the network forgot the connection': (network) => network.blackHole(),
};

interface Subject {
  fault: string;
  network: TcpProxy;
  function: FunctionProcess;
  /** A request that was on its way when the function was frozen, and whose caller has gone. */
  abandoned: AbortController;
}

let temporary: TestFolder;
let folder: string;
let program: string;
let system: TestSystem;
const subjects: Subject[] = [];

beforeAll(async () => {
  temporary = makeTestFolder();
  folder = temporary.path;
  [program] = await Promise.all([
    bundleFunction(folder),
    startTestSystem({ LOG_LEVEL: 'info' }, {}).then((started) => {
      system = started;
    }),
  ]);
  for (const fault of Object.keys(FAULTS)) {
    for (let i = 0; i < FUNCTIONS; i++) {
      const network = await startTcpProxy(() => system.system.parts.broker.port);
      const started = await startFunction(program, system, network.port);
      subjects.push({ fault, network, function: started, abandoned: new AbortController() });
    }
  }
});
afterAll(async () => {
  await Promise.all(subjects.map((subject) => subject.function[Symbol.asyncDispose]()));
  await Promise.all(subjects.map(({ network }) => network[Symbol.asyncDispose]()));
  await system.close();
  await temporary.remove();
});

/**
 * Calls the function until it answers. Where the machine stands still for longer than a connection to the broker may take,
 * the caller is told that the broker cannot be reached.
 * @returns how many calls it took
 */
async function call({ function: called }: Pick<Subject, 'function'>): Promise<number> {
  for (let calls = 1; ; calls++) {
    const { status, text } = await called.request('POST', '/nettools/traceroute', { body: { devLastIP: '127.0.0.1' } });
    if (status === 503 && calls < 3) continue;
    expect([status, text]).toMatchObject([200, expect.stringContaining('traceroute to 127.0.0.1')]);
    return calls;
  }
}

test.concurrent('frozen for a minute, then called: answered over a connection that works, and nothing is carried out late', async () => {
  for (const subject of subjects) await call(subject);

  for (const { fault, network, function: frozen, abandoned } of subjects) {
    // It has been published, or is about to be, when the function stops in the middle of it.
    const options = { body: { devLastIP: '127.0.0.2' }, signal: abandoned.signal };
    frozen.request('POST', '/nettools/traceroute', options).catch(() => {});
    await sleep(Math.random() * 20);
    frozen.freeze();
    abandoned.abort();
    FAULTS[fault]?.(network);
  }
  await sleep(FROZEN_MS);

  for (const subject of subjects) {
    const { fault, network } = subject;
    const [attempts, swallowed] = [network.attempts.length, network.swallowed];
    subject.function.thaw();
    const calls = await call(subject);
    // No request is entrusted to a connection that may be dead, to be waited for in vain.
    expect(network.swallowed - swallowed, fault).toBeLessThan(LESS_THAN_A_REQUEST);
    // One new connection will do, and where the machine stands still while it is made, one more.
    expect(network.attempts.length - attempts, fault).toBeLessThanOrEqual(calls + 1);
  }

  await sleep(2_000); // What a thawed function might still send.
  const started = system.logged.filter(({ msg }) => msg === 'command started');
  expect(started.length).toBeGreaterThan(subjects.length);
  expect(new Set(started.map(({ jobId }) => jobId)).size).toBe(started.length);
  expect(started.filter((line) => Number(line.time) - timeOfJob(String(line.jobId)) > START_WITHIN_MS)).toEqual([]);
});

test.concurrent('a request that could not be sent before the freeze is not sent after it, when its time is over', async () => {
  await using network = await startTcpProxy(() => system.system.parts.broker.port);
  await using frozen = await startFunction(program, system, network.port);
  const subject = { function: frozen };
  await call(subject); // So that the connection counts as proven.
  network.blackHole();
  const caller = new AbortController();
  const options = { body: { devLastIP: '127.0.0.3' }, signal: caller.signal };
  const swallowed = network.swallowed;
  frozen.request('POST', '/nettools/traceroute', options).catch(() => {});
  await expect.poll(() => network.swallowed).toBeGreaterThan(swallowed); // Published into the void.
  frozen.freeze();
  caller.abort();
  await sleep(START_WITHIN_MS + 2_000);
  frozen.thaw();
  await call(subject); // Over another connection, and after all that it has left to do.
  const { json } = await system.request('GET', '/jobs?limit=20&tool=traceroute');
  const ours = jobs.listJobs.response.parse(json).jobs.filter(({ request }) => {
    return 'target' in request && request.target === '127.0.0.3';
  });
  expect(ours).toMatchObject([{ startedAt: null }]);
  expect(system.logged.filter(({ jobId, msg }) => jobId === ours[0]?.id && msg === 'command started')).toEqual([]);
});
