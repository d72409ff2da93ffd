/**
 * Which tests need nothing but Node.js: no programs of the host, no bundles, no database, no sockets. They are the
 * project `unit` of vitest, which `npm run test:unit` runs alone.
 *
 * What a test file imports decides, so that nobody has to keep a list: a file beside what it tests, which imports none
 * of the following, is one of them. `unit-guard.ts` fails those that start processes or use the network all the same.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['agent', 'bench', 'cdk', 'cli', 'functions', 'local', 'shared'];

const STARTS_SOMETHING = [
  /^node:(?:child_process|cluster|dgram|https?|tls|worker_threads)$/,
  /\/testing\//, // What serves the tests beside it: processes, brokers, servers.
  /^(?:aws-cdk-lib|esbuild)/,
  /\.mjs$/,
  /\/(?:test-system|test-table|child-process|data-folder|database|lock|network-namespace|system|system-tools|main|program)\.ts$/,
];

/** What else there is in `node:net`, such as `isIP`, is about addresses. */
const USES_SOCKETS = /\b(?:connect|createConnection|createServer|Server|Socket)\b[^;]* from 'node:net'/;

/** Relative to the root of the project. */
export function unitTests(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => join(folder, file))
      .filter(isUnitTest),
  );
}

function isUnitTest(file: string): boolean {
  const text = readFileSync(join(ROOT, file), 'utf8');
  if (USES_SOCKETS.test(text)) return false;
  const imports = [...text.matchAll(/(?:from |import\()'([^']+)'/g)];
  return !imports.some(([, from = '']) => STARTS_SOMETHING.some((pattern) => pattern.test(from)));
}
