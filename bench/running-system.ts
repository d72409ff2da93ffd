/** The system that `npm start` starts, as a separate process, and its memory use. */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { superviseChild } from '../local/child-process.ts';
import { childEnvironment } from '../local/config.ts';
import { findProgram } from '../local/programs.ts';
import {
  argumentsOf,
  descendantsOf,
  forgetPeak,
  parentOf,
  peakMb,
  processorMs,
  processorMsOfEnded,
  processorTimes,
  programOf,
  proportionalMb,
  residentMb,
} from './processes.ts';

/** Beside the bundle of the benchmarks. */
const PROGRAM = fileURLToPath(new URL('local.js', import.meta.url));
const READY_WITHIN_MS = 60_000;

export interface RunningSystem {
  url: string;
  token: string;
  /** Process ids; null for the database if the system did not start it. */
  processes(): { server: number; engine: number | null; agent: number };
  /** Resident memory in MB. */
  memory(): SystemMemory;
  /** The most resident memory of the server while the work is done, in MB. */
  peakDuring<T>(work: () => Promise<T>): Promise<{ done: T; serverMb: number }>;
  /** Processor time while the work is done. */
  processorDuring<T>(work: () => Promise<T>): Promise<{ done: T; spent: ProcessorTime }>;
  /** How many processes of this program descend from this one. */
  running(program: string): number;
  stop(): Promise<void>;
}

export interface SystemMemory {
  agentMb: number;
  serverMb: number;
  /** Server, database and agent together; pages that they share count more than once. */
  wholeMb: number;
  /** The same, where a page that several processes use counts once; null if that may not be known. */
  wholeOnceMb: number | null;
}

/** In milliseconds. */
export interface ProcessorTime {
  server: number;
  engine: number;
  agent: number;
  /** Everything that the agent has started. */
  programs: number;
}

/**
 * Starts it on free ports with this data folder, and resolves when it reports that it is ready.
 * @param settings variables of `npm start` beside those that are the same for every measurement
 * @param options.node the Node.js that runs it
 * @param options.nodeOptions options of Node.js for it
 */
export async function startRunningSystem(
  dataFolder: string,
  settings: Record<string, string> = {},
  { node = process.execPath, nodeOptions = [] }: { node?: string; nodeOptions?: readonly string[] } = {},
): Promise<RunningSystem> {
  const environment = childEnvironment();
  const token = `bench-${randomBytes(16).toString('hex')}`;
  let url = '';
  const server = await superviseChild({
    name: 'the system',
    argv: [node, '--enable-source-maps', ...nodeOptions, PROGRAM],
    env: {
      ...environment,
      PORT: '0',
      MQTT_PORT: '0',
      API_TOKEN: token,
      LANREACH_DATA: dataFolder,
      LANREACH_INSTALL: 'no',
      TOKEN_REQUESTS_PER_MINUTE: 'off',
      LOG_LEVEL: 'error',
      ...settings,
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

  function all(): { server: number; others: number[] } {
    if (server.pid === null || server.restarts > 0) throw new Error(`The system has crashed:\n${server.outputTail()}`);
    return { server: server.pid, others: descendantsOf(server.pid) };
  }

  function processes() {
    const { server, others } = all();
    const named = others.filter((pid) => argumentsOf(pid).includes('agent.js'));
    // A process that the agent is about to start bears its name for a moment.
    const [agent, ...more] = named.filter((pid) => !named.includes(parentOf(pid) ?? 0));
    if (agent === undefined || more.length > 0) throw new Error(`Expected one agent, found ${named.length}`);
    return { server, agent, engine: others.find((pid) => programOf(pid) === 'dynoxide') ?? null };
  }

  return {
    url,
    token,
    processes,
    memory() {
      const { server, agent } = processes();
      const every = [server, ...all().others];
      const once = every.map(proportionalMb);
      return {
        agentMb: residentMb(agent),
        serverMb: residentMb(server),
        wholeMb: sum(every.map(residentMb)),
        wholeOnceMb: once.every((mb) => mb !== null) ? sum(once) : null,
      };
    },
    async peakDuring(work) {
      const { server } = all();
      forgetPeak(server);
      const done = await work();
      return { done, serverMb: peakMb(server) };
    },
    async processorDuring(work) {
      const { server, engine, agent } = processes();
      const before = [server, engine, agent].map((pid) => (pid === null ? new Map() : processorTimes(pid)));
      const programsBefore = processorMsOfPrograms(agent);
      const done = await work();
      const [ofServer = 0, ofEngine = 0, ofAgent = 0] = [server, engine, agent].map((pid, i) =>
        pid === null ? 0 : processorMs(before[i] ?? new Map(), processorTimes(pid)),
      );
      const programs = processorMsOfPrograms(agent) - programsBefore;
      return { done, spent: { server: ofServer, engine: ofEngine, agent: ofAgent, programs } };
    },
    running(program) {
      return all().others.filter((pid) => programOf(pid) === program).length;
    },
    stop: () => server.stop(),
  };
}

/** Processor time so far of everything that a process has started, in milliseconds. */
function processorMsOfPrograms(pid: number): number {
  const alive = descendantsOf(pid);
  const ofAlive = alive.map((child) => sum([...processorTimes(child).values()]) + processorMsOfEnded(child));
  return processorMsOfEnded(pid) + sum(ofAlive);
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
