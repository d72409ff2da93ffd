import type { Command } from '../../../cli/command.ts';
import { buildProgram } from '../../../cli/program.ts';

/** The program with all that its commands have. */
export async function wholeProgram(): Promise<Command> {
  const program = buildProgram(process);
  for (const command of program.commands) await command.complete();
  return program;
}
