/** The entry point of the `cdk` command: an app with two stacks. */
import { SettingsError } from './settings.ts';
import { prepareApp } from './synthesis.ts';

try {
  prepareApp(process.cwd()).app.synth();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
