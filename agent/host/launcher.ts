/**
 * Notices the end of the npm or npx that has started this process. It passes on TERM and INT, but only to the shell that
 * it has put in between, and nothing at all when its terminal is closed or it is killed.
 */
import { readFileSync } from 'node:fs';
import { parentOf } from './process-identity.ts';

const LOOK_EVERY_MS = 500;

/** Calls `onGone` once, within half a second, when the process that has started this one is gone. */
export function watchLauncher(onGone: () => void): void {
  const links = linksToLauncher();
  const timer = setInterval(() => {
    if (links.every(({ child, parent }) => parentNow(child) === parent)) return;
    clearInterval(timer);
    onGone();
  }, LOOK_EVERY_MS);
  timer.unref();
}

/** Who was started by whom: from this process up to the first that is no shell which runs one command. */
function linksToLauncher(): { child: number; parent: number | null }[] {
  const links = [{ child: process.pid, parent: parentNow(process.pid) }];
  for (;;) {
    const last = links.at(-1)?.parent ?? null;
    if (last === null || !isShellOfOneCommand(last)) return links;
    links.push({ child: last, parent: parentNow(last) });
  }
}

function parentNow(pid: number): number | null {
  return pid === process.pid ? process.ppid : parentOf(pid);
}

/** `sh -c …`, which ends with its command, and is only a part of the way to whoever has started it. */
function isShellOfOneCommand(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] === '-c';
  } catch {
    return false; // It has gone meanwhile, or there is no /proc.
  }
}
