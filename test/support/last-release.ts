/** The sources of the last release, from the repository of this checkout. */
import { execFileSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import lastRelease from '../../packaging/last-release.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..', '..');
const git = (...args: string[]) =>
  execFileSync('git', ['-C', ROOT, ...args], { maxBuffer: 512 * 1024 * 1024, stdio: ['ignore', 'pipe', 'ignore'] });

/** Why they are not to be had here; null when they are. */
export function lastReleaseObstacle(): string | null {
  try {
    git('cat-file', '-e', `${lastRelease.commit}^{tree}`);
    return null;
  } catch {
    return `this checkout has no commit ${lastRelease.commit}; git fetch --unshallow brings it`;
  }
}

/** Writes them into a folder, with the packages that are installed here. @returns the folder */
export async function unpackLastRelease(parent: string): Promise<string> {
  const sources = join(parent, 'sources');
  await mkdir(sources);
  execFileSync('tar', ['-x', '-C', sources], { input: git('archive', lastRelease.commit) });
  await symlink(join(ROOT, 'node_modules'), join(sources, 'node_modules'));
  return sources;
}
