/** `lanreach`: a client of the public API, for people and for scripts. */
import { CommanderError } from 'commander';
import { printable } from '../shared/text.ts';
import { EXIT_CODES, failureOf } from './client/failure.ts';
import { buildProgram } from './program.ts';

/** Prints the error, unless commander has done so, and returns the exit code. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    // commander shows the help for an incomplete command, which is an error.
    return error.exitCode === 0 ? 0 : EXIT_CODES.usage;
  }
  const failure = failureOf(error);
  if (failure !== null) {
    process.stderr.write(`lanreach: ${printable(failure.message)}\n`);
    return EXIT_CODES[failure.ending];
  }
  process.stderr.write(`lanreach: ${error instanceof Error ? error.stack : error}\n`);
  return EXIT_CODES.failure;
}

// `lanreach devices list | head`: the reader has closed the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await buildProgram().parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
