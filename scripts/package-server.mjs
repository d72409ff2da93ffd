/**
 * The packages of the server: a tarball for npm, and a Debian package with its own Node.js. In both, the server finds its
 * parts in `dist` and `docs` as in a built clone.
 *
 * LMDB and its dependencies are not in the bundle: they search for their native builds beside themselves, and one of them
 * evaluates code with the names of its variables. They are in `dist/node_modules`, unchanged, out of reach of npm.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleCli, bundleForPackage, bundleServer } from './build.mjs';
import { buildConsole } from './build-console.mjs';
import { changelog, copyright, fetchPackage, finishDeb, gzip, putInto, unpackNode } from './package-deb.mjs';
import { packageFolders, thirdPartyLicences } from './package-licences.mjs';
import { filesIn, pack } from './package-npm.mjs';

const NAME = 'lanreach-server';
const HOME = `usr/lib/${NAME}`;
const MODULES = 'dist/node_modules';

/** Packages with native builds, by the prefixes of their names, and the platforms of the tarball for npm. */
const DATABASE = '@lmdb/lmdb';
const NATIVE = [DATABASE, '@msgpackr-extract/msgpackr-extract'];
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];
const PLATFORM_OF = { amd64: 'linux-x64', arm64: 'linux-arm64' };

const MANIFEST = /^(?:package\.json|index\.js)$/;

/** Files of every release, besides its packages. */
const RELEASE = ['release.json', 'release.json.sig', 'release-key.pem', 'install.sh'];

/** For the page with the documentation. */
const SWAGGER_UI = ['package.json', 'LICENSE', 'NOTICE', 'swagger-ui.css', 'swagger-ui-bundle.js'].concat(
  'swagger-ui-bundle.js.LICENSE.txt',
);

/** The contents for all platforms. @param ingredients from `package.mjs`; `release`: the folder it offers, or null */
export async function gatherServer(ingredients) {
  const { root, code, release, version } = ingredients;
  const [server, agent, cli, database, page] = await Promise.all([
    bundleServer(),
    bundleForPackage('agent'),
    bundleCli(),
    inputsOf(root, 'lmdb'),
    buildConsole(),
  ]);
  const swaggerUi = SWAGGER_UI.map((file) => join('node_modules/swagger-ui-dist', file));
  const modules = [...database.files, ...swaggerUi];
  const files = {
    'package.json': `${JSON.stringify({ name: NAME, version, private: true, type: 'module' }, null, 2)}\n`,
    'docs/openapi.json': await readFile(join(root, 'docs', 'openapi.json')),
    'dist/agent.js': code,
  };
  for (const [name, content] of Object.entries(server.files)) files[`dist/${name}`] = content;
  for (const file of modules) files[join('dist', file)] = await readFile(join(root, file));
  const console = await filesIn(page, 'dist/console');
  for (const path of Object.keys(console)) if (!isForTheBuild(path)) files[path] = console[path];
  if (release !== null) Object.assign(files, await filesOfRelease(release));

  const outputs = { ...server.metafile.outputs, ...agent.metafile.outputs, ...cli.metafile.outputs };
  const others = [...database.packages, 'node_modules/swagger-ui-dist', ...(await packagesOfConsole(page))];
  return { files, cli: cli.files, licences: await thirdPartyLicences(root, { outputs }, others) };
}

/** @returns the tarball for Linux and macOS, complete, so that npm fetches and runs nothing */
export async function buildServerPackage(ingredients, { files, licences }) {
  const { 'package.json': _, ...rest } = files;
  const native = await nativeFiles(ingredients, PLATFORMS, /^node\.napi\./);
  return pack(ingredients, {
    manifest: {
      name: NAME,
      description: 'The server of LanReach: the API, the console, the broker and an agent, on one machine',
      bin: { [NAME]: 'dist/local.js' },
      os: ['linux', 'darwin'],
      cpu: ['x64', 'arm64'],
    },
    files: {
      ...rest,
      ...native,
      'dist/local.js': `#!/usr/bin/env node\n${Buffer.from(files['dist/local.js'])}`,
      'THIRD-PARTY-LICENSES': licences,
    },
    readme: 'server.md',
  });
}

