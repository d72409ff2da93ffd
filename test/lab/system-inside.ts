/** What `npm start` starts, on the agent's host of the lab. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProgram } from '../../local/programs.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Lab, LabProcess } from './lab.ts';

export const TOKEN = 'a-token-for-the-lab-only';
const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'local.js');
const READY_WITHIN_MS = 180_000;

export interface SystemInLab {
  /** If not the agent's. */
  host?: string;
  /** What stands in front of the command. */
  command?: readonly string[];
  port: number;
  /** At which it listens. */
  address?: string;
  variables: Record<string, string>;
}

/** One system inside, and how it is asked from outside. */
export interface Inside {
  /** Base URL of the API, and its token. */
  url: string;
  token: string;
  post(tool: string, body: unknown): Promise<{ status: number; json: unknown }>;
  get(tool: string): Promise<{ status: number; json: unknown }>;
  /** Any request to the API. */
  request(method: string, path: string, body?: unknown): Promise<Response>;
}

/** The lines that a process prints, as they come: they have no other reader, and a full pipe would stop it. */
export function linesOf({ stdout, stderr }: LabProcess, onLine = (_: string) => {}): string[] {
  const said: string[] = [];
  for (const input of [stdout, stderr]) {
    createInterface({ input }).on('line', (line) => {
      said.push(line);
      if (said.length > 1_000) said.shift();
      onLine(line);
    });
  }
  return said;
}

/** What `npm start` starts, on a host of the lab. @returns the URL at which it is reached from outside, when it is ready */
export async function startSystem(
  lab: Lab,
  { host, command = [], port, address = '127.0.0.1', variables }: SystemInLab,
): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', API_TOKEN: TOKEN, PORT: String(port), LANREACH_INSTALL: 'no' };
  const system = await lab.run([...command, process.execPath, '--no-warnings', PROGRAM], {
    ...(host === undefined ? {} : { host }),
    cwd: lab.folder,
    env: { ...env, ...variables },
  });
  const said = linesOf(system);
  await waitFor(
    () => `the system:\n${said.join('\n')}`,
    () => said.some((line) => line.includes('Ctrl-C')),
    READY_WITHIN_MS,
  );
  return `http://127.0.0.1:${await lab.forward(port, address)}`;
}

/** Starts it on the agent's host. `hidden` programs are not there. */
export async function startInside(
  lab: Lab,
  name: string,
  port: number,
  environment: Record<string, string>,
  hidden: readonly string[] = [],
): Promise<Inside> {
  const variables = { LANREACH_DATA: join(lab.folder, name), MQTT_PORT: '0', ...environment };
  const base = await startSystem(lab, { command: without(hidden), port, variables });
  const url = `${base}/nettools`;
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  /** Where the machine stands still, the agent counts as silent, and the caller is told to try again. */
  const ask = async (tool: string, init: RequestInit = {}) => {
    for (let tries = 1; ; tries++) {
      const response = await fetch(`${url}/${tool}`, { ...init, headers });
      const json = (await response.json()) as { code?: string };
      if (json.code !== 'agent_silent' || tries === 5) return { status: response.status, json };
      await sleep(1_000);
    }
  };
  return {
    url: base,
    token: TOKEN,
    post: (tool, body) => ask(tool, { method: 'POST', body: JSON.stringify(body) }),
    get: (tool) => ask(tool),
    request: (method, path, body) =>
      fetch(`${base}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
  };
}

/** What to put in front of a command, so that for it these programs are not there. */
function without(programs: readonly string[]): string[] {
  if (programs.length === 0) return [];
  const files = programs.map((program) => realpathSync(findProgram(program, process.env.PATH ?? '') ?? ''));
  const script = `${files.map((file) => `mount --bind /dev/null '${file}'`).join(' && ')} && exec "$@"`;
  return ['unshare', '--mount', 'sh', '-c', script, 'sh'];
}
