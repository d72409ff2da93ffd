/** `lanreach`: a client of the public API, for people and for scripts. */
import { run } from './run.ts';

// `lanreach devices list | head`: the reader has closed the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

await run(process.argv.slice(2), process);
