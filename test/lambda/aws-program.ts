/** A program `aws` that answers as a test says: it hands its arguments to the test, and prints what it gets back. So do others. */
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';
import { makeTestFolder } from '../support/test-folder.ts';

export interface AwsProgram extends AsyncDisposable {
  /** The folder to put at the front of PATH. */
  folder: string;
  /** The arguments of every call, of another program behind its name. */
  calls: string[][];
}

/** Thrown by a test's answer: what the AWS CLI says when the service refuses the call. */
export class AwsRefusal extends Error {}

export async function startAwsProgram(
  answer: (args: string[]) => unknown,
  others: readonly string[] = [],
): Promise<AwsProgram> {
  const calls: string[][] = [];
  const server = createServer(async (request, response) => {
    const args: string[] = JSON.parse(await text(request));
    calls.push(args);
    try {
      response.end(JSON.stringify(await answer(args)) ?? '');
    } catch (error) {
      response.statusCode = error instanceof AwsRefusal ? 400 : 500;
      response.end(String(error instanceof Error ? error.message : error));
    }
  });
  const port = await listenOnLoopback(server);
  const { path: folder, remove } = makeTestFolder();
  for (const name of ['aws', ...others]) {
    const file = join(folder, name);
    await writeFile(file, programFor(port, name === 'aws' ? [] : [name]));
    await chmod(file, 0o755);
  }
  return {
    folder,
    calls,
    async [Symbol.asyncDispose]() {
      await closeServer(server);
      await remove();
    },
  };
}

/** The AWS CLI ends with 254 when the service refuses a call. */
function programFor(port: number, name: readonly string[]): string {
  return `#!${process.execPath}
const body = JSON.stringify([...${JSON.stringify(name)}, ...process.argv.slice(2)]);
fetch('http://127.0.0.1:${port}/', { method: 'POST', body }).then(async (answer) => {
  const text = await answer.text();
  if (answer.ok) return process.stdout.write(text);
  process.stderr.write('\\n' + text + '\\n');
  process.exitCode = 254;
});
`;
}
