/** The stack as it would be deployed, with everything that it must pass; only what the functions run is left out. */
import { join } from 'node:path';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { synthesizeStack } from '../synthesis.ts';
import { type Resources, resolved } from './policy.ts';

export interface Synthesized {
  resources: Resources;
  /** Values by their names. */
  outputs: Record<string, unknown>;
  terminationProtection: boolean;
  /** Of the stack. */
  tags: Record<string, string>;
}

const ROOT = join(import.meta.dirname, '../..');

/** @throws {Error} for every finding of the checks that nobody has answered for */
export function synthesize(settings: Record<string, string> = {}): Synthesized {
  using folder = makeTestFolder();
  const { template, terminationProtection, tags } = synthesizeStack(ROOT, settings, folder.path);
  const { Resources, Outputs } = template;
  const outputs = Object.entries(resolved(Outputs) as Record<string, { Value: unknown }>);
  return {
    resources: resolved(Resources) as Resources,
    outputs: Object.fromEntries(outputs.map(([name, { Value }]) => [name, Value])),
    terminationProtection,
    tags,
  };
}
