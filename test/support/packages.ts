/** Builds the packages as `npm run package` does, for tests. */
import { join } from 'node:path';
import { runToEnd } from '../../local/child-process.ts';
import { readConfig } from '../../local/config.ts';
import { registrySettings } from '../registry-settings.ts';

export const ROOT = join(import.meta.dirname, '..', '..');
/** Programs that are needed to build, check and install the packages, with their Debian packages. */
export const PACKAGING_PROGRAMS = ['dpkg-deb', 'deb-systemd-helper', 'systemd-analyze', 'pgrep'] as const;
export const PACKAGING_PACKAGES = ['dpkg', 'init-system-helpers', 'systemd', 'procps'] as const;

/** What runs programs for arm64 on another processor, with their Debian packages and those of the libraries. */
export const ARM64_PROGRAMS = ['qemu-aarch64-static'] as const;
export const ARM64_PACKAGES = [
  'qemu-user-static',
  'libc6-arm64-cross',
  'libgcc-s1-arm64-cross',
  'libstdc++6-arm64-cross',
] as const;
/** Where Debian puts these libraries. */
export const ARM64_ROOT = '/usr/aarch64-linux-gnu';

/** The key that signs the releases of tests, made with the first. It is nobody's. */
const KEY = join(ROOT, 'dist', 'test-release-key.pem');

const BUILD_WITHIN_MS = 300_000;

/** Debian's name for the processor of this machine. */
export const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'amd64';

/**
 * @returns the files, or why they cannot be built: the .deb needs Node.js from the npm registry, or from npm's cache
 */
export async function buildPackages(out: string, ...options: string[]): Promise<string[] | string> {
  return buildPackagesOf(ROOT, out, ...options);
}

/** The same of other sources. */
export async function buildPackagesOf(root: string, out: string, ...options: string[]): Promise<string[] | string> {
  const script = join(root, 'scripts', 'package.mjs');
  const { code, output } = await runToEnd([process.execPath, script, '--out', out, ...options], {
    env: { ...readConfig().childEnvironment, ...registrySettings(), LANREACH_RELEASE_KEY: KEY },
    timeoutMs: BUILD_WITHIN_MS,
  });
  if (code === 0) return output.trim().split('\n');
  const isAbsent = /Cannot fetch|dpkg-deb is missing/.test(output) && process.env.CI !== 'true';
  if (isAbsent) return output.trim();
  throw new Error(`Cannot build the packages:\n${output}`);
}
