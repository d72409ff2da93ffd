/** `npm start` and `lanreach-server`: the whole system in one terminal. */
import { parseArgs } from 'node:util';
import { destination, pino } from 'pino';
import { watchLauncher } from '../agent/host/launcher.ts';
import { OwnershipError } from '../agent/state/ownership.ts';
import { isFailedCommit } from '../functions/table/lmdb.ts';
import packageJson from '../package.json' with { type: 'json' };
import { OtherFormat } from '../shared/format.ts';
import { urlsForOthers } from './addresses.ts';
import { ConfigError, type LocalConfig, muteVersionNotice, readConfig, SETTINGS, typedNames } from './config.ts';
import { FolderInUse } from './data-folder.ts';
import { collectWhenIdle } from './idle-collection.ts';
import { startScreen } from './start-screen.ts';
import { startSystem } from './system.ts';
import { missingTools, provideTools, SYSTEM_TOOLS } from './system-tools.ts';

/** Limit of an orderly stop. After it the kernel ends the child processes with this one. */
const STOP_WITHIN_MS = 15_000;

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
  });
  if (values.help) return print(help());
  if (values.version) return print(packageJson.version);

  if (positionals.length > 0) {
    const error = new Error(`there is no command "${positionals.join(' ')}"`);
    throw Object.assign(error, { code: 'ERR_PARSE_ARGS_COMMAND' });
  }
  const config = readConfig();
  muteVersionNotice();
  const stop = stopSignal(config);
  print(`LanReach ${packageJson.version}`);
  await checkPrograms(config, stop);
  const log = pino({ level: config.logLevel, base: null }, destination({ dest: 2, sync: true }));
  const startedAt = performance.now();
  const system = await startSystem({ config, log, onStep: step, signal: stop }).catch((error: unknown) => {
    if (stop.aborted) return null;
    throw error;
  });
  if (system === null) return print('Stopped.');
  const isOnline = await system.isAgentOnline().catch(() => false);
  print(
    startScreen(system, {
      isOnline,
      seconds: (performance.now() - startedAt) / 1000,
      urls: [...new Set([...urlsForOthers(config.host, Number(new URL(system.url).port || 80)), system.url])],
      isTerminal: process.stdout.isTTY === true,
      folder: process.cwd(),
      client: typedNames().client,
    }),
  );

  const stopCollecting = collectWhenIdle();
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
  stopCollecting();
  await system.close();
  return print('Stopped.');
}

/** Aborted by Ctrl-C, SIGTERM or the end of npm. A second signal, or a stop that times out, exits at once. */
function stopSignal({ isStartedByNpm }: LocalConfig): AbortSignal {
  const stop = new AbortController();
  let stoppedAt = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) {
      // Under npm, Ctrl-C arrives twice: from the terminal, and from npm.
      if (performance.now() - stoppedAt >= 1_000) process.exit(signal === 'SIGINT' ? 130 : 143);
      return;
    }
    print(signal === 'SIGINT' ? '\nStopping. Ctrl-C again ends everything at once.' : 'Stopping.');
    stoppedAt = performance.now();
    stop.abort();
    setTimeout(() => {
      process.stderr.write(`Not everything has stopped within ${STOP_WITHIN_MS / 1000} seconds; ending it now.\n`);
      process.exit(1);
    }, STOP_WITHIN_MS).unref();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('SIGHUP', onSignal); // The terminal was closed.
  if (isStartedByNpm) watchLauncher(() => void (stop.signal.aborted || onSignal('SIGHUP')));
  return stop.signal;
}

async function checkPrograms({ childEnvironment: env, installPrograms: install }: LocalConfig, signal: AbortSignal) {
  await provideTools({ env, install, signal, say: (line) => step('programs', line) });
  const missing = missingTools(SYSTEM_TOOLS, env);
  const { length: all } = SYSTEM_TOOLS.programs;
  step(
    'programs',
    missing.length === 0 ? 'all there' : `${all - missing.length} of ${all}; without ${missing.join(', ')}`,
  );
}

function step(part: string, detail: string): void {
  print(`  ${part.padEnd(10)}${detail}`);
}

function help(): string {
  const names = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[];
  const width = Math.max(...names.map(({ length }) => length)) + 2;
  const settings = names.map((name) => {
    const { meaning, without } = SETTINGS[name];
    return `  ${name.padEnd(width)}${meaning}\n${' '.repeat(width + 2)}(without it: ${without})`;
  });
  return [
    `Usage: ${typedNames().server} [--help | --version]`,
    '',
    'Starts LanReach on this machine: database, MQTT broker, API and one agent, in this terminal. Ctrl-C stops them.',
    '',
    'Environment:',
    ...settings,
    '',
    'Exit codes: 0 stopped on request, 1 failed to start, 2 invalid setting.',
  ].join('\n');
}

function print(text: string): 0 {
  process.stdout.write(`${text}\n`);
  return 0;
}

/** Prints the message of an error that a person can fix, and the stack of any other. */
function explain(error: unknown): number {
  const { name = '', code } = error as { name?: string; code?: string };
  if (error instanceof ConfigError) {
    process.stderr.write(`Cannot start: these settings are invalid.\n${error.message}\n`);
    return 2;
  }
  if (code?.startsWith('ERR_PARSE_ARGS')) {
    process.stderr.write(`${(error as Error).message}\n\n${help()}\n`);
    return 2;
  }
  const foreseen = [FolderInUse, OwnershipError, OtherFormat];
  const isForeseen = foreseen.some((kind) => error instanceof kind) || name === 'Error';
  process.stderr.write(`Cannot start: ${isForeseen ? (error as Error).message : ((error as Error).stack ?? error)}\n`);
  return 1;
}

/*
 * A defect: the child processes end with this one, and acknowledged data is on disk. No failure of others may come here, so
 * everything that can fail outside of a call has an owner:
 *   sockets, servers and child processes  a listener of `error` where they are created
 *   HTTP requests and their answers       `functions/access/routes.ts`
 *   messages of agents                    `ingest-queue.ts`
 *   tasks of hooks and runs               `worker.ts`
 *   streams of events                     `functions/http/event-stream.ts`
 *   the search for expired rows           `database.ts`
 *   the agent                             a process of its own, supervised by `child-process.ts`
 * Unhandled rejections come here as well. `test/project/error-owners.test.ts` finds code without an owner.
 */
process.on('unhandledRejection', (reason) => {
  if (!isFailedCommit(reason)) throw reason;
});
process.on('uncaughtException', (error) => {
  process.stderr.write(`LanReach has failed: ${error.stack ?? error}\n`);
  process.exit(1);
});
process.stdout.on('error', () => {}); // A closed output is no reason to stop.

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => process.exit(explain(error)),
);
