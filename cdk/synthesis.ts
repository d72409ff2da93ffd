/** The CDK app with its stack, and the checks that it must pass. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import * as z from 'zod';
import { readSettings } from './settings.ts';
import { LanReachStack } from './stack.ts';

/**
 * Does no look-ups: account and region are those of the deployment.
 * @param root folder of the project
 */
export function prepareApp(root: string, props: AppProps = {}): { app: App; stack: LanReachStack } {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  const app = new App(props);
  const settings = readSettings(app.node.getAllContext());
  const stack = new LanReachStack(app, `LanReach-${settings.stage}`, { settings, version, root });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return { app, stack };
}

export interface Stack {
  template: Template;
  terminationProtection: boolean;
  tags: Record<string, string>;
}

export interface Template {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
  Outputs: Record<string, unknown>;
}

/**
 * The stack with these settings, as it would be deployed. What the functions run is not built.
 * @param outdir an empty folder for what the CDK writes
 * @throws {Error} for every finding of the checks that nobody has answered for
 */
export function synthesizeStack(root: string, settings: Record<string, string>, outdir: string): Stack {
  const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'));
  const { app, stack } = prepareApp(root, {
    context: { ...context, 'aws:cdk:bundling-stacks': [], ...settings },
    outdir,
  });
  const { template, terminationProtection = false, tags } = app.synth().getStackByName(stack.stackName);
  return { template, terminationProtection, tags };
}
