import { afterEach, expect, test, vi } from 'vitest';
import { type DiskSpace, requireRoom, spaceAt, watchDiskSpace } from './disk-space.ts';

const MB = 1024 * 1024;
afterEach(() => vi.useRealTimers());

test('a full disk is distinguished from one with room', async () => {
  expect(() => requireRoom({ freeBytes: 100 * MB, totalBytes: 1_000 * MB })).not.toThrow();
  expect(() => requireRoom({ freeBytes: 1.5 * MB, totalBytes: 1_000 * MB })).toThrow(
    'The disk of the database is full, so that nothing can be written: 1.5 MB are free',
  );
  const { freeBytes, totalBytes } = await spaceAt('/');
  expect(freeBytes).toBeLessThanOrEqual(totalBytes);
});

test('the log has one warning when less than five percent are free, and another one when that comes again', async () => {
  vi.useFakeTimers();
  let freeBytes = 60 * MB;
  const look = async (): Promise<DiskSpace> => {
    if (freeBytes < 0) throw new Error('the folder is gone');
    return { freeBytes, totalBytes: 1_000 * MB };
  };
  const lines: string[] = [];
  const stop = watchDiskSpace('/data', { warn: (_: object, line = '') => void lines.push(line) }, look);
  for (const next of [40, 30, -1, 40, 60, 40]) {
    freeBytes = next * MB;
    await vi.advanceTimersByTimeAsync(60_000);
  }
  expect(lines).toEqual(Array(2).fill('the disk of the database is nearly full: 40 MB are free'));
  stop();
  freeBytes = 60 * MB;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(vi.getTimerCount()).toBe(0);
});
