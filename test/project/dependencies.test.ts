/** What runs finds its packages in `dependencies`: those of tests and of the deployment are not there in production. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import consoleJson from '../../console/package.json' with { type: 'json' };
import packageJson from '../../package.json' with { type: 'json' };
import { PERMISSIVE } from '../../scripts/package-licences.mjs';
import { programs, type Source } from './sources.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Folders with nothing that runs, and those of development: `npx cdk`, tests, figures, documents. */
const NOT_RUN = ['cdk', 'docs'];
/** Scripts of development; the others are part of `npm start`, or prove a deployment. */
const NOT_RUN_SCRIPTS = ['scripts/stateful-resources.mjs', 'scripts/vendor-table.mjs'];
/** Loaded by its path, or by a style sheet; or the source of a table in the agent, whose packages contain its licence. */
const BY_PATH = ['swagger-ui-dist', 'tailwindcss', 'oui-data'];

const running = programs.filter(({ side, file }) => !NOT_RUN.includes(side) && !NOT_RUN_SCRIPTS.includes(file));
/** Packages of imports that are more than types. */
const packagesOf = ({ imports }: Source) =>
  imports
    .filter(({ from, isType }) => !isType && !/^(?:\.|node:|messages:)/.test(from))
    .map(({ from }) => /^(?:@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? '');

test('the walk sees what runs', () => {
  const sides = ['shared', 'agent', 'local', 'cli', 'client', 'console', 'scripts'];
  expect(running.map(({ side }) => side)).toEqual(expect.arrayContaining(sides));
  const dynamodb = running.find(({ file }) => file.endsWith('/dynamodb.ts')) ?? expect.fail();
  expect(packagesOf(dynamodb)).toEqual(['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', 'p-limit']);
});

test('every package that is imported is a dependency', () => {
  const dependencies = Object.keys(packageJson.dependencies);
  const ofConsole = [...dependencies, ...Object.keys(consoleJson.dependencies)];
  const missing = running.flatMap((source) => {
    // The scripts build the console as well.
    const known = ['console', 'scripts'].includes(source.side) ? ofConsole : dependencies;
    const unknown = packagesOf(source).filter((name) => !known.includes(name));
    return unknown.map((name) => `${source.file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test('every dependency is imported', () => {
  const imported = new Set(running.flatMap(packagesOf));
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
