/**
 * `lanreach-agent`, as the packages install it: launches the program of the package or, for `run`, a newer one that an
 * update has installed, in this same process. A thread monitors a program on trial, even one that blocks.
 */
import '../v8-flags.ts';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import packageJson from '../../package.json' with { type: 'json' };
import { hasFormat } from '../state/format-file.ts';
import { passToProgram, readLaunchConfig } from './config.ts';
import { endTrial, folderOfPrograms, leaveProgram, prepareStart, START_AGAIN, statusAfterTrial } from './launch.ts';
import { fileOf, type InstalledProgram } from './record.ts';

/** Beside this file. */
const PACKAGED_PROGRAM = 'agent.mjs';
const RELEASE_KEY = 'release-key.pem';

interface Watch {
  folder: string;
  version: string;
  trialMs: number;
}

async function launch(args: readonly string[]): Promise<void> {
  const { stateDirectory, trialMs, settleMs } = readLaunchConfig();
  const here = join(fileURLToPath(import.meta.url), '..');
  const isRun = args.length === 0 || (args.length === 1 && args[0] === 'run');
  const folder =
    isRun && stateDirectory !== null && hasFormat(stateDirectory) ? folderOfPrograms(stateDirectory) : null;
  const key = join(here, RELEASE_KEY);
  passToProgram(key, null);
  if (stateDirectory === null || folder === null) return start(join(here, PACKAGED_PROGRAM));
  const { program, isTrial } = await prepareStart(stateDirectory, folder, packageJson.version);
  if (program === null) return start(join(here, PACKAGED_PROGRAM));
  if (isTrial) {
    passToProgram(key, settleMs);
    watch({ folder, version: program.version, trialMs });
  }
  await startInstalled(folder, program);
}

async function start(file: string): Promise<void> {
  await import(pathToFileURL(file).href);
}

/** After a failure to load, the next start uses the previous program. */
async function startInstalled(folder: string, program: InstalledProgram): Promise<void> {
  try {
    await start(join(folder, fileOf(program)));
  } catch (error) {
    const reason = `it cannot be loaded: ${error instanceof Error ? error.message : error}`;
    process.stderr.write(`lanreach-agent: version ${program.version}: ${reason}\n`);
    leaveProgram(folder, program.version, reason);
    process.exit(START_AGAIN);
  }
}

function watch(data: Watch): void {
  process.on('exit', (status) => {
    process.exitCode = statusAfterTrial(data.folder, data.version, status);
  });
  // Errors are ignored: without the thread, the bound of starts still ends the trial.
  new Worker(new URL(import.meta.url), { workerData: data, execArgv: [] }).on('error', () => {}).unref();
}

/** In the thread: ends the process when its program is not proven in time. */
function guard({ folder, version, trialMs }: Watch): void {
  setTimeout(() => {
    if (!endTrial(folder, version, `it was not found healthy within ${trialMs / 1_000} s`)) return;
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 30_000); // Time to stop gracefully.
  }, trialMs);
}

if (isMainThread) await launch(process.argv.slice(2));
else guard(workerData);
