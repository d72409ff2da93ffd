/** Questions to the person at the terminal. Without a terminal there are none. */
import { createInterface } from 'node:readline/promises';
import { printable } from '../../shared/text.ts';
import { Failure } from './failure.ts';
import type { World } from './world.ts';

function canAsk({ stdin, stderr }: World): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** @throws {Failure} when the person does not agree, or `usage` when there is no terminal */
export async function confirm(world: World, what: string): Promise<void> {
  if (!canAsk(world)) throw new Failure('usage', `${what} There is no terminal to confirm it: use --yes`);
  if (!/^y(es)?$/i.test(await answerTo(world, `${what} [y/N] `))) throw new Failure('failure', 'Nothing was done.');
}

/** Whether a guess is right. Without a terminal, it is not taken. */
export async function isMeant(world: World, guess: string): Promise<boolean> {
  return canAsk(world) && /^(y(es)?)?$/i.test(await answerTo(world, `Did you mean ${guess}? [Y/n] `));
}

async function answerTo({ stdin, stderr }: World, question: string): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stderr });
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('no')));
  try {
    return (await Promise.race([terminal.question(printable(question)), closed])).trim();
  } finally {
    terminal.close();
  }
}
