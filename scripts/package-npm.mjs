/** The packages for npm, without install scripts: the agent, and `lanreach`, the command line with the client of the API. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { bundleCli, bundleClient } from './build.mjs';
import { filesBelow } from './files.mjs';
import { thirdPartyLicences } from './package-licences.mjs';

const run = promisify(execFile);
const timeout = 120_000;

/** @returns the tarball of the agent: a launcher and its program, and the files of its service for scripts/packaging/install.sh */
export async function buildAgentPackage(ingredients) {
  const { root, launcher, code, licences, releaseKey } = ingredients;
  const packaged = (...path) => readFile(join(root, 'scripts', 'packaging', ...path));
  return pack(ingredients, {
    manifest: {
      name: 'lanreach-agent',
      description: 'The agent of LanReach: network diagnostics from inside a LAN, for an API in the cloud',
      bin: { 'lanreach-agent': 'lanreach-agent.mjs' },
      os: ['linux', 'darwin'],
    },
    files: {
      'lanreach-agent.mjs': launcher,
      'agent.mjs': code,
      ...(releaseKey.publicPem === null ? {} : { 'release-key.pem': releaseKey.publicPem }),
      'THIRD-PARTY-LICENSES': licences,
      'service/lanreach-agent.service': await packaged('debian', 'lanreach-agent.service'),
      'service/lanreach-agent.path': await packaged('debian', 'lanreach-agent.path'),
      'service/lanreach-agent.plist': await packaged('npm', 'lanreach-agent.plist'),
      'service/lanreach-agent.sh': await packaged('npm', 'lanreach-agent.sh'),
    },
    readme: 'agent.md',
  });
}

/** @returns the tarball of the command line and the client */
export async function buildLanreachPackage(ingredients) {
  const { root, work, dependencies } = ingredients;
  const [cli, client] = await Promise.all([bundleCli(), bundleClient()]);
  const types = join(work, 'types');
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [compiler, '-p', 'client', '--outDir', types], { cwd: root, timeout });
  const { 'cli.js': program, ...parts } = cli.files;
  const outputs = { ...cli.metafile.outputs, ...client.metafile.outputs };
  return pack(ingredients, {
    manifest: {
      name: 'lanreach',
      description: ingredients.description,
      bin: { lanreach: 'lanreach.mjs' },
      exports: { './client': { types: './types/client/main.d.ts', default: './client.js' } },
      // Only for the types: the code of the client is complete.
      dependencies: { zod: dependencies.zod },
    },
    files: {
      'lanreach.mjs': program,
      ...parts,
      'client.js': client.code,
      'THIRD-PARTY-LICENSES': await thirdPartyLicences(root, { outputs }),
      ...(await filesIn(types, 'types')),
    },
    readme: 'lanreach.md',
  });
}

export async function pack({ root, work, out, version, license, engines }, { manifest, files, readme }) {
  const folder = join(work, manifest.name);
  const parts = new Set(Object.keys(files).map((path) => path.split('/')[0]));
  const whole = { ...manifest, version, license, engines, type: 'module', files: [...parts] };
  const contents = {
    ...files,
    'package.json': `${JSON.stringify(whole, null, 2)}\n`,
    LICENSE: await readFile(join(root, 'LICENSE')),
    'README.md': await readFile(join(root, 'scripts', 'packaging', 'npm', readme)),
  };
  for (const [name, content] of Object.entries(contents)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    await chmod(path, name.endsWith('.mjs') ? 0o755 : 0o644); // Despite the umask, because npm keeps it.
  }
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', out];
  const { stdout } = await run('npm', args, { cwd: folder, timeout });
  // npm 11 and older answer with a list of packages, others with one entry for each name.
  return join(out, Object.values(JSON.parse(stdout))[0].filename);
}

/** The contents of the files of a folder, by their paths below `as`. */
export async function filesIn(folder, as) {
  const paths = await filesBelow(folder);
  const contents = await Promise.all(paths.map((path) => readFile(path)));
  return Object.fromEntries(paths.map((path, i) => [join(as, relative(folder, path)), contents[i]]));
}
