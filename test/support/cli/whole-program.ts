import type { Command } from 'commander';
import { complete } from '../../../cli/lazy-command.ts';
import { buildProgram } from '../../../cli/program.ts';

/** The program with all that its commands have. */
export async function wholeProgram(): Promise<Command> {
  const program = buildProgram(process);
  for (const command of program.commands) await complete(command);
  return program;
}
