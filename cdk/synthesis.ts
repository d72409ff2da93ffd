/** The CDK app with its stacks, and the checks that it must pass. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, type AppProps, CfnOutput, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import * as z from 'zod';
import { DataStack } from './data-stack.ts';
import { readSettings } from './settings.ts';
import { describeSettings } from './settings-file.ts';
import { LanReachStack } from './stack.ts';

/** Without look-ups: account and region are those of the deployment. @param root folder of the project */
export function prepareApp(root: string, props: AppProps = {}): { app: App; data: DataStack; stack: LanReachStack } {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { version } = z.object({ version: z.string() }).parse(manifest);
  const app = new App(props);
  const context = app.node.getAllContext();
  const settings = readSettings(context);
  const name = `LanReach-${settings.stage}`;
  const data = new DataStack(app, `${name}-data`, { settings, version });
  const stack = new LanReachStack(app, name, { settings, data, version, root });
  new CfnOutput(stack, 'Settings', {
    value: describeSettings(context),
    description: 'The settings of this deployment; `npm run cloud -- check` compares them',
  });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return { app, data, stack };
}
