/** A command at many sites at once; `test/thorough/batch-of-two-hundred.test.ts` does the same at more of them. */
import { test } from 'vitest';
import { expectOwnEnds } from './support/batch-of-sites.ts';

test('every site has its own end, the batch ends, and nobody waits for those that are dead, slow or hostile', async () => {
  await expectOwnEnds({ sites: 40, atOnce: 12 });
});
