/** Runs once before all tests: the programs of the host that they use, and the bundles that they start. */
import { join } from 'node:path';
import { SHELL_PACKAGES, SHELL_PROGRAMS } from '../cli/testing/shells.ts';
import { runToEnd } from '../local/child-process.ts';
import { muteVersionNotice, readConfig } from '../local/config.ts';
import { provideTools, type Tools } from '../local/system-tools.ts';
import { PACKAGING_PACKAGES, PACKAGING_PROGRAMS } from './support/packages.ts';
import { BROWSER_PACKAGES, BROWSER_PROGRAMS } from './console/packages.ts';
import { LAB_PACKAGES, LAB_PROGRAMS } from './lab/packages.ts';
import { LAMBDA_RUNTIME } from './lambda/runtime.ts';
import { LINTERS } from './linters/linters.ts';
import { registrySettings } from './registry-settings.ts';
import { providePackages } from './support/own-packages.ts';

const LAB_TOOLS: Tools = { programs: LAB_PROGRAMS, packagesFor: () => LAB_PACKAGES };
const ROOT = join(import.meta.dirname, '..');
const PACKAGING_TOOLS: Tools = { programs: PACKAGING_PROGRAMS, packagesFor: () => PACKAGING_PACKAGES };
const SHELL_TOOLS: Tools = { programs: SHELL_PROGRAMS, packagesFor: () => SHELL_PACKAGES };
const BROWSER_TOOLS: Tools = { programs: BROWSER_PROGRAMS, packagesFor: () => BROWSER_PACKAGES };
const BUILD_WITHIN_MS = 600_000;

export async function setup(): Promise<void> {
  muteVersionNotice(); // The workers inherit it.
  const { childEnvironment: env, installPrograms } = readConfig();
  const script = join(ROOT, 'scripts', 'build.mjs');
  const build = await runToEnd([process.execPath, script], { env, timeoutMs: BUILD_WITHIN_MS });
  if (build.code !== 0) throw new Error(`Cannot build the programs:\n${build.output}`);
  const say = (line: string) => console.log(`tools: ${line}`);
  await provideTools({ env, install: installPrograms, say });
  await provideTools({ tools: LAB_TOOLS, env, install: installPrograms, say });
  await provideTools({ tools: PACKAGING_TOOLS, env, install: installPrograms, say });
  await provideTools({ tools: SHELL_TOOLS, env, install: installPrograms, say });
  await provideTools({ tools: BROWSER_TOOLS, env, install: installPrograms, say });
  for (const packages of [LAMBDA_RUNTIME, LINTERS]) {
    const own = { ...env, ...registrySettings() };
    await providePackages(packages, { root: ROOT, env: own, install: installPrograms, say });
  }
}
