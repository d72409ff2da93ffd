/** Runs once before the tests that start programs: builds these, and installs what the host lacks for them. */
import { join } from 'node:path';
import { runToEnd } from '../local/child-process.ts';
import { muteVersionNotice, readConfig } from '../local/config.ts';
import { provideTools, SYSTEM_TOOLS, type Tools } from '../local/system-tools.ts';
import { BROWSER_PACKAGES, BROWSER_PROGRAMS } from './console/packages.ts';
import { LAB_PACKAGES, LAB_PROGRAMS } from './lab/packages.ts';
import { BUNDLES_FOLDER } from './lambda/bundled-function.ts';
import { LAMBDA_RUNTIME } from './lambda/runtime.ts';
import { registrySettings } from './registry-settings.ts';
import { SHELL_PACKAGES, SHELL_PROGRAMS } from './support/cli/shells.ts';
import { providePackages } from './support/own-packages.ts';
import { makeTestFolder } from './support/test-folder.ts';

const ROOT = join(import.meta.dirname, '..');
const TOOLS: Tools[] = [
  SYSTEM_TOOLS,
  { programs: LAB_PROGRAMS, packagesFor: () => LAB_PACKAGES },
  { programs: SHELL_PROGRAMS, packagesFor: () => SHELL_PACKAGES },
  { programs: BROWSER_PROGRAMS, packagesFor: () => BROWSER_PACKAGES },
];
const BUILD_WITHIN_MS = 600_000;

const bundles = makeTestFolder();

export async function setup(): Promise<void> {
  if (process.env[BUNDLES_FOLDER] !== undefined) return; // Another project of the same run has done all this.
  muteVersionNotice(); // The workers inherit it, and all that is set here.
  process.env[BUNDLES_FOLDER] = bundles.path;
  const { childEnvironment: env, installPrograms: install } = readConfig();
  const script = join(ROOT, 'scripts', 'build.mjs');
  const build = await runToEnd([process.execPath, script], { env, timeoutMs: BUILD_WITHIN_MS });
  // A newcomer sees what it prints at the first start.
  if (build.code !== 0 || build.output !== '') throw new Error(`Cannot build the programs:\n${build.output}`);
  const say = (line: string) => console.log(`tools: ${line}`);
  for (const tools of TOOLS) await provideTools({ tools, env, install, say });
  await providePackages(LAMBDA_RUNTIME, { root: ROOT, env: { ...env, ...registrySettings() }, install, say });
}

export async function teardown(): Promise<void> {
  await bundles.remove();
}
