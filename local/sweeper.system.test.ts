import { join } from 'node:path';
import pino from 'pino';
import { expect, test } from 'vitest';
import { createTable, Table } from '../store/table.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { embedded } from '../test/test-table.ts';
import { childEnvironment } from './config.ts';
import { startDatabase } from './database.ts';
import { startSweeper, sweep } from './sweeper.ts';

const log = pino({ level: 'silent' });

test('what has expired goes, the rest stays', async () => {
  await using folder = makeTestFolder();
  const database = await startDatabase({
    file: join(folder.path, 'x.db'),
    isolate: false,
    env: childEnvironment(),
    setpriv: null,
    log,
  });
  const table = new Table({ ...embedded(database.endpoint, 'lanreach'), bulkWrites: 'transactions' });
  await createTable(table);
  const now = new Date('2026-11-01T12:00:00Z');
  const nowSeconds = now.getTime() / 1000;
  // More than a page, so that the sweep has to go on where it stopped.
  const items = Array.from({ length: 450 }, (_, i) => ({
    pk: `P#${i % 7}`,
    sk: `item ${i}`,
    ...(i % 3 === 0 ? {} : { ttl: i % 3 === 1 ? nowSeconds - 1 : nowSeconds + 1 }),
  }));
  await table.bulk(
    items.map((item) => ({ put: item })),
    async () => {},
  );

  expect(await sweep(table, now)).toBe(150);
  const left: string[] = [];
  for (let i = 0; i < 7; i++) {
    for await (const page of table.query(`P#${i}`, 'item')) left.push(...page.map(({ sk }) => sk));
  }
  expect(left.length).toBe(300);
  expect(left.every((sk) => Number(sk.slice(5)) % 3 !== 1)).toBe(true);
  expect(await sweep(table, now)).toBe(0);

  const sweeper = startSweeper(table, log);
  await sweeper.close(); // Although its first time is a minute away.
  table.client.destroy();
  await database.close();
});
