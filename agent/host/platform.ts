/** The operating system of this host. Code that depends on it has it as a parameter, so that tests cover other systems. */
import { readFileSync } from 'node:fs';

export type Platform = 'linux' | 'macos';

export const PLATFORM: Platform = process.platform === 'darwin' ? 'macos' : 'linux';

/** Why a system counts as unproven; null where the agent is tested before each release. Delete it once macOS is tested. */
export function unproven(platform = PLATFORM): string | null {
  if (platform === 'linux') return null;
  return 'the agent for macOS was written from documentation and has never been tested there; discovery does not work on it';
}

/** The text of a file in /proc, /sys or /etc; empty where there is none. */
export function systemFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
