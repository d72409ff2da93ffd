import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/sequence.ts';

const EXCLUDE = ['**/node_modules/**', 'dist/**', 'cdk.out/**'];
/** Tests that may start processes, listen and connect. All others are unit tests, which `test/unit-guard.ts` holds to it. */
const SYSTEM_TESTS = ['test/**/*.test.ts', '**/*.system.test.ts'];

/** The official suites of MCP weigh 330 MB: `npm run conformance` installs and runs them. */
const CONFORMANCE = process.env.npm_lifecycle_event === 'conformance' ? [] : ['test/mcp-conformance/**'];

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    // Most of a test's time is waiting for processes and sockets, so a few more than there are cores do no harm.
    maxWorkers: '150%',
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // The files of a worker share their modules: most of the time would go into importing the same ones anew.
          isolate: false,
          include: ['**/*.test.ts'],
          exclude: [...EXCLUDE, ...SYSTEM_TESTS],
          setupFiles: ['test/unit-guard.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: SYSTEM_TESTS,
          exclude: [...EXCLUDE, ...CONFORMANCE],
          globalSetup: ['test/tools-setup.ts'],
          // Machines of CI are shared, and stand still for longer than a broker or a browser bears. The report names
          // every test that was tried again.
          retry: process.env.CI === 'true' ? 1 : 0,
        },
      },
    ],
    environment: 'node',
    pool: 'forks',
    // Limits of what hangs, not statements about speed: a machine that is five times as slow as usual, or that stands
    // still for seconds, makes no test fail. So a test that waits for something waits for at least a minute.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
