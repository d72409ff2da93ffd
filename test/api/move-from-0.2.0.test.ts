/** The way from version 0.2.0: an export of all columns that commit 56d4de6f has made comes in, and goes out the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testApi } from '../support/test-api.ts';

const EXPORT = readFileSync(join(import.meta.dirname, '..', 'fixtures', 'devices-of-0.2.0.csv'), 'utf8');

const system = testApi();

test('every device comes in, and every field of it is as it was', async () => {
  const site = await system.addSite();
  const { json } = await system.importCsv(EXPORT, site);
  expect(json).toMatchObject({ success: true, inserted: 6, skipped_lines: [] });
  const { text } = await system.request('GET', '/devices/export/csv?columns=all', { site });
  expect(text).toBe(EXPORT);
});
