import { readFileSync } from 'node:fs';

/** None of a process that has ended. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Whether the process runs as a program of this name; a zombie does not. */
export const isRunningAs = (program: string) => (pid: number) => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return status.startsWith(`Name:\t${program}`) && !/^State:\s+Z/m.test(status);
  } catch {
    return false;
  }
};

/** Whether the process runs, as any program. */
export const isRunning = isRunningAs('');
