/** One running system for all files of a worker that are content with the usual settings. */
import { test } from 'vitest';
import { startTestSystem, type TestSystem } from '../test-system.ts';

const withSystem = test.extend<{ $worker: { system: TestSystem } }>({
  system: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures that are needed from the first parameter.
    async ({}, use) => {
      await using system = await startTestSystem({ LOG_LEVEL: 'info' });
      await use(system);
    },
    { scope: 'worker' },
  ],
});

/**
 * Starts the system unless an earlier file of the worker has. It stops with the worker. A file makes sites and tokens of
 * its own, and leaves alone what others could notice: the settings of site home, and limits by address.
 */
export function useSharedSystem(begin: (system: TestSystem) => void): void {
  withSystem.beforeAll(({ system }) => begin(system));
}
