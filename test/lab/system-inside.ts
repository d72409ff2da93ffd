/** What `npm start` starts, on the agent's host of the lab. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProgram } from '../../local/programs.ts';
import type { Lab } from './lab.ts';

const TOKEN = 'a-token-for-the-lab-only';
const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'local.js');
const READY_WITHIN_MS = 180_000;

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

/** Starts what `npm start` starts on the agent's host, and returns when it is ready. `hidden` programs are not there. */
export async function startInside(
  lab: Lab,
  name: string,
  port: number,
  environment: Record<string, string>,
  hidden: readonly string[] = [],
): Promise<Inside> {
  const child = await lab.run([...without(hidden), process.execPath, '--no-warnings', PROGRAM], {
    cwd: lab.folder,
    env: {
      PATH: process.env.PATH ?? '',
      LANREACH_DATA: join(lab.folder, name),
      API_TOKEN: TOKEN,
      PORT: String(port),
      MQTT_PORT: '0',
      LANREACH_INSTALL: 'no',
      ...environment,
    },
  });
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready:\n${said.join('\n')}`)), READY_WITHIN_MS);
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        said.push(line);
        if (!line.includes('Ctrl-C stops everything')) return;
        clearTimeout(timer);
        resolve();
      });
    }
  });
  const base = `http://127.0.0.1:${await lab.forward(port, '127.0.0.1')}`;
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
