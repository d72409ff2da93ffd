/** Distinguishes a process from a later one with the same process id, so that the agent kills only the right one. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';

export const ProcessIdentity = z.object({
  pid: z.int().min(2),
  /** Start time in clock ticks since boot, and the id of that boot: see proc(5). */
  start: z.string(),
  boot: z.string(),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

let boot: string | undefined;

/** Null when there is no such process, or the system has no /proc. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  try {
    const start = statOf(pid)[19];
    if (start === undefined) return null;
    boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { pid, start, boot };
  } catch {
    return null;
  }
}

/** The parent of a process, or the one that adopted it; null when there is none, or the system has no /proc. */
export function parentOf(pid: number): number | null {
  try {
    return Number(statOf(pid)[1]);
  } catch {
    return null;
  }
}

function statOf(pid: number): string[] {
  return statFields(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/**
 * The fields of /proc/<pid>/stat from the third on (state, ppid, pgrp, …): see proc(5). The second is the program's name in
 * parentheses and may itself hold blanks and parentheses.
 */
export function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Kills the process group of a recorded process, if that process still runs. Returns whether it did. */
export function killGroup(recorded: ProcessIdentity): boolean {
  const found = identifyProcess(recorded.pid);
  if (found === null || found.start !== recorded.start || found.boot !== recorded.boot) return false;
  try {
    process.kill(-recorded.pid, 'SIGKILL');
    return true;
  } catch {
    return false; // It ended meanwhile.
  }
}
