/** The launcher's settings in the environment, and its message to the program there. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** How the launcher started the program, as JSON: see `Launch` in `../config.ts`. */
export const LAUNCH_VARIABLE = 'LANREACH_LAUNCH';

export function defaultStateDirectory(isRoot: boolean, { XDG_STATE_HOME: state }: Environment): string {
  if (isRoot) return '/var/lib/lanreach-agent';
  return join(state || join(homedir(), '.local', 'state'), 'lanreach-agent');
}

/** Seconds. An outage of the service of some minutes, and a back-off of up to two more, must not fail a new program. */
const DEFAULTS = { trial: 600, settle: 60 };
const LONGEST_S = 3_600;

/** An empty variable counts as unset, as for the program. */
export function readLaunchConfig(environment: Environment = process.env, isRoot = process.getuid?.() === 0) {
  const { LANREACH_AGENT_DATA, LANREACH_TRIAL_SECONDS, LANREACH_SETTLE_SECONDS } = environment;
  const directory = LANREACH_AGENT_DATA || defaultStateDirectory(isRoot, environment);
  return {
    /** Null when the setting is invalid, which the program reports. */
    stateDirectory: isAbsolute(directory) ? directory : null,
    /** The deadline for a new program to become proven. */
    trialMs: millisecondsOf(LANREACH_TRIAL_SECONDS, DEFAULTS.trial),
    /** How long it must be healthy for that. */
    settleMs: millisecondsOf(LANREACH_SETTLE_SECONDS, DEFAULTS.settle),
  };
}

function millisecondsOf(seconds: string | undefined, otherwise: number): number {
  const given = Number(seconds || otherwise);
  return (given >= 1 && given <= LONGEST_S ? given : otherwise) * 1_000;
}

/** @param settleMs how long the program must be healthy until it is proven; null when it is not on trial */
export function passToProgram(key: string, settleMs: number | null): void {
  process.env[LAUNCH_VARIABLE] = JSON.stringify({ key, settleMs });
}
