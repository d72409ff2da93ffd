/** The embedded DynamoDB engine: dynoxide, as a supervised child process. */
import { randomInt } from 'node:crypto';
import type { Agent } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { type Argv, type ChildOptions, type SupervisedChild, superviseChild } from './child-process.ts';
import { HandedOverSockets } from './handed-over-sockets.ts';
import { findNetworkNamespace, type NetworkNamespace } from './network-namespace.ts';
import { findProgram, isProgram } from './programs.ts';

const READY_WITHIN_MS = 10_000;
const START_ATTEMPTS = 3;
/** Lies beside the bundle of `npm start`, and one folder up from here in tests. */
const CONNECTOR = fileURLToPath(new URL('../dist/engine-connector.js', import.meta.url));

export interface Database {
  /** URL of the engine. It stays the same when the engine dies and comes back. */
  readonly endpoint: string;
  /** By which the engine is reached where it has a network namespace of its own; null where anybody can connect to it. */
  readonly sockets: Agent | null;
  /** Why every user of this host can read and write what is in it; null when nobody but us can. */
  readonly exposure: string | null;
  readonly child: SupervisedChild;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** The engine's file; made when it is missing. Nobody else may have it open. */
  file: string;
  /** Keeps other users of this host away from the engine, which asks nobody who they are, where that is possible. */
  isolate: boolean;
  env: NodeJS.ProcessEnv;
  /** Full path of setpriv, or null. */
  setpriv: string | null;
  log: Logger;
}

/** Starts the engine and returns when it answers. */
export async function startDatabase(options: DatabaseOptions): Promise<Database> {
  const engine = engineProgram(options.env);
  if (!options.isolate) return startExposed(engine, 'it is meant to be so', options);
  const namespace = await findNetworkNamespace(options.env);
  if ('obstacle' in namespace) return startExposed(engine, namespace.obstacle, options);
  if (options.setpriv === null) {
    return startExposed(engine, 'the program setpriv is missing (package util-linux)', options);
  }
  return startIsolated(engine, namespace, options.setpriv, options);
}

/** In a network namespace of its own, from which our connections are handed over to us. */
async function startIsolated(
  engine: string,
  { inside, ip }: NetworkNamespace,
  setpriv: string,
  options: DatabaseOptions,
): Promise<Database> {
  let child: SupervisedChild | null = null;
  const sockets = new HandedOverSockets(() => child?.send({}) ?? false);
  const channel = {
    onMessage: (message: unknown, handle: unknown) => sockets.receive(message, handle),
    onEnd: () => sockets.lost(),
  };
  const argv = inside([process.execPath, CONNECTOR, ip, setpriv, engine, options.file]);
  child = await supervise(argv, options, channel);
  // The name leads nowhere (RFC 2606): should our connections not be used, nothing of ours reaches somebody else's.
  return { endpoint: 'http://database.invalid', sockets, exposure: null, child, close: () => child.stop() };
}

/** On a TCP port of this host. */
async function startExposed(engine: string, exposure: string, options: DatabaseOptions): Promise<Database> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { host, port } = await freeAddress();
      const argv: Argv = [engine, 'serve', '--host', host, '--port', String(port), '--db-path', options.file];
      const child = await supervise(argv, options);
      return { endpoint: `http://${host}:${port}`, sockets: null, exposure, child, close: () => child.stop() };
    } catch (error) {
      // Somebody else may have taken the port since we looked.
      if (attempt === START_ATTEMPTS || !/in use|AddrInUse/i.test((error as Error).message)) throw error;
    }
  }
}

function supervise(
  argv: Argv,
  { env, setpriv, log }: DatabaseOptions,
  channel?: ChildOptions['channel'],
): Promise<SupervisedChild> {
  return superviseChild({
    name: 'the database',
    argv,
    env,
    ready: { line: (line) => line.includes('listening on') },
    readyWithinMs: READY_WITHIN_MS,
    ...(channel === undefined ? {} : { channel }),
    setpriv,
    onLine: (line) => {
      if (line !== '') log.debug({ child: 'database' }, line);
    },
    log,
  });
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
 * read it, so a page in a browser of this host must not find it. Users of this host can look the address up. Only Linux
 * has all of 127.0.0.0/8.
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
