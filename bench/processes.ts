/** What Linux tells of processes in /proc: who started whom, their memory, and their processor time. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Linux shows times in /proc/<pid>/stat in units of a hundredth of a second on every platform (`USER_HZ`). */
const TICK_MS = 10;

export function descendantsOf(pid: number): number[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = processes.map(Number).filter((candidate) => parentOf(candidate) === pid);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

export function parentOf(pid: number): number | null {
  const fields = statOf(pid);
  return fields === null ? null : Number(fields[1]);
}

export function argumentsOf(pid: number): string {
  return readProc(pid, 'cmdline') ?? '';
}

/** Name of the program, of which Linux keeps 15 bytes. */
export function programOf(pid: number): string {
  return (readProc(pid, 'comm') ?? '').trimEnd();
}

/** Resident memory in MB, with pages that other processes use too. */
export function residentMb(pid: number): number {
  return megabytes(readProc(pid, 'status'), 'VmRSS') ?? 0;
}

/** Resident memory in MB, where a page that `n` processes use counts as an `n`-th; null if we may not know. */
export function proportionalMb(pid: number): number | null {
  return megabytes(readProc(pid, 'smaps_rollup'), 'Pss');
}

/** The most resident memory since `forgetPeak`, or since the process has started. */
export function peakMb(pid: number): number {
  return megabytes(readProc(pid, 'status'), 'VmHWM') ?? 0;
}

/** Sets the peak to the current value, where that is permitted. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Then the peak stays that of the whole life, which is no less than the one that is wanted.
  }
}

/**
 * Processor time so far, by thread, in milliseconds. Times by thread are exact to a microsecond, unlike those of the
 * whole process.
 */
export type ProcessorTimes = ReadonlyMap<string, number>;

export function processorTimes(pid: number): ProcessorTimes {
  const times = new Map<string, number>();
  for (const thread of threadsOf(pid)) {
    const text = readProc(pid, `task/${thread}/schedstat`);
    if (text !== null) times.set(thread, Number(text.split(' ')[0]) / 1e6);
  }
  return times;
}

/** Processor time in milliseconds between two looks at a process. What a thread did that has ended since is missing. */
export function processorMs(before: ProcessorTimes, after: ProcessorTimes): number {
  let sum = 0;
  for (const [thread, ms] of after) sum += ms - (before.get(thread) ?? 0);
  return sum;
}

/** Processor time of the children of a process that have ended, in milliseconds; exact to ten of them. */
export function processorMsOfEnded(pid: number): number {
  const fields = statOf(pid);
  return fields === null ? 0 : (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}

/** The fields of /proc/<pid>/stat after the name of the program, which may hold blanks and parentheses itself. */
function statOf(pid: number): string[] | null {
  const stat = readProc(pid, 'stat');
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return []; // The process has ended.
  }
}

function megabytes(text: string | null, name: string): number | null {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text ?? '')?.[1];
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
