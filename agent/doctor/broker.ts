/** Checks the broker step by step: its DNS name, the TCP connection, the TLS handshake, and the agent's authorization. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type ConnectionOptions, connect } from 'node:tls';
import { CONNECT_WITHIN_MS } from '../../shared/agent/timing.ts';
import { deadline } from '../../shared/async.ts';
import { codeOf } from '../../shared/errno.ts';
import { clientIdOf } from '../../shared/identity.ts';
import { reasonOf } from '../host/fetched.ts';
import type { Identity } from '../identity/identity.ts';
import { ConnectError, type Endpoint, tryConnection } from '../link/session.ts';
import { ANSWER_WITHIN_MS, type Finding, ok, problem } from './finding.ts';

/** One finding for each step, up to the first failure. */
export async function* checkBroker(identity: Identity, endpoint: Endpoint, agentIsRunning: boolean) {
  const { host = '' } = endpoint;
  if (isIP(host) === 0) {
    const finding = await checkName(host);
    yield finding;
    if (finding.state === 'problem') return;
  }
  const finding = await checkTls(endpoint);
  yield finding;
  // A second connection of the same agent would end its own.
  if (finding.state === 'problem' || agentIsRunning) return;
  yield await checkConnection(identity, endpoint);
}

async function checkName(host: string): Promise<Finding> {
  try {
    const addresses = await within(lookup(host, { all: true }));
    return ok('broker name', `${host} is ${addresses.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    const hint = 'Is the name correct, and does this host have a name server that answers? `resolvectl` shows it';
    return problem('broker name', `the address of ${host} cannot be found: ${reasonOf(error)}`, hint);
  }
}

async function checkTls(endpoint: Endpoint): Promise<Finding> {
  const { host = '', port } = endpoint;
  const at = `${host} port ${port}`;
  let isConnected = false;
  try {
    await within(handshake(endpoint, () => (isConnected = true)));
    return ok('broker', `${at} answers, with a certificate of the authority that the enrolment named`);
  } catch (error) {
    if (!isConnected) {
      const hint =
        'Does a firewall block connections from this host to that port? A broker on AWS also accepts connections on port 443';
      return problem('broker', `${at} cannot be reached: ${reasonOf(error)}`, hint);
    }
    const hint = BY_CODE[codeOf(error)] ?? 'Does a proxy or firewall between this host and the broker intercept TLS?';
    return problem('broker', `${at} accepts connections, but the TLS handshake fails: ${reasonOf(error)}`, hint);
  }
}

const BY_CODE: Readonly<Record<string, string>> = {
  CERT_NOT_YET_VALID: 'Is the clock of this host correct? `timedatectl` shows it',
  CERT_HAS_EXPIRED: 'Is the clock of this host correct? If it is, the broker needs a new certificate',
};

function handshake(endpoint: Endpoint, onConnect: () => void): Promise<void> {
  const { host = '' } = endpoint;
  // An IP address must not be sent as the server name of TLS (RFC 6066).
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = connect({ ...endpoint, ...name, timeout: ANSWER_WITHIN_MS } as ConnectionOptions);
  return new Promise<void>((resolve, reject) => {
    socket.once('connect', onConnect);
    socket.once('secureConnect', resolve);
    socket.once('timeout', () => reject(new Error(`no answer in ${ANSWER_WITHIN_MS / 1000} s`)));
    socket.once('close', () => reject(new Error('the connection was closed')));
    socket.on('error', reject);
  }).finally(() => socket.destroy());
}

async function checkConnection({ stage, agent }: Identity, endpoint: Endpoint): Promise<Finding> {
  try {
    await tryConnection(clientIdOf(stage, agent), endpoint, AbortSignal.timeout(2 * CONNECT_WITHIN_MS));
    return ok('connection', `the broker accepts ${agent}`);
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    const hint = 'Was the agent removed, or its certificate revoked? Then enrol it again';
    return problem('connection', `the broker refuses ${agent}: ${reasonOf(error)}`, hint);
  }
}

/** A DNS look-up ends only when the resolver gives up, which may take a minute. */
function within<T>(answer: Promise<T>): Promise<T> {
  return deadline(answer, ANSWER_WITHIN_MS, () => {
    throw new Error(`no answer in ${ANSWER_WITHIN_MS / 1000} s`);
  });
}
