import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/sequence.ts';
import { unitTests } from './test/unit-tests.ts';

const EXCLUDE = ['**/node_modules/**', 'dist/**', 'cdk.out/**'];
const unit = unitTests();

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    // Most of a test's time is waiting for processes and sockets, so a few more than there are cores do no harm.
    maxWorkers: '150%',
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: unit, setupFiles: ['test/unit-guard.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: ['**/*.test.ts'],
          exclude: [...EXCLUDE, ...unit],
          globalSetup: ['test/tools-setup.ts'],
        },
      },
    ],
    environment: 'node',
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A busy machine may take long for what is there in a moment on an idle one.
    expect: { poll: { timeout: 15_000 } },
  },
});
