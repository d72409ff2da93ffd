/** Bundles a Lambda function, for deployments, tests and benchmarks. */
import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';

/** CommonJS packages inside an ES module call `require`, which is not there by itself. */
const REQUIRE =
  "import { createRequire as lanreachRequire } from 'node:module'; const require = lanreachRequire(import.meta.url);";

/** Modules that are replaced in the bundles; the replacements say why. */
const STAND_INS = {
  // mqtt brings a copy of Node's own streams along: 120 KB, and 20 ms at every cold start.
  'readable-stream': 'stream',
  socks: './cdk/bundle/no-socks.ts',
  'node:http': './cdk/bundle/node-http.ts',
  '@aws-sdk/credential-provider-node': './cdk/bundle/environment-credentials.ts',
};

/** Functions whose libraries need more of the Fetch standard than its stand-in has. */
const WITH_FETCH_OF_PLATFORM: readonly string[] = ['commands', 'access'];

/**
 * Files and folders that a function reads, by its group. Beside the bundle and not in it, so that no cold start loads
 * them.
 */
const FILES: Readonly<Record<string, readonly string[]>> = {
  access: ['docs/openapi.json'],
  console: ['dist/console'], // Built before this program runs: see cdk.json.
};

/**
 * Bundles one function into a file `index.mjs` with all dependencies, beside files of those that it rarely needs: the SDK
 * in the Lambda runtime changes without notice, and does not load faster.
 * @param root folder of the project
 * @param group file in `functions/groups/lambda/`, without `.ts`
 * @param output folder for the file, and for those that the function reads
 */
export function bundleFunction(root: string, group: string, output: string): void {
  buildSync({
    absWorkingDir: root,
    entryPoints: [join(root, 'functions', 'groups', 'lambda', `${group}.ts`)],
    outdir: output,
    entryNames: 'index',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What is imported while the function runs stands in files of its own, which no cold start reads.
    splitting: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    alias: STAND_INS,
    inject: WITH_FETCH_OF_PLATFORM.includes(group) ? [] : ['./cdk/bundle/fetch.ts'],
    banner: { js: REQUIRE },
    legalComments: 'none',
    logLevel: 'warning',
  });
  for (const file of FILES[group] ?? []) cpSync(join(root, file), join(output, basename(file)), { recursive: true });
}
