/** Gives the tests of the project itself the list of its files: they must not start a process, such as git. */
import type { TestProject } from 'vitest/node';
import { trackedFiles } from '../scripts/size.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    trackedFiles: string[];
  }
}

export function setup({ provide }: TestProject): void {
  provide('trackedFiles', trackedFiles());
}
