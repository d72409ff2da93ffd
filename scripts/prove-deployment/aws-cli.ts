/** Calls of AWS, made by the AWS CLI with the credentials and the region of whoever runs the script. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_BYTES = 50_000_000;
/** The documented exit code of the AWS CLI when the service refused the call. */
const REFUSED = 254;

/**
 * @param args such as `['sts', 'get-caller-identity']`, without secrets
 * @param environment in the place of variables of this process, such as other credentials
 * @returns the answer; null when it is empty
 * @throws {Error} with the words of the AWS CLI
 */
export type Aws = (args: string[], signal: AbortSignal, environment?: Record<string, string>) => Promise<unknown>;

export const aws: Aws = async (args, signal, environment = {}) => {
  const name = `aws ${args.slice(0, 2).join(' ')}`;
  try {
    const options = { signal, maxBuffer: MAX_BYTES, env: { ...process.env, ...environment } };
    const { stdout } = await run('aws', [...args, '--output', 'json', '--no-cli-pager'], options);
    return stdout.trim() === '' ? null : JSON.parse(stdout);
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') throw new Error('The AWS CLI is not installed: there is no program "aws"');
    const said = (stderr ?? '').split('\n').find((line) => line.trim() !== '');
    throw new Error(`${name}: ${code === REFUSED || said !== undefined ? said : String(error)}`);
  }
};
