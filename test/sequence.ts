/** In which order the test files begin. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOT = join(import.meta.dirname, '..');

/**
 * Files that take long. vitest begins with the largest files as long as it has not timed them, and these are small: begun
 * last, they would go on alone when all others have ended. Those that mostly wait, for networks that stay silent and
 * clocks that run out, take turns with those that compute, so that there is always something to do.
 */
const LONG = [
  'test/lab/discovery.test.ts',
  'test/console/screens.test.ts',
  'test/hostile/hostile.test.ts',
  'test/lab/watched-site.test.ts',
  'cli/lanreach.system.test.ts',
  'test/console/devices.test.ts',
  'test/faults/fleet.test.ts',
  'test/lab/wake.test.ts',
  'test/console/sites.test.ts',
  'test/lab/system.test.ts',
  'local/main.system.test.ts',
  'test/thorough/renewal.test.ts',
  'test/console/events.test.ts',
  'test/contract-fuzz.test.ts',
  'test/faults/freeze.test.ts',
  'test/console/tools.test.ts',
  'agent/main.system.test.ts',
  'test/thorough/agent-process.test.ts',
  'test/lab/tools.test.ts',
  'local/system.system.test.ts',
  'test/jobs.test.ts',
  'test/faults/reconnect.test.ts',
  'packaging/installed.system.test.ts',
  'test/enrolment.test.ts',
  'test/faults.test.ts',
  'test/console/topology.test.ts',
  'test/console/device.test.ts',
  'test/site-removal.test.ts',
  'test/discovery.test.ts',
  'test/agreement.test.ts',
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
