/** The agent as a package for npm: one file, no dependencies, nothing that runs while it is installed. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PACK_WITHIN_MS = 60_000;

/** @returns the tarball */
export async function buildNpmPackage({ root, work, out, version, license, engines, code, licences }) {
  const folder = join(work, 'npm');
  await mkdir(folder);
  const manifest = {
    name: 'lanreach-agent',
    version,
    description: 'The agent of LanReach: network diagnostics from inside a LAN, for an API in the cloud',
    license,
    type: 'module',
    bin: { 'lanreach-agent': 'lanreach-agent.mjs' },
    files: ['lanreach-agent.mjs', 'THIRD-PARTY-LICENSES'],
    engines,
    os: ['linux', 'darwin'],
  };
  const files = {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'lanreach-agent.mjs': code,
    'THIRD-PARTY-LICENSES': licences,
    LICENSE: await readFile(join(root, 'LICENSE')),
    'README.md': await readFile(join(root, 'packaging', 'npm', 'README.md')),
  };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content);
    await chmod(join(folder, name), name.endsWith('.mjs') ? 0o755 : 0o644); // Whatever the umask is: npm keeps it.
  }
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', out], {
    cwd: folder,
    timeout: PACK_WITHIN_MS,
  });
  return join(out, nameIn(stdout));
}

/** npm 11 and older answer with a list of packages, others with one entry for each name. */
function nameIn(json) {
  return Object.values(JSON.parse(json))[0].filename;
}
