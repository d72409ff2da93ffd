/** The agent's settings. Only this file and `launch/config.ts` read the environment. */
import { isAbsolute, resolve } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../shared/json.ts';
import { defaultStateDirectory, LAUNCH_VARIABLE } from './launch/config.ts';

export function isIotCore(host: string): boolean {
  return /\.iot\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/.test(host);
}

const MQTTS = /^mqtts:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?\/?$/i;

export const HttpUrl = z.url({ protocol: /^https?$/, error: 'expected an http:// or https:// URL' });
/** TLS is required: the client certificate is the only proof of the agent's identity. */
export const BrokerUrl = z.string().refine((text) => MQTTS.test(text) && URL.canParse(text), {
  error: 'expected mqtts://<host> or mqtts://<host>:<port>',
});

export type Config = ReturnType<typeof readConfig>;

/** A protocol between launchers and programs of different versions: fields stay, and new ones are optional. */
const Launch = z.object({
  /** File of the public key that verifies releases. */
  key: z.string(),
  /** How long this program must be healthy until it is proven (ms); null when it is not on trial. */
  settleMs: z.number().min(0).nullable(),
});

const LogLevel = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']);

/** The message names the variable that is invalid. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const Directory = z.string().refine(isAbsolute, { error: 'expected an absolute path' });
const Environment = z.object({
  LANREACH_AGENT_DATA: Directory.optional(),
  LANREACH_BROKER: BrokerUrl.optional(),
  LANREACH_API: HttpUrl.optional(),
  LANREACH_POLICY: z.string().optional(),
  LANREACH_SNMP: z.string().optional(),
  LANREACH_LOG_LEVEL: LogLevel.default('info'),
  LANREACH_EXIT_WITH_PARENT: z.enum(['0', '1']).default('0'),
  LANREACH_RESTARTED: z.enum(['yes', 'no']).default('no'),
  [LAUNCH_VARIABLE]: z.string().optional(),
  INTERNET_INFO_URL: HttpUrl.optional(),
  SPEEDTEST_SERVER: HttpUrl.optional(),
  XDG_STATE_HOME: Directory.optional(),
  npm_lifecycle_event: z.string().optional(), // Set by npm and npx for what they run.
});

/** An empty variable counts as unset. @throws {ConfigError} naming every invalid variable */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  isRoot = process.getuid?.() === 0,
) {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
  const parsed = Environment.safeParse(set);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
  }
  const values = parsed.data;
  return {
    stateDirectory: values.LANREACH_AGENT_DATA ?? defaultStateDirectory(isRoot, values),
    /** Overrides the broker that the enrolment named. */
    broker: values.LANREACH_BROKER ?? null,
    /** Overrides the API that the enrolment named, for renewals. */
    api: values.LANREACH_API ?? null,
    /** Absolute, and the file must exist; null = `policy.json` in the state directory, if there is one. */
    policyFile: values.LANREACH_POLICY === undefined ? null : resolve(values.LANREACH_POLICY),
    /** Absolute; null = `snmp.json` in the state directory. The file need not exist. */
    snmpFile: values.LANREACH_SNMP === undefined ? null : resolve(values.LANREACH_SNMP),
    internetInfoUrl: values.INTERNET_INFO_URL ?? null,
    speedtestServer: values.SPEEDTEST_SERVER ?? null,
    logLevel: values.LANREACH_LOG_LEVEL,
    /** Whether the agent exits when standard input closes, because its parent process is gone. */
    exitWithParent: values.LANREACH_EXIT_WITH_PARENT === '1',
    /** Whether npm or npx started the agent, which then exits with it. */
    isStartedByNpm: values.npm_lifecycle_event !== undefined,
    /** Whether a supervisor such as systemd restarts the agent whenever it exits. */
    isRestarted: values.LANREACH_RESTARTED === 'yes',
    /** How the package's launcher started this program; null without a launcher. */
    launch: Launch.safeParse(parseJson(values[LAUNCH_VARIABLE] ?? '')).data ?? null,
  };
}
