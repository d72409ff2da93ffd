/** Whether functions can be run here as Lambda runs them, and what to say where they cannot. */
import { join } from 'node:path';
import { findLambdaRuntime, type LambdaRuntime } from './runtime.ts';

export const ROOT = join(import.meta.dirname, '..', '..');
/** Of the runtime that the stack asks for. */
const MAJOR = 24;

const found = await findLambdaRuntime(ROOT);

/** Null when the tests are to be skipped. Never under `CI=true`: there a missing runtime fails them. */
export const runtime: LambdaRuntime | null = typeof found === 'string' ? null : found;

if (runtime === null) {
  if (process.env.CI === 'true') throw new Error(String(found));
  console.warn(`The built functions are not tested: ${found}`);
} else if (!runtime.nodeVersion.startsWith(`${MAJOR}.`)) {
  console.warn(`The built functions are tested on Node ${runtime.nodeVersion}; Lambda runs them on ${MAJOR}`);
}

/** For use inside of tests that are skipped without it. */
export function neededRuntime(): LambdaRuntime {
  if (runtime === null) throw new Error('there is no runtime');
  return runtime;
}
