/** Installs what only the thorough tests need. */
import { join } from 'node:path';
import { readConfig } from '../../local/config.ts';
import { provideTools } from '../../local/system-tools.ts';
import { registrySettings } from '../registry-settings.ts';
import { providePackages } from '../support/own-packages.ts';
import { ARM64_PACKAGES, ARM64_PROGRAMS, PACKAGING_PACKAGES, PACKAGING_PROGRAMS } from '../support/packages.ts';
import { LINTERS } from './linters/linters.ts';

const ROOT = join(import.meta.dirname, '..', '..');

export async function setup(): Promise<void> {
  const { childEnvironment: env, installPrograms: install } = readConfig();
  const say = (line: string) => console.log(`tools: ${line}`);
  const packaging = { programs: PACKAGING_PROGRAMS, packagesFor: () => PACKAGING_PACKAGES };
  await provideTools({ tools: packaging, env, install, say });
  const arm64 = { programs: ARM64_PROGRAMS, packagesFor: () => ARM64_PACKAGES };
  if (process.arch !== 'arm64') await provideTools({ tools: arm64, env, install, say });
  await providePackages(LINTERS, { root: ROOT, env: { ...env, ...registrySettings() }, install, say });
}
