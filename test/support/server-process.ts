/** The program of `npm start` as a process of its own, whose life, memory and log are looked at from outside. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { residentMb } from '../bench/processes.ts';
import { childrenOf } from './processes.ts';
import { waitFor } from './wait-for.ts';

export interface ServerProcess {
  url: string;
  port: number;
  brokerPort: number;
  token: string;
  pid: number;
  /** Of the database and the agent of this machine, which the server starts and would start again. */
  children(): number[];
  /** Null as long as it runs. */
  ended(): string | null;
  /** Resident memory of the server alone, without database and agent, in MB. */
  residentMb(): number;
  log(): string;
  /** Asks it to end. @returns its exit code and what it said on the screen */
  stop(): Promise<{ code: number | null; screen: string }>;
}

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 30_000;

/**
 * @param folder takes its data and its log
 * @param environment variables besides those that every test needs
 */
export async function startServerProcess(
  program: string,
  folder: string,
  token: string,
  environment: Record<string, string> = {},
): Promise<ServerProcess> {
  const logFile = join(folder, 'log');
  const log = openSync(logFile, 'w', 0o600);
  // The flags and the program are those of `npm start`; it would build the program first, and the tests have done that.
  const child = spawn(
    process.execPath,
    ['--disable-warning=NodeVersionSupportWarning', '--enable-source-maps', program],
    {
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        MQTT_PORT: '0',
        LANREACH_DATA: join(folder, 'data'),
        LANREACH_INSTALL: 'no',
        TOKEN_REQUESTS_PER_MINUTE: 'off', // More is tried than a program would do in a minute.
        API_TOKEN: token,
        LOG_LEVEL: 'debug', // What a secret must not be in.
        // Nobody listens there: what asks the internet fails at once, and not after its time limit.
        INTERNET_INFO_URL: 'http://127.0.0.1:4/',
        SPEEDTEST_SERVER: 'http://127.0.0.1:4/',
        ...environment,
      },
      stdio: ['ignore', 'pipe', log],
    },
  );
  closeSync(log);
  let ended: string | null = null;
  let screen = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    screen += text;
  });
  const exited = once(child, 'exit').then(([code, signal]) => {
    ended = `it has ended with ${code ?? signal}`;
    return code as number | null;
  });
  try {
    await waitFor('the start', () => ended !== null || screen.includes('Ctrl-C stops everything.'), READY_WITHIN_MS);
    if (ended !== null) throw new Error(ended);
  } catch (error) {
    child.kill('SIGKILL');
    const output = `${screen}\n${readFileSync(logFile, 'utf8')}`;
    throw new Error(`the server has not started\n${output}`, { cause: error });
  }
  const url = /^ {2}URL {7}(http\S+)$/m.exec(screen)?.[1] ?? '';
  const pid = child.pid ?? 0;
  return {
    url,
    port: Number(new URL(url).port),
    brokerPort: Number(/MQTT with TLS on \S+:(\d+)/.exec(screen)?.[1]),
    token,
    pid,
    children: () => childrenOf(pid),
    ended: () => ended,
    residentMb: () => residentMb([pid]),
    log: () => readFileSync(logFile, 'utf8'),
    async stop() {
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      const code = await exited;
      clearTimeout(kill);
      return { code, screen };
    },
  };
}
