/** Functions in processes of their own, which can be frozen, thawed and killed one by one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Response } from '../../api-client.ts';
import { bundleProgram } from '../../support/bundle-program.ts';
import { type LogLine, PATIENT_ACK_MS, type TestSystem } from '../../test-system.ts';
import type { FunctionSettings } from './function-main.ts';

export const bundleFunction = (folder: string) => bundleProgram(join(import.meta.dirname, 'function-main.ts'), folder);

export interface FunctionProcess extends AsyncDisposable {
  pid: number;
  url: string;
  logged: LogLine[];
  /** As the owner of the system's token, over a connection of its own. */
  request(
    method: string,
    path: string,
    options?: { site?: string; body?: unknown; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Response>;
  /** As Lambda does between two requests. */
  freeze(): void;
  thaw(): void;
  /** SIGKILL; returns when the process is gone. */
  kill(): Promise<void>;
}

/** @param brokerPort where it finds the broker, or something that stands in the way */
export async function startFunction(program: string, system: TestSystem, brokerPort: number): Promise<FunctionProcess> {
  const settings: FunctionSettings = {
    dynamodbEndpoint: await endpointOf(system),
    authority: join(system.system.dataFolder, 'ca'),
    brokerPort,
    ackWithinMs: PATIENT_ACK_MS,
  };
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const logged: LogLine[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the function ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = JSON.parse(line);
      if ('listening' in said) resolve(said.listening);
      else logged.push(said);
    });
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    pid: child.pid ?? 0,
    url,
    logged,
    async request(method, path, { site, body, headers, signal } = {}) {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${system.token}`,
          connection: 'close',
          ...(site === undefined ? {} : { 'x-site': site }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill: () => killed(child),
    [Symbol.asyncDispose]: () => killed(child),
  };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

function endpointOf(system: TestSystem): string {
  return system.system.parts.context.table.client.endpoint.origin;
}
