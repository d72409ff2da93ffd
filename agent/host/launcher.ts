/**
 * Detects the end of the npm or npx process that started this one. npm passes TERM and INT on, but only to the shell in
 * between, and it passes on nothing when its terminal is closed or it is killed.
 */
import { readFileSync } from 'node:fs';
import { parentOf } from './process-identity.ts';

const CHECK_INTERVAL_MS = 500;

/** Calls `onGone` once, within half a second after the process that started this one is gone. */
export function watchLauncher(onGone: () => void): void {
  const links = linksToLauncher();
  const timer = setInterval(() => {
    if (links.every(({ child, parent }) => parentNow(child) === parent)) return;
    clearInterval(timer);
    onGone();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}

/** The chain of parents, from this process up to the first one that is not a shell for a single command. */
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

/** `sh -c …` ends with its command, and so only stands between this process and the one that started it. */
function isShellOfOneCommand(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] === '-c';
  } catch {
    return false; // The process has ended, or there is no /proc.
  }
}
