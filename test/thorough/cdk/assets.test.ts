/** What the CDK would upload for each function is its bundle. Other tests look at the bundles, without the CDK. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareApp } from '../../../cdk/synthesis.ts';
import { ofType, type Resources } from '../../cdk/policy.ts';
import { unchecked } from '../../cdk/synthesize.ts';
import { bundledFunction } from '../../lambda/bundled-function.ts';
import { makeTestFolder } from '../../support/test-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
const OF_CDK = /^(?:AWS679f|BrokerEndpoint)/;

test('each function gets its bundle, and the files that it reads', () => {
  using folder = makeTestFolder();
  const { context } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'));
  const { app, stack } = prepareApp(ROOT, { context, outdir: join(folder.path, 'out') });
  const assembly = unchecked(() => app.synth());
  const resources = assembly.getStackByName(stack.stackName).template.Resources as Resources;
  const { files } = JSON.parse(readFileSync(join(assembly.directory, `${stack.artifactId}.assets.json`), 'utf8'));
  const functions = ofType(resources, 'AWS::Lambda::Function').filter(([id]) => !OF_CDK.test(id));
  expect(functions).toHaveLength(6);
  for (const [id, { Properties }] of functions) {
    const name = id.replace(/Function\w{8}$/, '').toLowerCase();
    const { S3Key } = Properties.Code as { S3Key: string };
    const asset = join(assembly.directory, files[S3Key.replace(/\.zip$/, '')].source.path);
    const bundle = join(folder.path, name);
    bundledFunction(ROOT, name, bundle);
    expect([id, filesIn(asset)]).toEqual([id, filesIn(bundle)]);
  }
});

/** The text of each file, by its name. */
function filesIn(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    entries.map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      return [file.slice(folder.length), readFileSync(file, 'latin1')];
    }),
  );
}
