/** One running system for all files of a worker that are content with the usual settings. */
import { afterAll, beforeAll, test } from 'vitest';
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

/** Its properties in an object that is there before it. */
function become(system: TestSystem, started: TestSystem): void {
  Object.defineProperties(system, Object.getOwnPropertyDescriptors(started));
}

/** Starts once for a worker: make your own sites and tokens; leave alone site home's settings and limits by address. */
export function sharedSystem(): TestSystem {
  const system = {} as TestSystem;
  withSystem.beforeAll(({ system: started }) => become(system, started));
  return system;
}

/** The system of one file: it starts before the first test, and stops after the last one. */
export function ownSystem(...settings: Parameters<typeof startTestSystem>): TestSystem {
  const system = {} as TestSystem;
  beforeAll(async () => become(system, await startTestSystem(...settings)));
  afterAll(() => system.close?.());
  return system;
}
