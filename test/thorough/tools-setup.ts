/** Installs what only the thorough tests need. */
import { join } from 'node:path';
import { readConfig } from '../../local/config.ts';
import { provideTools } from '../../local/system-tools.ts';
import { PACKAGING_PACKAGES, PACKAGING_PROGRAMS } from '../support/packages.ts';
import { registrySettings } from '../registry-settings.ts';
import { providePackages } from '../support/own-packages.ts';
import { LINTERS } from './linters/linters.ts';

const ROOT = join(import.meta.dirname, '..', '..');

export async function setup(): Promise<void> {
  const { childEnvironment: env, installPrograms: install } = readConfig();
  const say = (line: string) => console.log(`tools: ${line}`);
  const tools = { programs: PACKAGING_PROGRAMS, packagesFor: () => PACKAGING_PACKAGES };
  await provideTools({ tools, env, install, say });
  await providePackages(LINTERS, { root: ROOT, env: { ...env, ...registrySettings() }, install, say });
}
