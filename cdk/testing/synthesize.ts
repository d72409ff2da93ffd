/** The stack as it would be deployed, with everything that it must pass; only what the functions run is left out. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  const outdir = mkdtempSync(join(tmpdir(), 'lanreach-cdk-'));
  try {
    const { app, stack } = prepareApp(ROOT, {
      context: { ...context, 'aws:cdk:bundling-stacks': [], ...settings },
      outdir,
    });
    const { Resources, Outputs } = app.synth().getStackByName(stack.stackName).template;
    const outputs = Object.entries(resolved(Outputs) as Record<string, { Value: unknown }>);
    return {
      resources: resolved(Resources) as Resources,
      outputs: Object.fromEntries(outputs.map(([name, { Value }]) => [name, Value])),
    };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
