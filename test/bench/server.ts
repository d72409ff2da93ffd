/** A built LanReach, started as `npm start` does it, in a process and a data folder of its own. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import { superviseChild } from '../../local/child-process.ts';
import { childEnvironment } from '../../local/config.ts';
import { findProgram } from '../../local/programs.ts';
import type { Endpoint } from './api.ts';
import { argumentsOf, forgetPeak, peakMb, processorMs, proportionalMb, residentMb, treeOf } from './processes.ts';

const READY_WITHIN_MS = 60_000;

export interface Server extends Endpoint {
  /** Resident memory in MB. */
  memory(): ServerMemory;
  /** Processor time so far of all its processes, in milliseconds. */
  processorMs(): number;
  /** The most resident memory of the server itself while the work is done, in MB. */
  peakDuring<T>(work: () => Promise<T>): Promise<{ done: T; peakMb: number }>;
  /** How many of its processes have this word in their command line. */
  running(word: string): number;
  stop(): Promise<void>;
}

export interface ServerMemory {
  server: number;
  agent: number;
  /** All processes together. Pages that they share count more than once in `whole`, once in `once`. */
  whole: number;
  once: number | null;
}

/**
 * Starts it on free ports, and resolves when it reports that it is ready.
 * @param folder of the project, with a built `dist/local.js`
 */
export async function startServer(folder: string, dataFolder: string): Promise<Server> {
  const environment = childEnvironment();
  const token = `bench-${randomBytes(16).toString('hex')}`;
  let url = '';
  const child = await superviseChild({
    name: 'the system',
    argv: [process.execPath, '--enable-source-maps', join(folder, 'dist', 'local.js')],
    env: {
      ...environment,
      PORT: '0',
      MQTT_PORT: '0',
      API_TOKEN: token,
      LANREACH_DATA: dataFolder,
      LANREACH_INSTALL: 'no',
      TOKEN_REQUESTS_PER_MINUTE: 'off',
      LOG_LEVEL: 'error',
      DISCOVER: 'off',
    },
    ready: {
      line(text) {
        url = /^\s+URL\s+(http\S+)$/.exec(text)?.[1] ?? url;
        return text.startsWith('Ctrl-C'); // The last line that it prints when it is ready.
      },
    },
    readyWithinMs: READY_WITHIN_MS,
    setpriv: findProgram('setpriv', environment.PATH ?? ''),
    log: pino({ level: 'silent' }),
  });
  const pidOf = () => {
    if (child.pid === null || child.restarts > 0) throw new Error(`The system has crashed:\n${child.outputTail()}`);
    return child.pid;
  };
  return {
    url,
    token,
    memory() {
      const all = treeOf(pidOf());
      const agents = all.filter((pid) => argumentsOf(pid).includes('agent.js'));
      return {
        server: residentMb([pidOf()]),
        agent: residentMb(agents),
        whole: residentMb(all),
        once: proportionalMb(all),
      };
    },
    processorMs: () => processorMs(pidOf()),
    async peakDuring(work) {
      forgetPeak(pidOf());
      const done = await work();
      return { done, peakMb: peakMb(pidOf()) };
    },
    running: (word) => treeOf(pidOf()).filter((pid) => argumentsOf(pid).includes(word)).length,
    stop: () => child.stop(),
  };
}
