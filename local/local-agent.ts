/** The agent of this machine: a separate process, enrolled like every other agent. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { IdentityError, readIdentities } from '../agent/identity/identity.ts';
import type { Context } from '../functions/context.ts';
import { rows } from '../functions/table/rows.ts';
import { type AgentId, siteOfAgent } from '../shared/identity.ts';
import { runToEnd, type SupervisedChild, superviseChild } from './child-process.ts';
import type { LocalConfig } from './config.ts';

interface LocalAgentOptions {
  id: AgentId;
  /** The bundled agent. */
  program: string;
  /** The state directory of the agent. */
  folder: string;
  apiUrl: string;
  brokerUrl: string;
  config: Pick<LocalConfig, 'internetInfoUrl' | 'speedtestServer' | 'logLevel' | 'childEnvironment'>;
  /** Full path of setpriv, or null. */
  setpriv: string | null;
  log: Logger;
  /** Whether a certificate of the agent remains valid long enough. */
  isInOrder(certificate: string): boolean;
  /** Whether the database has the agent's enrolment. */
  isKnown(): Promise<boolean>;
  /** False while its site is deleted, and if a person has deleted the agent. It starts nevertheless. */
  mayEnrol: boolean;
  /** A new one-time code for this agent. */
  enrolmentCode(): Promise<string>;
  /** Whether the agent can receive a command. */
  isOnline(): Promise<boolean>;
}

/**
 * Enrols the agent if necessary, starts it, and waits until it is online or has failed once. Restarts it whenever it ends.
 * @throws {Error} when the enrolment fails
 */
export async function startLocalAgent(options: LocalAgentOptions): Promise<SupervisedChild> {
  const { program, folder, config, apiUrl, brokerUrl, setpriv, log, isOnline } = options;
  const env = {
    ...config.childEnvironment,
    LANREACH_AGENT_DATA: folder,
    // The ports may have changed since the enrolment.
    LANREACH_API: apiUrl,
    LANREACH_BROKER: brokerUrl,
    LANREACH_LOG_LEVEL: config.logLevel,
    LANREACH_EXIT_WITH_PARENT: '1',
    MALLOC_ARENA_MAX: '1', // Of glibc: an arena for each thread costs 3 MB, and the threads hardly compete.
    ...(config.internetInfoUrl === null ? {} : { INTERNET_INFO_URL: config.internetInfoUrl }),
    ...(config.speedtestServer === null ? {} : { SPEEDTEST_SERVER: config.speedtestServer }),
  };
  if (options.mayEnrol && !(await isEnrolled(options))) await enrol(options, env);
  return superviseChild({
    name: 'the agent',
    argv: [process.execPath, program, 'run'],
    env,
    ready: {
      async probe(signal) {
        while (!signal.aborted && !(await isOnline().catch(() => false))) await sleep(25);
      },
    },
    readyWithinMs: 45_000,
    keepTrying: true,
    holdStdin: true,
    setpriv,
    onLine: (line) => relay(log, line),
    log,
  });
}

/** Whether a person has deleted an agent of this server, which stays deleted until a person enrols it again. */
export async function isDeleted({ table, sites }: Pick<Context, 'table' | 'sites'>, agent: AgentId): Promise<boolean> {
  const row = await table.get(rows.agent(agent), { consistent: true });
  return row?.revokedAt !== undefined && !(await sites.agents(siteOfAgent(agent))).some(({ id }) => id === agent);
}

async function isEnrolled({ id, folder, isInOrder, isKnown }: LocalAgentOptions): Promise<boolean> {
  try {
    const { current, next } = await readIdentities(folder);
    // Either may be valid: the service retires the current certificate before the agent has stored the next one as current.
    const isUsable = [current, next].some((identity) => identity !== null && isInOrder(identity.certificate));
    return current.agent === id && isUsable && (await isKnown());
  } catch (error) {
    if (error instanceof IdentityError) return false;
    throw error;
  }
}

async function enrol(options: LocalAgentOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const { id, program, apiUrl, enrolmentCode } = options;
  const { code, output, timedOut } = await runToEnd([process.execPath, program, 'enrol', '-', '--url', apiUrl], {
    env,
    timeoutMs: 60_000,
    input: await enrolmentCode(),
  });
  // If it is enrolled and only its connection to the broker failed, it retries as long as it runs.
  if (code === 0 || (await isEnrolled(options))) return;
  throw new Error(`Cannot enrol the agent ${id}: ${timedOut ? 'it took too long. ' : ''}${output}`);
}

/** The levels 10 to 60 of pino. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** Writes a line of the agent's log to our log, with its level. A line that is not JSON is from Node.js itself. */
function relay(log: Logger, line: string): void {
  try {
    const { level, msg, time: _, ...fields } = JSON.parse(line) as { level: number; msg: string; time: number };
    log[LEVELS[level / 10 - 1] ?? 'warn']({ child: 'agent', ...fields }, msg);
  } catch {
    log.warn({ child: 'agent' }, line);
  }
}
