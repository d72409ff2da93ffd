/** Where the log goes: to standard error, or into a file, where nothing takes care of that. */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { type DestinationStream, destination } from 'pino';

const MOST_BYTES = 5_000_000;

/** @param file null for standard error. It is kept below some MB, with what was before in a second one, `<file>.1` */
export function logTo(file: string | null, mostBytes = MOST_BYTES): DestinationStream {
  if (file === null) return destination({ dest: 2, sync: true });
  let descriptor = openSync(file, 'a', 0o600);
  let bytes = fstatSync(descriptor).size;
  function beginAnew(path: string): void {
    closeSync(descriptor);
    try {
      renameSync(path, `${path}.1`);
    } catch {} // On Windows somebody may read one of the two. Then it grows, until the next time.
    descriptor = openSync(path, 'a', 0o600);
    bytes = 0;
  }
  return {
    write(line) {
      try {
        if (bytes >= mostBytes) beginAnew(file);
        bytes += writeSync(descriptor, line);
      } catch {} // A full disk is no reason to end, and there is nowhere to say it.
    },
  };
}
