/** Runs a command line. */
import { type Command, CommanderError } from 'commander';
import { printable } from '../shared/text.ts';
import { EXIT_CODES, failureOf } from './client/failure.ts';
import type { World } from './client/world.ts';
import { buildProgram } from './program.ts';

/** @param args what stands behind the name of the program @returns never a rejected promise; the exit code is in the world */
export async function run(args: readonly string[], world: World): Promise<void> {
  let running: Command | null = null;
  try {
    const words = withJsonFields(args);
    if (firstWord(words) === 'help') {
      words.splice(words.indexOf('help'), 1);
      words.push('--help');
    }
    // "lanreach" alone.
    if (firstWord(words) === null && !words.some((one) => ASKING.includes(one))) words.push('status');
    const program = buildProgram(world);
    program.hook('preAction', (_program, command) => {
      running = command;
    });
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    world.exitCode = exitCodeOf(error, world, running);
  }
}

/** Prints the error, unless commander has done so, and returns the exit code. */
function exitCodeOf(error: unknown, { stderr }: World, running: Command | null): number {
  if (error instanceof CommanderError) {
    // commander shows the help for an incomplete command, which is an error.
    return error.exitCode === 0 ? 0 : EXIT_CODES.usage;
  }
  const failure = failureOf(error, running);
  if (failure !== null) {
    stderr.write(`lanreach: ${printable(failure.message)}\n`);
    return EXIT_CODES[failure.ending];
  }
  stderr.write(`lanreach: ${error instanceof Error ? error.stack : error}\n`);
  return EXIT_CODES.failure;
}

/** Options of all commands that take a value. */
const WITH_VALUE = new Set(['--profile', '--url', '--token-file', '--jq', '--columns']);
const ASKING = ['--help', '-h', '--version', '-V'];

/** The name of the command; null where there is none. */
function firstWord(words: readonly string[]): string | null {
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (!word.startsWith('-')) return word;
    if (WITH_VALUE.has(word)) i++;
  }
  return null;
}

/**
 * `--json` alone takes no word for its value, which may be an argument of the command; `--json name,ip` does, because of the
 * comma.
 */
function withJsonFields(args: readonly string[]): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const words: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i]!;
    if (word !== '--json' || i >= end) words.push(word);
    else if (/^[\w.]+(?:,[\w.]+)+$/.test(args[i + 1] ?? '')) words.push(`--json=${args[++i]}`);
    else words.push('--json=');
  }
  return words;
}
