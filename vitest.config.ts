import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { messages } from './console/build/messages.ts';
import { LongFirst } from './test/sequence.ts';

const EXCLUDE = ['**/node_modules/**', 'dist/**', 'cdk.out/**'];
/** In `test/`, what needs nothing but Node.js: the API in one process, tests of what tests use, and checks of the project itself. */
const UNIT_TESTS = [
  'test/api/**/*.test.ts',
  'test/cdk/**/*.test.ts',
  'test/project/**/*.test.ts',
  'test/bench/**/!(*.system).test.ts',
];
/** They replace modules that other files of a worker would have loaded already, or look at the whole process. */
const ALONE = [
  'test/hostile-agent.test.ts',
  'local/child-process.system.test.ts',
  'local/idle-collection.system.test.ts',
];
/** What takes long: on demand, and before a release. */
const THOROUGH_TESTS = ['test/thorough/**/*.test.ts'];

/** The official suites of MCP weigh 330 MB: `npm run conformance` installs and runs them. */
const CONFORMANCE = process.env.npm_lifecycle_event === 'conformance' ? [] : ['test/thorough/mcp-conformance/**'];

export default defineConfig({
  plugins: [messages()],
  test: {
    sequence: { sequencer: LongFirst },
    // Much of a test's time is waiting for processes and sockets. As a number: vitest takes no more than 100 % of the cores.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // What one project has made of a module serves the others, and the next run.
    experimental: { fsModuleCache: true },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // The files of a worker share their modules: most of the time would go into importing the same ones anew.
          isolate: false,
          // They wait for nothing, so that more workers would only load the same modules more often. After the others.
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 1 },
          include: ['**/*.test.ts'],
          exclude: [...EXCLUDE, '**/*.system.test.ts', 'test/*.test.ts', 'test/!(api|bench|cdk|project)/**'],
          setupFiles: ['test/unit-guard.ts'],
          globalSetup: ['test/project-files.ts'],
        },
      },
      {
        extends: true,
        test: {
          // These may start processes, listen and connect.
          name: 'system',
          // The files of a worker share their modules, and with them one running system: see `test/test-system.ts`.
          isolate: false,
          include: ['test/**/*.test.ts', '**/*.system.test.ts'],
          exclude: [...EXCLUDE, ...UNIT_TESTS, ...ALONE, ...THOROUGH_TESTS],
          globalSetup: ['test/tools-setup.ts'],
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE, globalSetup: ['test/tools-setup.ts'] } },
      {
        extends: true,
        test: {
          name: 'thorough',
          include: THOROUGH_TESTS,
          env: { CONTRACT_RUNS: '2' },
          exclude: [...EXCLUDE, ...CONFORMANCE],
          globalSetup: ['test/tools-setup.ts', 'test/thorough/tools-setup.ts'],
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
