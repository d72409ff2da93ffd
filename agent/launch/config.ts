/** What the launcher takes from the environment, and what it puts there for the program. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable in which the launcher tells the program how it was launched, as JSON: see `Launch` in `../config.ts`. */
export const LAUNCH_VARIABLE = 'LANREACH_LAUNCH';

/** The state directory where no setting names one. */
export function defaultStateDirectory(isRoot: boolean, { XDG_STATE_HOME: state }: Environment): string {
  if (isRoot) return '/var/lib/lanreach-agent';
  return join(state || join(homedir(), '.local', 'state'), 'lanreach-agent');
}

/**
 * In seconds. The service may be away for some minutes, and an agent waits for up to two more until it connects again: that
 * is not the fault of a new program.
 */
const DEFAULTS = { trial: 600, settle: 60 };
const LONGEST_S = 3_600;

interface LaunchConfig {
  /** Null when the setting cannot be used, which the program says. */
  stateDirectory: string | null;
  /** Within which time a new program has to be found healthy. */
  trialMs: number;
  /** How long it has to be healthy for that. */
  settleMs: number;
}

/** An empty variable counts as unset, as for the program. */
export function readLaunchConfig(
  environment: Environment = process.env,
  isRoot = process.getuid?.() === 0,
): LaunchConfig {
  const { LANREACH_AGENT_DATA, LANREACH_TRIAL_SECONDS, LANREACH_SETTLE_SECONDS } = environment;
  const directory = LANREACH_AGENT_DATA || defaultStateDirectory(isRoot, environment);
  return {
    stateDirectory: isAbsolute(directory) ? directory : null,
    trialMs: millisecondsOf(LANREACH_TRIAL_SECONDS, DEFAULTS.trial),
    settleMs: millisecondsOf(LANREACH_SETTLE_SECONDS, DEFAULTS.settle),
  };
}

function millisecondsOf(seconds: string | undefined, otherwise: number): number {
  const given = Number(seconds || otherwise);
  return (given >= 1 && given <= LONGEST_S ? given : otherwise) * 1_000;
}

/** @param settleMs how long the program has to be healthy until it is proven; null when it is not on trial */
export function tellProgram(key: string, settleMs: number | null): void {
  process.env[LAUNCH_VARIABLE] = JSON.stringify({ key, settleMs });
}
