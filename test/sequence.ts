/** In which order the test files begin. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOT = join(import.meta.dirname, '..');

/** Small files that take long: begun last, as vitest would, they would go on alone when all others have ended. */
const LONG = [
  'test/lab/system.test.ts',
  'test/console/screens.test.ts',
  'local/main.system.test.ts',
  'local/system.system.test.ts',
  'test/guides.test.ts',
  'agent/main.system.test.ts',
  'test/console/tasks.test.ts',
  'test/thorough/console/sites.test.ts',
  'test/thorough/lambda/lifecycle.test.ts',
  'test/thorough/lab/discovery.test.ts',
  'test/thorough/hostile/hostile.test.ts',
  'test/thorough/faults/renewal.test.ts',
  'test/thorough/faults/agent-process.test.ts',
];

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    for (const name of LONG) {
      if (!existsSync(join(ROOT, name))) throw new Error(`test/sequence.ts: there is no ${name}`);
    }
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((name) => moduleId.endsWith(`/${name}`));
      return at === -1 ? LONG.length : at;
    };
    return sorted.sort((a, b) => place(a) - place(b)); // A stable sort: the others stay in their order.
  }
}
