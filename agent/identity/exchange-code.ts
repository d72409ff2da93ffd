/** Enrolment: sends a code and a certificate request to the API, and stores the identity that it returns. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod';
import { admin } from '../../shared/api/admin.ts';
import { backOffMs } from '../../shared/async.ts';
import { clientIdOf } from '../../shared/identity.ts';
import { describeHost } from '../host/describe.ts';
import { STATE } from '../state/layout.ts';
import { prepareStateDirectory } from '../state/ownership.ts';
import { ApiError, askApi } from './api-client.ts';
import { certificateRequest } from './certificate-request.ts';
import { faultOfCertificate, type Identity, IdentityError, readIdentity, writeIdentity } from './identity.ts';
import { quarantine } from './previous-agent.ts';

const FURTHER_ATTEMPTS = 3;
const PAUSE = { firstMs: 1_000, longestMs: 4_000, least: 0.5 } as const;

/** An enrolment that failed before anything was stored. The message says why. */
export class EnrolmentError extends Error {
  override name = 'EnrolmentError';
}

/**
 * Generates a key, has it certified and stores the identity. The private key never leaves the host. Journal and results
 * of another agent in the state directory are moved aside. No agent may be running there.
 * @param apiUrl base URL of the API
 * @param say prints a line for the person who enrols
 * @param name after which the agent is named if the code leaves that open; default: that of the host
 * @throws {EnrolmentError}
 */
export async function enrol(
  code: string,
  apiUrl: string,
  stateDirectory: string,
  say: (line: string) => void = () => {},
  name = describeHost().name || 'host',
): Promise<Identity> {
  // Before the request, because a code can be used only once: it must not be lost to a directory that is not writable.
  await prepareStateDirectory(stateDirectory);
  const { key, csr } = await certificateRequest();
  const previous = await identityIn(stateDirectory);
  const answer = await exchange(apiUrl, { code, csr, name }, previous);
  return storeIdentity(stateDirectory, { ...answer, api: apiUrl, key }, previous, say);
}

/**
 * Stores the identity that the API has answered with. Journal and results of another agent are moved aside.
 * @param previous the identity that was there before
 * @throws {EnrolmentError}
 */
async function storeIdentity(
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
async function identityIn(stateDirectory: string): Promise<Identity | null> {
  try {
    return await readIdentity(stateDirectory);
  } catch (error) {
    if (error instanceof IdentityError) return null;
    throw error;
  }
}

/** Tries again where the answer was lost, which costs no second use of the code: the request is the same. */
async function exchange(
  apiUrl: string,
  body: z.input<typeof admin.enrolAgent.body>,
  previous: Identity | null,
  attempt = 0,
): Promise<z.output<typeof admin.enrolAgent.response>> {
  try {
    return await askApi(admin.enrolAgent, apiUrl, body);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.isPassing && attempt < FURTHER_ATTEMPTS) {
      await sleep(backOffMs(attempt, PAUSE));
      return exchange(apiUrl, body, previous, attempt + 1);
    }
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
