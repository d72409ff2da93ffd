import { afterAll, beforeAll, describe } from 'vitest';
import { type Lab, labSupport, startLab } from './lab.ts';

interface Options {
  timeout?: number;
  concurrent?: boolean;
  /** Called before the tests, when the lab is there. */
  prepare?(lab: Lab): Promise<void>;
}

/** Tests in a lab; they are skipped where this machine allows none. */
export function describeLab(title: string, { prepare, ...options }: Options, tests: (lab: Lab) => void): void {
  const unsupported = labSupport();
  if (unsupported !== null) console.warn(`Not tested: ${title}: ${unsupported}`);
  describe.skipIf(unsupported !== null)(title, options, () => {
    const lab = {} as Lab;
    beforeAll(async () => {
      Object.assign(lab, await startLab());
      await prepare?.(lab);
    });
    afterAll(() => lab.close?.());
    tests(lab);
  });
}
