/** The embedded DynamoDB engine: dynoxide, as a supervised child process. */
import { randomInt } from 'node:crypto';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { type SupervisedChild, superviseChild } from './child-process.ts';
import { findProgram, isProgram } from './programs.ts';

const READY_WITHIN_MS = 10_000;
const START_ATTEMPTS = 3;

export interface Database {
  /** URL of the engine. It stays the same when the engine dies and comes back. */
  readonly endpoint: string;
  readonly child: SupervisedChild;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** The engine's file; made when it is missing. Nobody else may have it open. */
  file: string;
  env: NodeJS.ProcessEnv;
  /** Full path of setpriv, or null. */
  setpriv: string | null;
  log: Logger;
}

/** Starts the engine and returns when it answers. */
export async function startDatabase(options: DatabaseOptions): Promise<Database> {
  const program = engineProgram(options.env);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOn(await freeAddress(), program, options);
    } catch (error) {
      // Somebody else may have taken the port since we looked.
      if (attempt === START_ATTEMPTS || !/in use|AddrInUse/i.test((error as Error).message)) throw error;
    }
  }
}

async function startOn(
  { host, port }: Address,
  program: string,
  { file, env, setpriv, log }: DatabaseOptions,
): Promise<Database> {
  const child = await superviseChild({
    name: 'the database',
    argv: [program, 'serve', '--host', host, '--port', String(port), '--db-path', file],
    env,
    ready: { line: (line) => line.includes('listening on') },
    readyWithinMs: READY_WITHIN_MS,
    setpriv,
    onLine: (line) => {
      if (line !== '') log.debug({ child: 'database' }, line);
    },
    log,
  });
  return { endpoint: `http://${host}:${port}`, child, close: () => child.stop() };
}

/** @throws {Error} that says what to install */
export function engineProgram(env: NodeJS.ProcessEnv): string {
  const program = installedEngine() ?? findProgram('dynoxide', env.PATH ?? '');
  if (program !== null) return program;
  throw new Error(
    `There is no embedded database for ${process.platform}-${process.arch} here. Run "npm install" (it brings ` +
      'dynoxide 1.2.1 for linux-x64), put the program dynoxide on the PATH, or set DYNAMODB_ENDPOINT to the URL of ' +
      'another DynamoDB, such as DynamoDB Local',
  );
}

function installedEngine(): string | null {
  try {
    const manifest = createRequire(import.meta.url).resolve('@dynoxide/linux-x64/package.json');
    const program = join(dirname(manifest), 'dynoxide');
    return isProgram(program) ? program : null;
  } catch {
    return null; // An optional dependency, which npm leaves out on other platforms.
  }
}

interface Address {
  host: string;
  port: number;
}

/**
 * A loopback address and a port that are hard to guess: the engine asks for no credentials and lets every web page
 * read it, so a page in a browser of this host must not find it. Only Linux has all of 127.0.0.0/8.
 */
async function freeAddress(): Promise<Address> {
  const host =
    process.platform === 'linux' ? `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}` : '127.0.0.1';
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host, port: 0 }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return { host, port };
}
