/** `lanreach`: a client of the public API, for people and for scripts. */
import { CommanderError } from 'commander';
import { printable } from '../shared/text.ts';
import { EXIT_CODES, Failure } from './client/failure.ts';
import { buildProgram } from './program.ts';

/** Says what went wrong, unless that has been done, and how a script can tell. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    // Help that nobody asked for is shown for an incomplete command.
    return error.exitCode === 0 ? 0 : EXIT_CODES.usage;
  }
  if (error instanceof Failure) {
    process.stderr.write(`lanreach: ${printable(error.message)}\n`);
    return EXIT_CODES[error.ending];
  }
  process.stderr.write(`lanreach: ${error instanceof Error ? error.stack : error}\n`);
  return EXIT_CODES.failure;
}

// `lanreach devices list | head`: whoever read our output has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await buildProgram().parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
