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

const READY_WITHIN_MS = 60_000;
const START_ATTEMPTS = 3;
/** Beside the bundle of `npm start`; one folder up from here in tests. */
const CONNECTOR = fileURLToPath(new URL('../dist/engine-connector.js', import.meta.url));

export interface Database {
  /** URL of the engine. It stays the same when the engine is restarted. */
  readonly endpoint: string;
  /** Connections to an engine in its own network namespace; null if it listens on a port of this host. */
  readonly sockets: Agent | null;
  /** Why every user of this host can read and write the data; null if they cannot. */
  readonly exposure: string | null;
  readonly child: SupervisedChild;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** The engine's file, created if it is missing. No other process may have it open. */
  file: string;
  /**
   * Whether to keep other users of this host away from the engine, which has no authentication, if that is possible.
   */
  isolate: boolean;
  env: NodeJS.ProcessEnv;
  /** Full path of setpriv, or null. */
  setpriv: string | null;
  log: Logger;
}

/** Starts the engine and resolves when it answers. */
export async function startDatabase(options: DatabaseOptions): Promise<Database> {
  const engine = engineProgram(options.env);
  if (!options.isolate) return startExposed(engine, 'isolation is switched off', options);
  const namespace = await findNetworkNamespace(options.env);
  if ('obstacle' in namespace) return startExposed(engine, namespace.obstacle, options);
  if (options.setpriv === null) {
    return startExposed(engine, 'the program setpriv is missing (package util-linux)', options);
  }
  return startIsolated(engine, namespace, options.setpriv, options);
}

/** Starts it in a network namespace of its own, from which another process hands connections over to us. */
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
  // A name that never resolves (RFC 2606): if our connections were not used, no data would reach anybody else.
  return { endpoint: 'http://database.invalid', sockets, exposure: null, child, close: () => child.stop() };
}

/** Starts it on a TCP port of this host. */
async function startExposed(engine: string, exposure: string, options: DatabaseOptions): Promise<Database> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { host, port } = await freeAddress();
      const argv: Argv = [engine, 'serve', '--host', host, '--port', String(port), '--db-path', options.file];
      const child = await supervise(argv, options);
      return { endpoint: `http://${host}:${port}`, sockets: null, exposure, child, close: () => child.stop() };
    } catch (error) {
      // Another process may have taken the port since we chose it.
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

/** @throws {Error} saying what to install */
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
 * ** A loopback address and a port that are hard to guess, because the engine has no authentication and any web page
 * may read from it: a page in a browser of this host must not find it. Users of this host can look the address up. Only
 * on Linux can all of 127.0.0.0/8 be used.
 */
async function freeAddress(): Promise<Address> {
  const host =
    process.platform === 'linux' ? `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}` : '127.0.0.1';
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject).listen({ host, port: 0 }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return { host, port };
}
