/** Everything that is in a folder, to compare it with what is there later. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** For each file and folder its mode, and for each file the digest of its bytes; by their paths, in order. */
export function listingOf(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return ['.', ...names].map((name) => {
    const path = join(folder, name);
    const entry = lstatSync(path);
    const mode = entry.mode.toString(8);
    return entry.isFile()
      ? `${name} ${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`
      : `${name} ${mode}`;
  });
}
