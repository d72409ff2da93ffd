/** Reads a secret from the terminal without echo. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Failure } from './failure.ts';
import type { World } from './world.ts';

/** Asks on the terminal, without showing what is typed. @param missing why the command cannot go on without an answer */
export async function askForSecret({ stdin, stderr }: World, question: string, missing: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: nowhere, terminal: true });
  const closed = new Promise<never>((_, reject) => {
    terminal.once('close', () => reject(new Failure('usage', missing)));
  });
  stderr.write(`${question}: `);
  try {
    return await Promise.race([terminal.question(''), closed]);
  } finally {
    terminal.close();
    stderr.write('\n');
  }
}
