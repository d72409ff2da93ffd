/** Runs once before all tests: the programs of the host that they use, and the bundles that they start. */
import { join } from 'node:path';
import { runToEnd } from '../local/child-process.ts';
import { muteVersionNotice, readConfig } from '../local/config.ts';
import { provideTools, type Tools } from '../local/system-tools.ts';
import { LAB_PACKAGES, LAB_PROGRAMS } from './lab/packages.ts';
import { provideLambdaRuntime } from './lambda/runtime.ts';

const LAB_TOOLS: Tools = { programs: LAB_PROGRAMS, packagesFor: () => LAB_PACKAGES };
const ROOT = join(import.meta.dirname, '..');
const BUILD_WITHIN_MS = 60_000;

export async function setup(): Promise<void> {
  muteVersionNotice(); // The workers inherit it.
  const { childEnvironment: env, installPrograms } = readConfig();
  const script = join(ROOT, 'scripts', 'build.mjs');
  const build = await runToEnd([process.execPath, script], { env, timeoutMs: BUILD_WITHIN_MS });
  if (build.code !== 0) throw new Error(`Cannot build the programs:\n${build.output}`);
  const say = (line: string) => console.log(`tools: ${line}`);
  await provideTools({ env, install: installPrograms, say });
  await provideTools({ tools: LAB_TOOLS, env, install: installPrograms, say });
  await provideLambdaRuntime({ root: ROOT, env: { ...env, ...registrySettings() }, install: installPrograms, say });
}

/** Where npm finds packages may have been said in its variables. */
function registrySettings(): NodeJS.ProcessEnv {
  const ours = /^npm_config_(?:registry|cache|userconfig|cafile|strict_ssl|(?:https?_|no)?proxy)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => ours.test(name)));
}
