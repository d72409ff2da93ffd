/** An emulator of DynamoDB, against which the tests hold the adapter for the cloud. It runs on Linux with x64 only. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createTable, type DynamoDbSettings } from '../../functions/table/dynamodb.ts';
import { freePort } from './free-port.ts';
import { makeTestFolder } from './test-folder.ts';

export interface Emulator extends AsyncDisposable {
  readonly endpoint: string;
  /** A new table, as a function finds it. */
  makeTable(): Promise<DynamoDbSettings & { endpoint: string }>;
}

const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

export async function startEmulator(): Promise<Emulator> {
  const manifest = createRequire(import.meta.url).resolve('@dynoxide/linux-x64/package.json');
  const folder = makeTestFolder();
  const port = await freePort();
  const argv = ['serve', '--host', '127.0.0.1', '--port', String(port), '--db-path', join(folder.path, 'table.db')];
  const child = spawn(join(dirname(manifest), 'dynoxide'), argv, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const output: string[] = [];
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => {
        output.push(line);
        if (line.includes('listening on')) resolve();
      });
    }
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`the emulator has ended: ${output.join('\n')}`)));
  });
  const endpoint = `http://127.0.0.1:${port}`;
  let tables = 0;
  return {
    endpoint,
    async makeTable() {
      const settings = { tableName: `table-${++tables}`, region: 'local', endpoint, credentials: CREDENTIALS };
      await createTable(settings);
      return settings;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
      await folder.remove();
    },
  };
}
