/** A client whose types are generated from the OpenAPI document compiles, and can do all that the contract has. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runToEnd } from '../../../local/child-process.ts';
import { readConfig } from '../../../local/config.ts';
import { startObedientAgent } from '../../support/enrolled-agent.ts';
import { startTestApi } from '../../support/in-process.ts';
import { missingPackages } from '../../support/own-packages.ts';
import { LINTERS } from './linters.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const PACKAGES = join(import.meta.dirname, 'node_modules');
/** Where the packages are found, and what the repository does not hold. */
const FOLDER = join(PACKAGES, '.cache', 'generated-client');
const GENERATOR = join(PACKAGES, 'openapi-typescript', 'bin', 'cli.js');
const COMPILER = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
/** What `tsc --init` writes, and the declarations are checked as well. */
const STRICT = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false };

const missing = missingPackages(ROOT, LINTERS);
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

test.skipIf(missing !== null)('types made by openapi-typescript compile, and call all of the contract', async () => {
  mkdirSync(FOLDER, { recursive: true });
  cpSync(join(import.meta.dirname, 'contract-calls.mts'), join(FOLDER, 'contract-calls.mts'));
  const compilerOptions = { ...STRICT, module: 'nodenext', target: 'es2022', lib: ['es2022', 'dom'], types: ['node'] };
  const typeRoots = [join(ROOT, 'node_modules', '@types')];
  const files = ['contract-calls.mts', 'api.d.ts'];
  writeFileSync(
    join(FOLDER, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, typeRoots }, files }),
  );
  const { childEnvironment: env } = readConfig();
  const run = (...args: string[]) => runToEnd([process.execPath, ...args], { env, timeoutMs: 120_000 });
  const generated = await run(GENERATOR, join(ROOT, 'docs', 'openapi.json'), '-o', join(FOLDER, 'api.d.ts'));
  expect([generated.code, generated.output]).toEqual([0, expect.any(String)]);
  expect(await run(COMPILER, '--project', FOLDER)).toEqual({ code: 0, output: '', timedOut: false });

  await using system = await startTestApi({ listens: true });
  await using _agent = await startObedientAgent(system, 'home', 'main', ({ command }) => ({
    output: 'done',
    result: command.tool === 'interfaces' ? {} : null,
  }));
  const { callContract } = await import(join(FOLDER, 'contract-calls.mjs'));
  const statuses = await callContract(system.url, system.token, '00:1E:06:00:00:01');
  expect(Object.keys(statuses)).toHaveLength(19); // The export has two paths.
  expect(statuses).toEqual(Object.fromEntries(Object.keys(statuses).map((name) => [name, 200])));
});
