/** The stack as it would be deployed, with everything that it must pass; only what the functions run is left out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { prepareApp } from '../synthesis.ts';
import { type Resources, resolved } from './policy.ts';

export interface Synthesized {
  resources: Resources;
  /** Values by their names. */
  outputs: Record<string, unknown>;
}

const ROOT = join(import.meta.dirname, '../..');

/** @throws {Error} for every finding of the checks that nobody has answered for */
export function synthesize(settings: Record<string, string> = {}): Synthesized {
  const { context } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'));
  using folder = makeTestFolder();
  const { app, stack } = prepareApp(ROOT, {
    context: { ...context, 'aws:cdk:bundling-stacks': [], ...settings },
    outdir: folder.path,
  });
  const { Resources, Outputs } = app.synth().getStackByName(stack.stackName).template;
  const outputs = Object.entries(resolved(Outputs) as Record<string, { Value: unknown }>);
  return {
    resources: resolved(Resources) as Resources,
    outputs: Object.fromEntries(outputs.map(([name, { Value }]) => [name, Value])),
  };
}
