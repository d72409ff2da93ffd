/** The entry point of the `cdk` command: an app with two stacks. */
import { readSettingsFile, SettingsError } from './settings-file.ts';
import { prepareApp } from './synthesis.ts';

try {
  const root = process.cwd();
  prepareApp(root, { context: readSettingsFile(root) }).app.synth(); // The command line wins.
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
