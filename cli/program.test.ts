import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { wholeProgram } from '../test/support/cli/whole-program.ts';

/** A command and all that are part of it. */
function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}

test('no command has an option of its own with the name of one that all have', async () => {
  // What a command calls --url would be taken for the URL of the API, and the token would be sent there.
  const program = await wholeProgram();
  const common = program.options.map(({ long }) => long);
  expect(common).toContain('--url');
  const commands = allOf(program).filter((command) => command !== program);
  expect(commands.length).toBeGreaterThan(30);
  for (const command of commands) {
    const own = command.options.map(({ long }) => long);
    expect([command.name(), own.filter((long) => common.includes(long))]).toEqual([command.name(), []]);
  }
});
