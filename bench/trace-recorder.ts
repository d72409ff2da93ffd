/**
 * Writes down when commands reach each of their steps. Imported before a program of the system, by `--import` and a URL
 * that names the folder for the file: `trace-recorder.js?folder=/tmp/x`.
 */
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STEPS_CHANNEL, type StepReached } from '../shared/agent/command-steps.ts';

/** A step, and when it was reached: Unix, ms with a fraction, which all processes of a host agree on. */
export type Mark = StepReached & { at: number };

const marks: Mark[] = [];
subscribe(STEPS_CHANNEL, (message) => {
  marks.push({ ...(message as StepReached), at: performance.timeOrigin + performance.now() });
});
const folder = new URL(import.meta.url).searchParams.get('folder');
process.once('exit', () => {
  if (folder !== null && marks.length > 0) writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(marks));
});
