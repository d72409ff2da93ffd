/** Linters and schemas of others find nothing in the documents that are made from the tables. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { runToEnd } from '../../../local/child-process.ts';
import { readConfig } from '../../../local/config.ts';
import { missingPackages } from '../../support/own-packages.ts';
import { LINTERS } from './linters.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const FOLDER = import.meta.dirname;
const DOCUMENTS = ['openapi', 'asyncapi'].map((name) => join(ROOT, 'docs', `${name}.json`)) as [string, string];

const missing = missingPackages(ROOT, LINTERS);
if (missing !== null) {
  if (process.env.CI === 'true') throw new Error(missing);
  console.warn(`The documents are not linted: ${missing}`);
}
const linted = test.skipIf(missing !== null);

/** Run without telemetry and the search for newer versions; proxies lead nowhere. */
async function lint(file: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const nowhere = 'http://127.0.0.1:1';
  const env = {
    ...readConfig().childEnvironment,
    ...{ CI: 'true', NO_COLOR: '1', DO_NOT_TRACK: '1', SCARF_ANALYTICS: 'false' },
    ...{ REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    ...{ HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, http_proxy: nowhere, https_proxy: nowhere },
  };
  return runToEnd([process.execPath, join(FOLDER, 'node_modules', file), 'lint', ...args], { env, timeoutMs: 180_000 });
}

linted('redocly (recommended-strict) finds nothing in the OpenAPI document', async () => {
  const config = join(FOLDER, 'redocly.yaml');
  const { code, output } = await lint('@redocly/cli/bin/cli.js', DOCUMENTS[0], '--config', config);
  expect([code, output]).toEqual([0, expect.stringContaining('valid')]);
});

linted('spectral finds nothing in the OpenAPI and the AsyncAPI document', async () => {
  const ruleset = join(FOLDER, 'spectral.yaml');
  const spectral = '@stoplight/spectral-cli/dist/index.js';
  const { code, output } = await lint(spectral, ...DOCUMENTS, '--ruleset', ruleset, '--fail-severity', 'hint');
  expect([code, output]).toEqual([0, expect.stringContaining('No results')]);
});

linted('a fault in a document is found by both', async () => {
  const broken = join(FOLDER, 'broken.json');
  expect(existsSync(broken)).toBe(true);
  const redocly = await lint('@redocly/cli/bin/cli.js', broken, '--config', join(FOLDER, 'redocly.yaml'));
  expect(redocly.code).not.toBe(0);
  const spectral = await lint('@stoplight/spectral-cli/dist/index.js', broken, '-r', join(FOLDER, 'spectral.yaml'));
  expect(spectral.code).not.toBe(0);
});

linted('the AsyncAPI document fits the JSON Schema that AsyncAPI publishes', () => {
  const file = join(FOLDER, 'node_modules', '@asyncapi', 'specs', 'schemas', '3.0.0-without-$id.json');
  const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(
    JSON.parse(readFileSync(file, 'utf8')),
  );
  const document = JSON.parse(readFileSync(DOCUMENTS[1], 'utf8'));
  validate(document);
  expect(validate.errors ?? []).toEqual([]);
  expect(validate({ ...document, channels: { request: { address: 5 } } })).toBe(false);
});
