import { expect, test } from 'vitest';
import { collectWhenIdle } from './idle-collection.ts';

const MB = 1024 * 1024;

test('what a burst of work has left behind is collected once nothing happens any more', async () => {
  const stop = collectWhenIdle(100);
  try {
    const before = process.memoryUsage();
    let held: object[] = [];
    for (let i = 0; i < 1_500_000; i++) held.push({ i, text: `text ${i}` });
    const most = process.memoryUsage().heapUsed;
    expect(most - before.heapUsed).toBeGreaterThan(100 * MB);
    held = [];
    await expect.poll(() => process.memoryUsage().heapUsed).toBeLessThan(most - 80 * MB);
  } finally {
    stop();
  }
});
