/** Bundles a Lambda function, for deployments, tests and benchmarks. */
import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';

/** CommonJS packages inside an ES module call `require`, which ES modules lack. */
const REQUIRE =
  "import { createRequire as lanreachRequire } from 'node:module'; const require = lanreachRequire(import.meta.url);";

/** Files and folders that a function reads, by its group. Beside the bundle, so that no cold start loads them. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  access: ['docs/openapi.json'],
  console: ['dist/console'], // Built before this program runs: see cdk.json.
};

/**
 * Bundles one function into `index.mjs` with all dependencies, beside files with those that it rarely needs: the SDK in the
 * Lambda runtime changes without notice, and does not load faster.
 * @param root folder of the project
 * @param group file in `functions/groups/lambda/`, without `.ts`
 * @param output folder for the files
 */
export function bundleFunction(root: string, group: string, output: string): void {
  buildSync({
    absWorkingDir: root,
    entryPoints: [join(root, 'functions', 'groups', 'lambda', `${group}.ts`)],
    outdir: output,
    entryNames: 'index',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // Puts dynamic imports into files of their own, which no cold start reads.
    splitting: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: { js: REQUIRE },
    legalComments: 'none',
    logLevel: 'warning',
  });
  for (const file of FILES[group] ?? []) cpSync(join(root, file), join(output, basename(file)), { recursive: true });
}
