/** What `test/batches.test.ts` shows, at two hundred sites. */
import { test } from 'vitest';
import { expectOwnEnds } from '../support/batch-of-sites.ts';

test('two hundred sites, each with its own end', { timeout: 900_000 }, async () => {
  await expectOwnEnds({ sites: 200, atOnce: 40 });
});
