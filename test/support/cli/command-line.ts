/** Runs command lines in this process: a process for each would take most of the time of a test. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect } from 'vitest';
import type { World } from '../../../cli/client/world.ts';
import { run as runProgram } from '../../../cli/run.ts';
import { startTestApi, type TestApi, type TestApiOptions } from '../in-process.ts';
import { makeTestFolder, type TestFolder } from '../test-folder.ts';

/** Bundled before the tests begin. */
export const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'dist', 'cli.js');

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A command that has ended like this; one that fails prints nothing but why. */
export const says = (code: number, why: string | RegExp) => ({
  ...{ code, stderr: typeof why === 'string' ? expect.stringContaining(why) : expect.stringMatching(why) },
  ...(code === 0 ? {} : { stdout: '' }),
});

export interface How {
  /** What is written to standard input, or typed on the terminal; or what makes it when it is read. */
  input?: string | AsyncIterable<Buffer>;
  env?: NodeJS.ProcessEnv;
  /** Whether a person sits before it. */
  isTerminal?: boolean;
}

/** @param args what stands behind `lanreach` */
export async function runHere(
  args: readonly string[],
  { input = '', env = {}, isTerminal = false }: How,
): Promise<Ran> {
  const terminal = isTerminal ? { isTTY: true, columns: 120 } : {};
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = Promise.all([text(stdout), text(stderr)]);
  const world: World = {
    env,
    stdin: Object.assign(Readable.from(typeof input !== 'string' ? input : input === '' ? [] : [Buffer.from(input)]), {
      isTTY: isTerminal,
    }),
    stdout: Object.assign(stdout, terminal),
    stderr: Object.assign(stderr, terminal),
  };
  await runProgram(args, world);
  stdout.end();
  stderr.end();
  const [out, err] = await said;
  return { code: Number(world.exitCode ?? 0), stdout: out, stderr: err };
}

/** Runs another program, or this one where it has to be a process. */
export async function runProcess(command: readonly string[], { input = '', env = {} }: How): Promise<Ran> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { env, timeout: 180_000 });
  child.stdin.on('error', () => {});
  child.stdin.end(typeof input === 'string' ? input : '');
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, stdout, stderr };
}

export interface CommandLine {
  /** For files of the test. */
  readonly folder: string;
  /** The variables of somebody who has only set the URL and the token of the system. */
  env(): NodeJS.ProcessEnv;
  run(args: readonly string[], how?: How): Promise<Ran>;
  /** Must succeed; parses what was printed as JSON. */
  json(...args: string[]): Promise<ReturnType<typeof JSON.parse>>;
  /** A site of its own with these devices; what a command needs to be about it. */
  siteWith(name: string, csv: string): Promise<string[]>;
}

/**
 * An API for the tests of a file, in this process and without agents.
 * @returns it, once it is started
 */
export function useListeningApi(settings: TestApiOptions = {}): () => TestApi {
  let api: TestApi | undefined;
  beforeAll(async () => {
    api = await startTestApi({ ...settings, listens: true });
  });
  afterAll(() => api?.close());
  return () => api ?? expect.fail('the API is not started yet');
}

/** @param access where the system is, once it is started */
export function useCommandLine(access: () => { url: string; token: string }): CommandLine {
  let folder: TestFolder;
  beforeAll(() => {
    folder = makeTestFolder();
  });
  afterAll(() => folder.remove());

  const env = () => ({
    PATH: process.env.PATH,
    HOME: folder.path,
    XDG_CONFIG_HOME: join(folder.path, 'config'),
    LANREACH_DATA: join(folder.path, 'nothing'),
    LANREACH_URL: access().url,
    LANREACH_TOKEN: access().token,
  });
  const run = (args: readonly string[], how: How = {}) => runHere(args, { ...how, env: { ...env(), ...how.env } });
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run([...args, '--json']);
    expect([code, stderr.includes('lanreach:') ? stderr : '']).toEqual([0, '']);
    return JSON.parse(stdout);
  };
  return {
    get folder() {
      return folder.path;
    },
    env,
    run,
    json,
    async siteWith(name, csv) {
      await json('site', 'add', name);
      await run(['devices', 'import', '-', '--site', name], { input: csv });
      return ['--site', name];
    },
  };
}
