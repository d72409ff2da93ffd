import type { Finished } from '../../../agent/host/run-process.ts';

/** A program that has printed nothing and succeeded. */
export const FINISHED: Finished = {
  ...{ stdout: '', stderr: '', code: 0, signal: null },
  ...{ timedOut: false, aborted: false, truncated: false },
};
