/** Enrolment: a one-time code and a certificate request go to the API, an identity comes back. */
import 'reflect-metadata'; // The X.509 library does not load without it.
import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import { admin } from '../shared/api/admin.ts';
import { ErrorBody } from '../shared/errors.ts';
import type { AgentId } from '../shared/identity.ts';
import { setAside } from './former-agent.ts';
import { type Identity, IdentityError, prepareStateDirectory, readIdentity, writeIdentity } from './identity.ts';

const ANSWER_WITHIN_MS = 30_000;
const EC_P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** An enrolment that came to nothing. The message says why; nothing has been stored. */
export class EnrolmentError extends Error {
  override name = 'EnrolmentError';
}

/**
 * Makes a key on this host, has it certified and stores the identity. The key never leaves the host. What another agent
 * has left in the state directory is put aside. No agent must be running there.
 * @param apiUrl where the API is found, with whatever path prefix it has
 * @param say takes a line for whoever looks on
 * @throws {EnrolmentError}
 */
export async function enrol(
  code: string,
  apiUrl: string,
  stateDirectory: string,
  say: (line: string) => void = () => {},
): Promise<Identity> {
  // First, because a code can be used only once: it must not be spent on a directory that cannot be written.
  await prepareStateDirectory(stateDirectory);
  const { key, csr } = await certificateRequest();
  const answer = await exchange(code, csr, apiUrl);
  const identity = {
    agent: answer.agent,
    broker: answer.broker,
    key,
    certificate: answer.certificate,
    authority: answer.authority,
  };
  checkCertificate(identity);
  const former = await agentIn(stateDirectory);
  if (former !== identity.agent) {
    // First: a crash between the two must not leave the new agent with what is the other's.
    const left = await setAside(stateDirectory, former);
    if (left !== null) {
      say(
        `This host was ${former ?? 'another agent'}. Its results that were never sent (${left.results}) are in ${left.folder}.`,
      );
    }
  }
  await writeIdentity(stateDirectory, identity);
  return identity;
}

/** A fresh key and the request for its certificate. Which agent it is for follows from the code alone. */
async function certificateRequest(): Promise<{ key: string; csr: string }> {
  const keys = await webcrypto.subtle.generateKey(EC_P256, true, ['sign', 'verify']);
  const request = await Pkcs10CertificateRequestGenerator.create(
    { name: 'CN=lanreach-agent', keys, signingAlgorithm: EC_P256 },
    webcrypto,
  );
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  return { key: key.export({ format: 'pem', type: 'pkcs8' }).toString(), csr: request.toString('pem') };
}

/** Which agent the state directory belongs to, as far as that can be told. */
async function agentIn(stateDirectory: string): Promise<AgentId | null> {
  try {
    return (await readIdentity(stateDirectory)).agent;
  } catch (error) {
    if (error instanceof IdentityError) return null;
    throw error;
  }
}

async function exchange(code: string, csr: string, apiUrl: string) {
  const url = `${apiUrl.replace(/\/+$/, '')}${admin.enrolAgent.path}`;
  const { status, text } = await post(url, { code, csr });
  const json = parseJson(text);
  const answer = admin.enrolAgent.response.safeParse(json);
  if (answer.success) return answer.data;
  const refusal = ErrorBody.safeParse(json);
  if (refusal.success) throw new EnrolmentError(`${url} refused the enrolment: ${refusal.data.message}`);
  throw new EnrolmentError(`${url} answered ${status} with something else than an enrolment; is it the API's URL?`);
}

async function post(url: string, body: unknown): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error', // The code is a secret; it goes where the operator sent it.
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    throw new EnrolmentError(`Cannot reach ${url}: ${causeOf(error)}`, { cause: error });
  }
}

/** What fetch() hides behind "fetch failed". */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** The name in it is not looked at: IoT Core keeps the agent's name beside the certificate. */
function checkCertificate({ certificate, key }: Identity): void {
  let certified: X509Certificate;
  try {
    certified = new X509Certificate(certificate);
  } catch (error) {
    throw new EnrolmentError('The API answered with something else than a certificate', { cause: error });
  }
  if (!certified.checkPrivateKey(createPrivateKey(key))) {
    throw new EnrolmentError('The API answered with a certificate for another key');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
