/** What `npm run package` makes, used from where it is put. */
import { mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runToEnd } from '../../../local/child-process.ts';
import { readConfig } from '../../../local/config.ts';
import { ARCHITECTURE, buildPackages, buildPackagesOf, ROOT } from '../../support/packages.ts';
import { makeTestFolder } from '../../support/test-folder.ts';

const ENVIRONMENT = readConfig().childEnvironment;
const VERSION = /^\d+\.\d+\.\d+$/;
const temporary = makeTestFolder();
const folder = temporary.path;
/** The tarballs for npm: of the agent, and of the command line with the client. */
let tarballs: readonly string[];

beforeAll(async () => {
  const made = ['agent', 'lanreach'].map((program) => buildPackages(folder, '--of', program, '--only', 'npm'));
  tarballs = (await Promise.all(made)).map(([tarball = '']) => tarball);
});
afterAll(() => temporary.remove());

async function passes(argv: readonly [string, ...string[]], environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const env = { ...ENVIRONMENT, ...environment };
  const { code, output } = await runToEnd(argv, { env, timeoutMs: 60_000 });
  expect(code, `${argv.join(' ')}\n${output}`).toBe(0);
  return output;
}

test('the agent runs by npx, and installed for everybody; it goes again without a trace', async () => {
  const [tarball = ''] = tarballs;
  const home = join(folder, 'home');
  const prefix = join(folder, 'prefix');
  await mkdir(home);
  const quiet = { npm_config_offline: 'true', npm_config_update_notifier: 'false' };
  const offline = { HOME: home, npm_config_cache: join(folder, 'cache'), ...quiet };
  const npx = ['sh', '-c', 'cd "$1" && npx --yes "./$2" --version', 'sh', folder, basename(tarball)] as const;
  expect((await passes(npx, offline)).trim()).toMatch(VERSION);
  await passes(['npm', 'install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', tarball], offline);
  const path = { ...offline, PATH: `${join(prefix, 'bin')}:${ENVIRONMENT.PATH}` };
  expect((await passes(['lanreach-agent', '--version'], path)).trim()).toMatch(VERSION);
  expect(await passes(['lanreach-agent', 'uninstall'], path)).toContain('Nothing of the agent is left');
  await passes(['npm', 'uninstall', '--global', '--prefix', prefix, 'lanreach-agent'], offline);
  expect(await readdir(join(prefix, 'bin'))).toEqual([]);
  expect(await readdir(join(prefix, 'lib', 'node_modules')).catch(() => [])).not.toContain('lanreach-agent');
});

test('the types of the client know what an operation takes and gives', async () => {
  // As npm puts it, with the one package that its types refer to.
  const modules = join(folder, 'project', 'node_modules');
  await mkdir(join(modules, 'lanreach'), { recursive: true });
  await passes(['tar', '-xzf', tarballs[1] ?? '', '-C', join(modules, 'lanreach'), '--strip-components=1']);
  await symlink(join(ROOT, 'node_modules', 'zod'), join(modules, 'zod'));
  await writeFile(join(folder, 'project', 'package.json'), '{"type": "module"}');
  const program = join(folder, 'project', 'typed.ts');
  const typed = (question: string) => `import { openClient, operations } from 'lanreach/client';
    const client = openClient({ url: 'https://lanreach.example.com', token: 't' });
    const answer = await client.ask(operations.devices.searchDevices, ${question});
    export const names: string[] = answer.devices.map((device) => device.devName);`;
  const options = '--noEmit --strict --skipLibCheck --ignoreConfig --target es2023 --module nodenext'.split(' ');
  const tsc = [process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, program] as const;
  await writeFile(program, typed("{ site: 'home', body: { query: 'nas' } }"));
  await passes(tsc);
  await writeFile(program, typed('{ body: { query: 1 } }'));
  const { code, output } = await runToEnd(tsc, { env: ENVIRONMENT, timeoutMs: 60_000 });
  expect(code).not.toBe(0);
  expect(output).toMatch(/'number' is not assignable to type 'string'/);
});

test('the .deb for 32 bits is small, and runs on the Node.js of Debian 13', async (context) => {
  const made = await buildPackages(join(folder, 'armhf'), '--of', 'agent', '--only', 'deb', '--architecture', 'armhf');
  if (typeof made === 'string') return context.skip(made);
  const [deb = ''] = made;
  expect((await readFile(deb)).length).toBeLessThan(2 * 1024 * 1024);
  expect(await passes(['dpkg-deb', '--field', deb, 'Architecture', 'Depends'])).toMatch(
    /^Architecture: armhf\nDepends: nodejs \(>= 20\.19\), .*\bnmap\b/,
  );
  const unpacked = join(folder, 'armhf', 'unpacked');
  await passes(['dpkg-deb', '--extract', deb, unpacked]);
  const home = join(unpacked, 'usr', 'lib', 'lanreach-agent');
  expect(await readlink(join(home, 'node'))).toBe('/usr/bin/node');
  const program = join(home, 'lanreach-agent.mjs');
  expect((await passes([process.execPath, program, '--version'])).trim()).toMatch(VERSION);
});

test('the .deb is not made with another Node.js than the one that was pinned', async (context) => {
  // The same sources, but for one digit of the checksum.
  const root = join(folder, 'sources');
  await mkdir(root, { recursive: true });
  for (const name of await readdir(ROOT)) {
    if (name !== 'scripts' && name !== 'dist') await symlink(join(ROOT, name), join(root, name));
  }
  await passes(['cp', '-r', join(ROOT, 'scripts'), root]);
  const pinned = await readFile(join(ROOT, 'scripts', 'packaging', 'node-runtime.json'), 'utf8');
  await writeFile(join(root, 'scripts', 'packaging', 'node-runtime.json'), pinned.replaceAll('sha512-', 'sha512-A'));
  const only = ['--of', 'agent', '--only', 'deb', '--architecture', ARCHITECTURE];
  const made = await buildPackagesOf(root, folder, ...only).catch((error: Error) => error);
  if (typeof made === 'string') return context.skip(made);
  expect(String(made)).toContain('is not the pinned file');
});
