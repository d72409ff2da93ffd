/** What `cdk` runs: the cloud side as one stack. */
import { prepareApp } from './synthesis.ts';

prepareApp(process.cwd()).app.synth();
