/** Commands that get what they have when it is needed. */
import type { Command } from 'commander';

type Fill = (command: Command) => Promise<void>;
const fills = new WeakMap<Command, Fill>();

export function fillLater(command: Command, fill: Fill): void {
  fills.set(command, fill);
}

/** Gives a command its arguments, options, parts and action, unless it has them. */
export async function complete(command: Command): Promise<void> {
  const fill = fills.get(command);
  fills.delete(command);
  await fill?.(command);
}
