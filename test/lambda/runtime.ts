/** The client of Lambda's Runtime API and its Node.js, in a folder of their own: `npm start` needs neither. */
import type { OwnPackages } from '../support/own-packages.ts';

export const LAMBDA_RUNTIME: OwnPackages = {
  name: 'the runtime of Lambda',
  folder: 'test/lambda/runtime',
  probe: 'node_modules/aws-lambda-ric/index.mjs',
};

export interface LambdaRuntime {
  /** Full path of the Node.js that runs functions. */
  node: string;
  /** The program that loads a function and asks for events. */
  client: string;
  /** To be loaded before the client. */
  preload: string;
}
