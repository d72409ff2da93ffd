import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/sequence.ts';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', 'cdk.out/**'],
    environment: 'node',
    globalSetup: ['test/tools-setup.ts'],
    sequence: { sequencer: LongFirst },
    pool: 'forks',
    // Most of a test's time is waiting for processes and sockets, so a few more than there are cores do no harm.
    maxWorkers: '150%',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A busy machine may take long for what is there in a moment on an idle one.
    expect: { poll: { timeout: 15_000 } },
  },
});
