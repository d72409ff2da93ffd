/** Enrolment: sends a one-time code and a certificate request to the API, and stores the identity that it returns. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { admin } from '../../shared/api/admin.ts';
import { clientIdOf } from '../../shared/identity.ts';
import { STATE } from '../state/layout.ts';
import { prepareStateDirectory } from '../state/ownership.ts';
import { ApiError, askApi } from './api-client.ts';
import { certificateRequest } from './certificate-request.ts';
import { faultOfCertificate, type Identity, IdentityError, readIdentity, writeIdentity } from './identity.ts';
import { quarantine } from './previous-agent.ts';

/** An enrolment that failed before anything was stored. The message says why. */
export class EnrolmentError extends Error {
  override name = 'EnrolmentError';
}

/**
 * Generates a key, has it certified and stores the identity. The private key never leaves the host. Journal and results
 * of another agent in the state directory are moved aside. No agent may be running there.
 * @param apiUrl base URL of the API
 * @param say prints a line for the person who enrols
 * @throws {EnrolmentError}
 */
export async function enrol(
  code: string,
  apiUrl: string,
  stateDirectory: string,
  say: (line: string) => void = () => {},
): Promise<Identity> {
  // Before the request, because a code can be used only once: it must not be lost to a directory that is not writable.
  await prepareStateDirectory(stateDirectory);
  const { key, csr } = await certificateRequest();
  const previous = await identityIn(stateDirectory);
  const answer = await exchange(code, csr, apiUrl, previous);
  return storeIdentity(stateDirectory, { ...answer, api: apiUrl, key }, previous, say);
}

/**
 * Stores the identity that the API has answered with. Journal and results of another agent are moved aside.
 * @param previous the identity that was there before
 * @throws {EnrolmentError}
 */
export async function storeIdentity(
  stateDirectory: string,
  { agent, stage, broker, api, key, certificate, authority }: Identity,
  previous: Identity | null,
  say: (line: string) => void,
): Promise<Identity> {
  const identity = { agent, stage, broker, api, key, certificate, authority };
  const fault = faultOfCertificate(identity);
  if (fault !== null) throw new EnrolmentError(`The API answered with ${fault}`);
  if (previous === null || clientIdOf(previous.stage, previous.agent) !== clientIdOf(identity.stage, identity.agent)) {
    // Before the identity is written: after a crash in between, the new agent must not send the other agent's results.
    const left = await quarantine(stateDirectory, previous?.agent ?? null);
    if (left !== null) {
      say(
        `This host was enrolled as ${previous?.agent ?? 'another agent'} before. ${left.results} of its results were never sent; they are kept in ${left.folder}.`,
      );
    }
  }
  // What was known of the servers of another deployment, or of an earlier life of this one, counts no more.
  await rm(join(stateDirectory, STATE.places), { force: true });
  await writeIdentity(stateDirectory, identity);
  return identity;
}

/** The identity in the state directory; null when there is none, or its identity cannot be read. */
export async function identityIn(stateDirectory: string): Promise<Identity | null> {
  try {
    return await readIdentity(stateDirectory);
  } catch (error) {
    if (error instanceof IdentityError) return null;
    throw error;
  }
}

async function exchange(code: string, csr: string, apiUrl: string, previous: Identity | null) {
  try {
    return await askApi(admin.enrolAgent, apiUrl, { code, csr });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const lines = [error.message];
    // The usual causes: the command was pasted twice, or was interrupted just before its last step.
    if (previous !== null && error.code === 'enrolment_refused') {
      lines.push(
        `This host has been enrolled as ${previous.agent} already. Run \`lanreach-agent doctor\` to see whether that identity still works.`,
      );
    }
    throw new EnrolmentError(lines.join('\n'), { cause: error });
  }
}
