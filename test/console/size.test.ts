/** How much has to be loaded before the console shows anything. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { firstLoad, largestScreen } from './first-load.ts';

/** The tests are run on a build that is made before them. */
const folder = join(import.meta.dirname, '..', '..', 'dist', 'console');

test('the first JavaScript is at most 125 KB, and the first CSS 20 KB, compressed', async () => {
  const { scripts, styles } = await firstLoad(folder);
  expect(scripts).toBeLessThanOrEqual(125_000);
  expect(styles).toBeLessThanOrEqual(20_000);
});

test('no screen loads more than 60 KB of JavaScript beside it, compressed', async () => {
  const { name, bytes } = await largestScreen(folder);
  expect(bytes, name).toBeLessThanOrEqual(60_000);
  // Without the screens that it looks for, it would find nothing to measure.
  expect(bytes).toBeGreaterThan(10_000);
});
