/** The programs of dist/ need the packages of `dependencies` and no others, as `npm ci --omit=dev` installs them. */
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { ROOT } from './support/packages.ts';
import { startServerProcess } from './support/server-process.ts';
import { makeTestFolder } from './support/test-folder.ts';

const DEPENDENCIES = Object.keys(packageJson.dependencies);

test.each([
  ...['local', 'demo', 'prove-deployment'].map((name) => [name, DEPENDENCIES] as const),
  // They contain their packages.
  ...['cli', 'agent', 'launcher'].map((name) => [name, []] as const),
])('%s finds what it imports, wherever in it', async (name, known) => {
  const entryPoints = [join(ROOT, 'dist', `${name}.js`)];
  const options = { bundle: true, packages: 'external', platform: 'node', format: 'esm', write: false } as const;
  const { metafile } = await build({ ...options, entryPoints, metafile: true, outdir: 'dist', logLevel: 'error' });
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  expect(imported.length).toBeGreaterThan(2);
  const packages = imported.map(({ path }) => path).filter((path) => !isBuiltin(path));
  expect(packages.filter((path) => !known.some((one) => path === one || path.startsWith(`${one}/`)))).toEqual([]);
});

test('the server starts, with its agent, and is healthy; it reads the AWS SDK only where DynamoDB is used', async () => {
  // Outside of the project, whose node_modules would be found otherwise.
  await using folder = makeTestFolder();
  const filter = (file: string) => !/\.map$|\/dist\/packages$/.test(file);
  for (const part of ['dist', 'docs/openapi.json']) {
    cpSync(join(ROOT, part), join(folder.path, part), { recursive: true, filter });
  }
  for (const name of DEPENDENCIES.filter((one) => !one.startsWith('@aws-sdk/'))) {
    const link = join(folder.path, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  const program = join(folder.path, 'dist', 'local.js');
  const server = await startServerProcess(program, folder.path, 'correct-horse-battery-staple');
  const { status } = await fetch(new URL('/health', server.url));
  const { code, screen } = await server.stop();
  expect([status, code, screen]).toEqual([200, 0, expect.stringContaining('online')]);
});
