/** What runs finds its packages in `dependencies`: those of tests and of the deployment are not there in production. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import consoleJson from '../../console/package.json' with { type: 'json' };
import packageJson from '../../package.json' with { type: 'json' };
import { PERMISSIVE } from '../../scripts/package-licences.mjs';

const ROOT = join(import.meta.dirname, '..', '..');
/** Folders with nothing that runs, and those of development: `npx cdk`, tests, figures, documents. */
const NOT_RUN = ['bench', 'cdk', 'cdk.out', 'dist', 'docs', 'node_modules', 'packaging', 'specification', 'test'];
/** Scripts of development; the others are part of `npm start`, or prove a deployment. */
const NOT_RUN_SCRIPTS = ['scripts/stateful-resources.mjs', 'scripts/vendor-table.mjs'];
/** Loaded by its path, or by a style sheet; or the source of a table in the agent, whose packages contain its licence. */
const BY_PATH = ['swagger-ui-dist', 'tailwindcss', 'oui-data'];

interface Source {
  file: string;
  text: string;
  /** Packages of imports that are more than types. */
  packages: string[];
}

const folders = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !NOT_RUN.includes(entry.name))
  .map(({ name }) => name);
const sources = folders
  .flatMap((folder) => readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true }))
  .filter((entry) => entry.isFile() && /\.(?:tsx?|mjs)$/.test(entry.name))
  .map((entry) => posix.relative(ROOT, join(entry.parentPath, entry.name)))
  .filter((file) => !/\/node_modules\/|\.test\.|\.lab\.|\/testing\//.test(file) && !NOT_RUN_SCRIPTS.includes(file))
  .map(read);

function read(file: string): Source {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const statements = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^'.][^']*)'/gm;
  const calls = /\bimport\('([^'.][^']*)'\)/g;
  const imported = [...text.matchAll(statements), ...text.matchAll(calls)].map(([, from = '']) => from);
  const isPackage = (from: string) => !/^(?:node|messages):/.test(from);
  return { file, text, packages: imported.filter(isPackage).map(packageOf) };
}

/** `@scope/name` or `name`, without a path inside of it. */
function packageOf(from: string): string {
  return from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/');
}

test('the walk sees what runs', () => {
  expect(folders).toEqual(expect.arrayContaining(['shared', 'agent', 'local', 'cli', 'client', 'console', 'scripts']));
  const dynamodb = sources.find(({ file }) => file.endsWith('/dynamodb.ts'));
  expect(dynamodb?.packages).toEqual(['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', 'p-limit']);
});

test('every package that is imported is a dependency', () => {
  const dependencies = Object.keys(packageJson.dependencies);
  const ofConsole = [...dependencies, ...Object.keys(consoleJson.dependencies)];
  const missing = sources.flatMap(({ file, packages }) => {
    // The scripts build the console as well.
    const known = /^(?:console|scripts)\//.test(file) ? ofConsole : dependencies;
    return packages.filter((name) => !known.includes(name)).map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test('every dependency is imported', () => {
  const imported = new Set(sources.flatMap(({ packages }) => packages));
  const unused = [...Object.keys(packageJson.dependencies), ...Object.keys(consoleJson.dependencies)];
  expect(unused.filter((name) => !imported.has(name) && !BY_PATH.includes(name))).toEqual([]);
});

test('the packages that the design names are there', () => {
  const named = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', '@aws-sdk/client-iot', 'mqtt', 'zod'];
  expect(Object.keys(packageJson.dependencies)).toEqual(expect.arrayContaining(named));
});

/** Those that they bring are looked at when the packages are made: `test/thorough/npm-scripts.test.ts`. */
test('packages can be made with every dependency: its licence permits it', () => {
  const names = Object.keys({ ...packageJson.dependencies, ...consoleJson.dependencies });
  const licences = names.map((name) => {
    const { license } = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'));
    return `${name}: ${license}`;
  });
  expect(licences.filter((text) => !PERMISSIVE.test(text.slice(text.indexOf(': ') + 2)))).toEqual([]);
});
