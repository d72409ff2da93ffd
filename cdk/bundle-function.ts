/** How a function of Lambda is built, for a deployment and for the tests and measurements of what is deployed. */
import { join } from 'node:path';
import { buildSync } from 'esbuild';

/** CommonJS packages inside an ES module call `require`, which is not there by itself. */
const REQUIRE =
  "import { createRequire as lanreachRequire } from 'node:module'; const require = lanreachRequire(import.meta.url);";

/** What functions do without, or do otherwise; the files say why. */
const STAND_INS = {
  // mqtt brings a copy of Node's own streams along: 120 KB, and 20 ms at every cold start.
  'readable-stream': 'stream',
  socks: './cdk/bundle/no-socks.ts',
  '@aws-sdk/credential-provider-node': './cdk/bundle/environment-credentials.ts',
};

/**
 * Bundles one function into a file `index.mjs`, with everything that it needs: the runtime's own SDK changes without
 * notice, and loads no faster.
 * @param root folder of the project
 * @param group folder below `functions/`, where its `lambda.ts` stands
 * @param output folder for the file
 */
export function bundleFunction(root: string, group: string, output: string): void {
  buildSync({
    absWorkingDir: root,
    entryPoints: [join(root, 'functions', group, 'lambda.ts')],
    outfile: join(output, 'index.mjs'),
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    alias: STAND_INS,
    banner: { js: REQUIRE },
    legalComments: 'none',
    logLevel: 'warning',
  });
}
