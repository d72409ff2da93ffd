/** A built LanReach, started as `npm start` does it, in a process and a data folder of its own. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startServerProcess } from '../support/server-process.ts';
import type { Endpoint } from './api.ts';
import { argumentsOf, forgetPeak, peakMb, processorMs, proportionalMb, residentMb, treeOf } from './processes.ts';

export interface Server extends Endpoint {
  /**
   * Resident memory in MB, of the agent and of all processes together. Pages that these share count more than once in
   * `whole`, once in `once`.
   */
  memory(): { agent: number; whole: number; once: number | null };
  /** Processor time so far of all its processes, in milliseconds. */
  processorMs(): number;
  /** The most resident memory of the server itself while the work is done, in MB. */
  peakDuring<T>(work: () => Promise<T>): Promise<{ done: T; peakMb: number }>;
  /** How many of its processes have this word in their command line. */
  running(word: string): number;
  stop(): Promise<unknown>;
}

/**
 * Starts it on free ports, and resolves when it reports that it is ready.
 * @param folder of the project, with a built `dist/local.js`
 */
export async function startServer(folder: string, dataFolder: string): Promise<Server> {
  mkdirSync(dataFolder, { recursive: true });
  const token = `bench-${randomBytes(16).toString('hex')}`;
  const quiet = { LOG_LEVEL: 'error', DISCOVER: 'off' };
  const { url, pid, stop } = await startServerProcess(join(folder, 'dist', 'local.js'), dataFolder, token, quiet);
  const named = (word: string) => treeOf(pid).filter((one) => argumentsOf(one).includes(word));
  return {
    url,
    token,
    memory: () => ({
      agent: residentMb(named('agent.js')),
      whole: residentMb(treeOf(pid)),
      once: proportionalMb(treeOf(pid)),
    }),
    processorMs: () => processorMs(pid),
    async peakDuring(work) {
      forgetPeak(pid);
      const done = await work();
      return { done, peakMb: peakMb(pid) };
    },
    running: (word) => named(word).length,
    stop,
  };
}
