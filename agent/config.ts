/** The agent's settings, and the only place of the agent that reads the environment. */
import { isAbsolute, resolve } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../shared/json.ts';
import { defaultStateDirectory, LAUNCH_VARIABLE } from './launch/config.ts';

/** Whether a broker is AWS IoT Core, by its host name. */
export function isIotCore(host: string): boolean {
  return /\.iot\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/.test(host);
}

const MQTTS = /^mqtts:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?\/?$/i;

export const HttpUrl = z.url({ protocol: /^https?$/, error: 'expected an http:// or https:// URL' });
/** TLS is required because the client certificate is the only proof of the agent's identity. */
export const BrokerUrl = z.string().refine((text) => MQTTS.test(text) && URL.canParse(text), {
  error: 'expected mqtts://<host> or mqtts://<host>:<port>',
});

export interface Config {
  /** Where the agent keeps its identity, its journal and the results that are not yet stored. Absolute. */
  stateDirectory: string;
  /** Broker to use instead of the one that the enrolment named: `mqtts://<host>[:<port>]`. */
  broker: string | null;
  /** API to renew the certificate at instead of the one that the enrolment named. */
  api: string | null;
  /** Policy file that has to exist, an absolute path; null = `policy.json` in the state directory, if there is one. */
  policyFile: string | null;
  /** File with credentials for SNMP, an absolute path; null = `snmp.json` in the state directory. It need not exist. */
  snmpFile: string | null;
  internetInfoUrl: string | null;
  speedtestServer: string | null;
  logLevel: LogLevel;
  /** Whether the agent ends when standard input closes, because the process that started it is gone. */
  exitWithParent: boolean;
  /** Whether npm or npx started the agent, which then ends together with it. */
  isStartedByNpm: boolean;
  /** Whether something starts the agent again whenever it ends, such as systemd. */
  isRestarted: boolean;
  /** How the launcher of the package has launched this program; null when it was started by itself. */
  launch: Launch | null;
}

/** Between a launcher and programs of other versions: what stands here stays, and what comes later is optional. */
const Launch = z.object({
  /** Where the public key is by which releases are signed. */
  key: z.string(),
  /** How long this program has to be healthy until it is proven (ms); null when it is not on trial. */
  settleMs: z.number().min(0).nullable(),
});
type Launch = z.infer<typeof Launch>;

const LogLevel = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']);
type LogLevel = z.infer<typeof LogLevel>;

/** Settings that cannot be used. The message names the variable. */
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

/**
 * The settings that the environment gives; an empty variable counts as unset.
 * @throws {ConfigError} naming every variable with a value that cannot be used
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  isRoot = process.getuid?.() === 0,
): Config {
  const set = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = Environment.safeParse(set);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
  }
  const values = parsed.data;
  return {
    stateDirectory: values.LANREACH_AGENT_DATA ?? defaultStateDirectory(isRoot, values),
    broker: values.LANREACH_BROKER ?? null,
    api: values.LANREACH_API ?? null,
    policyFile: values.LANREACH_POLICY === undefined ? null : resolve(values.LANREACH_POLICY),
    snmpFile: values.LANREACH_SNMP === undefined ? null : resolve(values.LANREACH_SNMP),
    internetInfoUrl: values.INTERNET_INFO_URL ?? null,
    speedtestServer: values.SPEEDTEST_SERVER ?? null,
    logLevel: values.LANREACH_LOG_LEVEL,
    exitWithParent: values.LANREACH_EXIT_WITH_PARENT === '1',
    isStartedByNpm: values.npm_lifecycle_event !== undefined,
    isRestarted: values.LANREACH_RESTARTED === 'yes',
    launch: Launch.safeParse(parseJson(values[LAUNCH_VARIABLE] ?? '')).data ?? null,
  };
}
