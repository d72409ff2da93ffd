/** The templates of a deployment, with the checks that they must pass. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareApp } from '../../cdk/synthesis.ts';

interface Stack {
  template: Template;
  terminationProtection: boolean;
  tags: Record<string, string>;
}

/** The two stacks of a deployment. */
export interface Stacks {
  /** The persistent data. */
  data: Stack;
  /** Everything else. */
  main: Stack;
}

export interface Template {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
  Outputs: Record<string, unknown>;
}

/**
 * The stacks with these settings, without building the functions.
 * @param outdir an empty folder for the output of the CDK
 * @throws {Error} for every unacknowledged finding of the checks
 */
export function synthesizeStacks(root: string, settings: Record<string, string>, outdir: string): Stacks {
  const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'));
  const { app, data, stack } = prepareApp(root, {
    context: { ...context, 'aws:cdk:bundling-stacks': [], ...settings },
    outdir,
  });
  const assembly = app.synth();
  const stackOf = ({ stackName }: { stackName: string }): Stack => {
    const { template, terminationProtection = false, tags } = assembly.getStackByName(stackName);
    return { template, terminationProtection, tags };
  };
  return { data: stackOf(data), main: stackOf(stack) };
}
