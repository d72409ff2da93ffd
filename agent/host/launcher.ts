/**
 * Detects the end of the npm or npx process that started this one. npm forwards TERM and INT only to the shell in
 * between, and nothing when its terminal is closed or it is killed.
 */
import { systemFile } from './platform.ts';
import { parentOf } from './process-identity.ts';

/** Calls `onGone` once, within half a second after the end of the launching process. */
export function watchLauncher(onGone: () => void): void {
  const links = linksToLauncher();
  const timer = setInterval(() => {
    if (links.every(({ child, parent }) => parentNow(child) === parent)) return;
    clearInterval(timer);
    onGone();
  }, 500).unref();
}

/** The chain of parents, up to the first one that is not a shell for a single command. */
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

/** `sh -c …` ends with its command, so it only stands between this process and its launcher. */
function isShellOfOneCommand(pid: number): boolean {
  return systemFile(`/proc/${pid}/cmdline`).split('\0')[1] === '-c'; // Empty when the process has ended.
}