/** @returns the .deb */
export async function buildServerDeb(ingredients, { files, cli, licences }, { architecture, compression }) {
  const { root, work, version, epoch } = ingredients;
  const tree = join(work, `server-deb-${architecture}`);
  const sources = join(root, 'scripts', 'packaging', 'system', 'debian');
  const source = (name) => readFile(join(sources, name));
  const put = putInto(tree);
  const nodeLicence = await unpackNode(root, work, architecture, join(tree, HOME, 'node'));
  const native = await nativeFiles(ingredients, [PLATFORM_OF[architecture]], /^node\.napi\.glibc\.node$/);
  for (const [path, content] of Object.entries({ ...files, ...native })) await put(join(HOME, path), content);
  for (const [name, content] of Object.entries(cli)) await put(`${HOME}/dist/${name}`, content);
  await put(`${HOME}/defaults.env`, await source('defaults.env'));
  await put('usr/bin/lanreach', await source('lanreach.sh'), 0o755);
  await put(`usr/bin/${NAME}`, await source(`${NAME}.sh`), 0o755);
  await put(`etc/default/${NAME}`, await source(`${NAME}.default`));
  await put(`usr/lib/systemd/system/${NAME}.service`, await source(`${NAME}.service`));
  await put(`usr/share/man/man8/${NAME}.8.gz`, gzip(await source(`${NAME}.8`)));
  await put(`usr/share/doc/${NAME}/copyright`, copyright(NAME, HOME, licences, nodeLicence));
  await put(`usr/share/doc/${NAME}/changelog.gz`, gzip(changelog(NAME, version, epoch)));
  return finishDeb({ ...ingredients, name: NAME, tree, sources, fields: {}, architecture, compression });
}

/** The files that an import of a package reads, with their manifests. */
async function inputsOf(root, name) {
  const { metafile } = await build({
    absWorkingDir: root,
    stdin: { contents: `import '${name}';`, resolveDir: root },
    outfile: 'unused.js',
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    metafile: true,
    logLevel: 'error',
  });
  const packages = packageFolders(metafile);
  const inputs = Object.keys(metafile.inputs).filter((path) => path.startsWith('node_modules/'));
  return { packages, files: [...inputs, ...packages.map((folder) => join(folder, 'package.json'))].sort() };
}

/** The native builds for some platforms, with the versions and checksums in package-lock.json. */
async function nativeFiles({ root, work }, platforms, wanted) {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const names = NATIVE.flatMap((name) => platforms.map((platform) => `${name}-${platform}`));
  const found = names.map(async (name) => {
    const folder = await fetchPackage(work, { name, ...lock.packages[`node_modules/${name}`] });
    const all = await readdir(folder);
    const builds = all.filter((file) => wanted.test(file));
    if (builds.length === 0) {
      if (name.startsWith(DATABASE)) throw new Error(`${name} has no build that fits`);
      return []; // The other only speeds up reading, and does not support every platform.
    }
    const kept = [...builds, ...all.filter((file) => MANIFEST.test(file))];
    return Promise.all(kept.map(async (file) => [join(MODULES, name, file), await readFile(join(folder, file))]));
  });
  return Object.fromEntries((await Promise.all(found)).flat());
}

/** Only these, because the folder of a release may contain other files. */
async function filesOfRelease(folder) {
  const { files } = JSON.parse(await readFile(join(folder, 'release.json'), 'utf8'));
  const names = [...RELEASE, ...files.map(({ name }) => name)];
  const contents = names.map(async (name) => [join('dist/packages', name), await readFile(join(folder, name))]);
  return Object.fromEntries(await Promise.all(contents));
}

/** Folders of the packages in the console. Some, such as zod, are also in the server. */
async function packagesOfConsole(page) {
  const listed = JSON.parse(await readFile(join(page, '.vite', 'licences.json'), 'utf8'));
  return listed.map(({ name }) => join('node_modules', name));
}

const isForTheBuild = (path) => path.includes('/.') || path.endsWith('/inputs.sha256');
