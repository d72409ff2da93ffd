/** The option of commands that show how something stands, to show it again and again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { Failure } from './failure.ts';
import { worldOf } from './world.ts';

const DEFAULT_SECONDS = 5;
const LEAST_SECONDS = 2;
/** To the first line, and everything away. */
const CLEAR = '\x1b[H\x1b[2J\x1b[3J';

export function watchOption(): Option {
  return new Option('--watch [seconds]', `show it again every ${DEFAULT_SECONDS} s, until Ctrl-C`).argParser(secondsOf);
}

/** The action of a command with that option. */
export function repeated<Args extends [...unknown[], Command]>(
  action: (...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    const command = args.at(-1) as Command;
    const { watch } = command.opts<{ watch?: number | true }>();
    if (watch === undefined) return action(...args);
    const { stdout } = worldOf(command);
    if (stdout.isTTY !== true) throw new Failure('usage', '--watch needs a terminal');
    for (;;) {
      stdout.write(CLEAR);
      await action(...args);
      await sleep((watch === true ? DEFAULT_SECONDS : watch) * 1000);
    }
  };
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,4}$/.test(text) && seconds >= LEAST_SECONDS) return seconds;
  throw new InvalidArgumentError(`Expected a number of seconds, ${LEAST_SECONDS} at least.`);
}
