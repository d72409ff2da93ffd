/** What Linux tells in /proc of a process and of all that descend from it: their memory, and their processor time. */
import { readFileSync, writeFileSync } from 'node:fs';
import { descendantsOf } from '../support/processes.ts';

/** Linux shows times in /proc/<pid>/stat in units of a hundredth of a second on every platform (`USER_HZ`). */
const TICK_MS = 10;

/** A process and all that descend from it. */
export const treeOf = (pid: number) => [pid, ...descendantsOf(pid)];

/** Processor time of a tree so far in milliseconds, with that of processes which have ended; exact to ten of them. */
export function processorMs(pid: number): number {
  return sum(treeOf(pid).map(ticksOf)) * TICK_MS;
}

/** User and system time of a process and of its children that have ended (proc(5), fields 14 to 17). */
function ticksOf(pid: number): number {
  return sum((statOf(pid) ?? []).slice(11, 15).map(Number));
}

/** Resident memory of processes in MB; a page that several of them use counts once for each. */
export function residentMb(pids: readonly number[]): number {
  return sum(pids.map((pid) => megabytes(pid, 'status', 'VmRSS') ?? 0));
}

/** The same, where a page that several processes use counts once; null if that may not be known. */
export function proportionalMb(pids: readonly number[]): number | null {
  const each = pids.map((pid) => megabytes(pid, 'smaps_rollup', 'Pss'));
  return each.every((mb) => mb !== null) ? sum(each) : null;
}

/** The most resident memory of a process since `forgetPeak`, or since it has started. */
export function peakMb(pid: number): number {
  return megabytes(pid, 'status', 'VmHWM') ?? 0;
}

/** Sets the peak to the current value, where that is permitted. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Then the peak stays that of the whole life, which is no less than the one that is wanted.
  }
}

export function argumentsOf(pid: number): string {
  return readProc(pid, 'cmdline') ?? '';
}

/** The fields of /proc/<pid>/stat after the name of the program, which may hold blanks and parentheses itself. */
function statOf(pid: number): string[] | null {
  const stat = readProc(pid, 'stat');
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function megabytes(pid: number, file: string, name: string): number | null {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readProc(pid, file) ?? '')?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

/** Null when the process has ended, or may not be looked at. */
function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
