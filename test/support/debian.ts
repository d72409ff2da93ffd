/** Programs from Debian's packages, unpacked and not installed: their packages would start services. */
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runToEnd } from '../../local/child-process.ts';
import { readConfig } from '../../local/config.ts';
import { ROOT } from './packages.ts';

const WITHIN_MS = 300_000;

/** Where the packages of that name are unpacked. */
export const folderOf = (name: string) => join(ROOT, 'node_modules', '.cache', `debian-${name}`);

/**
 * Downloads packages with what they need, and unpacks them into a folder that later runs find again.
 * @returns the folder, or why there is none: without apt, or where nothing may be installed
 */
export async function unpackDebian(
  name: string,
  packages: readonly string[],
): Promise<{ root: string } | { why: string }> {
  const root = folderOf(name);
  if ((await stat(root).catch(() => null)) !== null) return { root };
  const { childEnvironment: env, installPrograms } = readConfig();
  if (!installPrograms && process.env.CI !== 'true') return { why: `LANREACH_INSTALL=no, and no ${root}` };
  const unfinished = `${root}-${process.pid}`;
  await mkdir(join(unfinished, 'partial'), { recursive: true });
  try {
    const options = ['-o', 'Debug::NoLocking=1', '-o', `Dir::Cache::archives=${unfinished}/`];
    const download = ['install', '--download-only', '--no-install-recommends', '--yes', '--reinstall'];
    const argv = ['apt-get', ...download, ...options, ...packages] as const;
    const { code, output } = await runToEnd(argv, { env, timeoutMs: WITHIN_MS });
    if (code !== 0) {
      if (process.env.CI === 'true') throw new Error(output);
      return { why: `apt cannot download ${packages.join(', ')}` };
    }
    for (const file of (await readdir(unfinished)).filter((each) => each.endsWith('.deb'))) {
      await runToEnd(['dpkg-deb', '-x', join(unfinished, file), unfinished], { env, timeoutMs: WITHIN_MS });
      await rm(join(unfinished, file));
    }
    await rename(unfinished, root);
    return { root };
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** The variables with which an unpacked Kea runs. @param state where it may write */
export function keaEnvironment(root: string, state: string): Record<string, string> {
  return {
    LD_LIBRARY_PATH: libraries(root),
    KEA_LFC_EXECUTABLE: join(root, 'usr/sbin/kea-lfc'),
    KEA_LOCKFILE_DIR: state,
    KEA_PIDFILE_DIR: state,
  };
}

/** The settings of both programs of Kea, with short leases, and the interface for commands behind a password. */
export function keaSettings(
  root: string,
  state: string,
  { interfaces = [] as string[], subnet = '10.9.0', host = '127.0.0.1' },
) {
  const socket = { 'socket-type': 'unix', 'socket-name': join(state, 'kea4.sock') };
  const loggers = (name: string) => [{ name, severity: 'WARN', output_options: [{ output: 'stderr' }] }];
  return {
    server: {
      Dhcp4: {
        'control-socket': socket,
        'interfaces-config': { interfaces },
        'lease-database': { type: 'memfile', name: join(state, 'kea-leases4.csv') },
        'hooks-libraries': [{ library: join(libraries(root), 'kea/hooks/libdhcp_lease_cmds.so') }],
        'valid-lifetime': 600,
        subnet4: [{ id: 1, subnet: `${subnet}.0/24`, pools: [{ pool: `${subnet}.100 - ${subnet}.199` }] }],
        loggers: loggers('kea-dhcp4'),
      },
    },
    agent: {
      'Control-agent': {
        'http-host': host,
        'http-port': 8000,
        'control-sockets': { dhcp4: socket },
        authentication: { type: 'basic', realm: 'kea', clients: [{ user: 'reader', password: 'secret' }] },
        loggers: loggers('kea-ctrl-agent'),
      },
    },
  };
}

export function libraries(root: string): string {
  return join(root, `usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`);
}
