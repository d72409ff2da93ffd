/** `lanreach-agent enrol`: exchanges an enrolment code for an identity, and proves that the agent can reach its broker. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENROLMENT_CONNECTS_WITHIN_MS } from '../../shared/agent/timing.ts';
import { clientIdOf } from '../../shared/identity.ts';
import { type Config, isIotCore } from '../config.ts';
import { ConnectError, type Endpoint, endpointOf, tryConnection } from '../link/session.ts';
import { LockedError, lockDirectory } from '../state/lock.ts';
import { enterAsOwner, prepareStateDirectory } from '../state/ownership.ts';
import { loadX509 } from './certificate-request.ts';
import { enrol } from './exchange-code.ts';
import type { Identity } from './identity.ts';

/** A broker may not know a new certificate at once. */
const ATTEMPTS = 3;

/** The host is enrolled, but cannot connect to the broker. The message says what to check. */
class BrokerError extends Error {
  override name = 'BrokerError';
}

/**
 * Exchanges the code, stores the identity, and connects to the broker as the agent will. Holds the lock of the state
 * directory throughout: an agent that a service starts as soon as there is an identity waits, so that the two do not end
 * each other's connections.
 * @param say prints a line for the operator
 * @throws {LockedError} while an agent runs with the state directory; the code stays valid
 * @throws {EnrolmentError} when no identity was stored
 * @throws {BrokerError} when an identity was stored, but the broker cannot be reached
 */
export async function enrolAndConnect(
  code: string,
  apiUrl: string,
  { stateDirectory, broker, name }: Pick<Config, 'stateDirectory' | 'broker'> & { name: string | undefined },
  say: (line: string) => void,
): Promise<void> {
  await loadX509(); // First, because the owner of the state directory may not be able to read the program.
  const { path } = await enterAsOwner(stateDirectory);
  await prepareStateDirectory(path);
  const lock = await lockDirectory(path, 0).catch((error: unknown) => {
    if (!(error instanceof LockedError)) throw error;
    throw new LockedError(`${error.message}. Stop it first, then enrol: the code has not been used`, error.pid);
  });
  try {
    if (isUnencrypted(apiUrl)) say(IN_THE_CLEAR);
    const identity = await enrol(code, apiUrl, path, say, name);
    await connectOnce(identity, endpointOf(identity, broker ?? identity.broker), stateDirectory);
    // Since the start of the process.
    say(`connected as ${identity.agent} in ${(performance.now() / 1000).toFixed(1)} s`);
    say(`The identity is in ${stateDirectory}. ${nextStep(stateDirectory)}`);
    if (broker !== null) say(`LANREACH_BROKER=${broker} was used for this connection: set it for the agent as well.`);
  } finally {
    lock.release();
  }
}

const IN_THE_CLEAR =
  'Warning: the URL of the API is http, not https. An attacker on the way can take the code, or become the broker of this agent.';

/** Whether requests to this URL travel unencrypted over a network. */
export function isUnencrypted(apiUrl: string): boolean {
  const { protocol, hostname } = new URL(apiUrl);
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

async function connectOnce({ stage, agent }: Identity, endpoint: Endpoint, stateDirectory: string): Promise<void> {
  const limit = AbortSignal.timeout(ENROLMENT_CONNECTS_WITHIN_MS);
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryConnection(clientIdOf(stage, agent), endpoint, limit);
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      const mayChange = error.reached === 'broker' && attempt < ATTEMPTS && !limit.aborted;
      if (!mayChange) throw new BrokerError(explain(error, agent, endpoint, stateDirectory), { cause: error });
      await sleep(500 + 1_000 * Math.random());
    }
  }
}

/** The message of a BrokerError. */
export function explain({ reached, message }: ConnectError, agent: string, endpoint: Endpoint, stateDirectory: string) {
  const { host = '', port } = endpoint;
  const what = {
    nothing: 'cannot be reached',
    host: 'accepts connections, but the TLS handshake fails',
    broker: 'refuses the agent',
  }[reached];
  return [
    `This host is ${agent} now, but the broker at ${host} port ${port} ${what}: ${message}`,
    hintFor(reached, endpoint),
    `The identity is kept in ${stateDirectory}: do not enrol again. \`lanreach-agent run\` keeps trying to connect.`,
  ].join('\n');
}

function hintFor(reached: ConnectError['reached'], { host = '', port }: Endpoint): string {
  if (reached === 'broker') return 'Was the agent revoked or replaced in the meantime? `lanreach agent list` shows it.';
  if (reached === 'host') {
    return 'A proxy or firewall may intercept TLS connections, or the clock of this host may be wrong.';
  }
  const firewall = `Often a firewall blocks outgoing connections to port ${port}.`;
  if (port === 443 || !isIotCore(host)) return firewall;
  return `${firewall} This broker takes agents on port 443, too: LANREACH_BROKER=mqtts://${host}:443 lanreach-agent run`;
}

/** The Debian package's service starts when the identity in this directory changes. */
const SERVICE_STATE = '/var/lib/lanreach-agent';
const SERVICE_UNITS = ['/usr/lib/systemd/system', '/lib/systemd/system', '/etc/systemd/system'];

function nextStep(stateDirectory: string): string {
  const hasService =
    stateDirectory === SERVICE_STATE &&
    existsSync('/run/systemd/system') &&
    SERVICE_UNITS.some((folder) => existsSync(`${folder}/lanreach-agent.path`));
  return hasService ? 'The service starts by itself: systemctl status lanreach-agent' : 'Next: lanreach-agent run';
}
