/** The process that generates load, and the orders that it gets. */
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { superviseChild } from '../local/child-process.ts';
import { childEnvironment } from '../local/config.ts';
import { findProgram } from '../local/programs.ts';
import type { Load, LoadResult } from './load.ts';

/** Beside the bundle of the benchmarks. */
const PROGRAM = fileURLToPath(new URL('bench-load.js', import.meta.url));
const READY_WITHIN_MS = 20_000;
/** For a load without a time limit of its own. */
const LONGEST_MS = 120_000;

export type Order = Pick<Load, 'requests' | 'connections'> &
  Partial<Omit<Load, 'requests' | 'connections' | 'host' | 'port'>> & { url: string };

export interface LoadGenerator extends AsyncDisposable {
  /** One load at a time. */
  run(order: Order): Promise<LoadResult>;
  /** Generates load until the work is done. */
  during<T>(order: Order, work: () => Promise<T>): Promise<{ done: T; result: LoadResult }>;
}

export async function startLoadGenerator(): Promise<LoadGenerator> {
  const env = childEnvironment();
  let waiting: { resolve(result: LoadResult): void; reject(error: Error): void } | null = null;
  const child = await superviseChild({
    name: 'the load generator',
    argv: [process.execPath, PROGRAM],
    env,
    ready: { line: (text) => text === 'ready' },
    readyWithinMs: READY_WITHIN_MS,
    channel: {
      onMessage: (message) => waiting?.resolve(message as LoadResult),
      onEnd: () => waiting?.reject(new Error('The load generator has crashed')),
    },
    setpriv: findProgram('setpriv', env.PATH ?? ''),
    log: pino({ level: 'silent' }),
  });

  function run({ url, requests, connections, ...rest }: Order): Promise<LoadResult> {
    const { hostname: host, port } = new URL(url);
    const defaults = { warmUp: 0, forMs: LONGEST_MS, perConnection: null, pauseMs: 0 };
    const load: Load = { host, port: Number(port), requests, connections, ...defaults, ...rest };
    return new Promise((resolve, reject) => {
      waiting = { resolve, reject };
      if (!child.send({ load })) reject(new Error('The load generator does not run'));
    });
  }

  return {
    run,
    async during(order, work) {
      const running = run(order);
      running.catch(() => {}); // Awaited below, unless the work fails.
      try {
        const done = await work();
        child.send({ stop: true });
        return { done, result: await running };
      } finally {
        child.send({ stop: true });
      }
    },
    [Symbol.asyncDispose]: () => child.stop(),
  };
}
