/** The system that `npm start` starts, as a separate process, and its memory use. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { superviseChild } from '../local/child-process.ts';
import { childEnvironment } from '../local/config.ts';
import { findProgram } from '../local/programs.ts';

/** Beside the bundle of the benchmarks. */
const PROGRAM = fileURLToPath(new URL('local.js', import.meta.url));
const READY_WITHIN_MS = 60_000;

export interface RunningSystem {
  url: string;
  token: string;
  /** Resident memory in MB of the agent, of the server, and of the server, the database and the agent together. */
  memory(): { agentMb: number; serverMb: number; wholeMb: number };
  /** How many processes of this program descend from this one. */
  running(program: string): number;
  stop(): Promise<void>;
}

/**
 * Starts it on free ports with this data folder, and resolves when it reports that it is ready.
 * @param settings variables of `npm start` beside those that are the same for every measurement
 */
export async function startRunningSystem(
  dataFolder: string,
  settings: Record<string, string> = {},
): Promise<RunningSystem> {
  const environment = childEnvironment();
  const token = `bench-${randomBytes(16).toString('hex')}`;
  let url = '';
  const server = await superviseChild({
    name: 'the system',
    argv: [process.execPath, '--enable-source-maps', PROGRAM],
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
  return {
    url,
    token,
    memory() {
      if (server.pid === null || server.restarts > 0)
        throw new Error(`The system has crashed:\n${server.outputTail()}`);
      const processes = [server.pid, ...descendantsOf(server.pid)];
      const named = processes.filter((pid) => commandOf(pid).includes('agent.js'));
      // A process that the agent is about to start bears its name for a moment.
      const agents = named.filter((pid) => !named.includes(parentOf(pid) ?? 0));
      if (agents.length !== 1) throw new Error(`Expected one agent, found ${agents.length}`);
      return {
        agentMb: sum(agents.map(residentMb)),
        serverMb: residentMb(server.pid),
        wholeMb: sum(processes.map(residentMb)),
      };
    },
    running(program) {
      const processes = server.pid === null ? [] : descendantsOf(server.pid);
      return processes.filter((pid) => readProc(pid, 'comm') === `${program}\n`).length;
    },
    stop: () => server.stop(),
  };
}

function descendantsOf(pid: number): number[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = processes.map(Number).filter((candidate) => parentOf(candidate) === pid);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function parentOf(pid: number): number | null {
  const stat = readProc(pid, 'stat');
  // The program's name, in parentheses, may hold blanks and parentheses itself.
  return stat === null ? null : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function commandOf(pid: number): string {
  return readProc(pid, 'cmdline') ?? '';
}

function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readProc(pid, 'status') ?? '')?.[1] ?? 0) / 1024;
}

/** Null when the process has ended. */
function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
