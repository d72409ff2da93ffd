/** What the program has around it. A test gives it another one than the process. */
import type { Command } from 'commander';

export interface World {
  env: NodeJS.ProcessEnv;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Stream;
  stderr: Stream;
  /** Set when something has gone otherwise than wanted. */
  exitCode?: number | string | null | undefined;
}

export type Stream = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

const worlds = new WeakMap<Command, World>();

/** @param program the command that all others are part of */
export function setWorld(program: Command, world: World): void {
  worlds.set(program, world);
}

export function worldOf(command: Command): World {
  let program = command;
  while (program.parent !== null) program = program.parent;
  return worlds.get(program) ?? process;
}
