/** Enrolment: sends a code and a certificate request to the API, and stores the identity that it returns. */
import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod';
import { admin } from '../../shared/api/admin.ts';
import { backOffMs } from '../../shared/async.ts';
import { clientIdOf } from '../../shared/identity.ts';
import { describeHost } from '../host/describe.ts';
import { prepareStateDirectory } from '../state/ownership.ts';
import { ApiError, callApi } from './api-client.ts';
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
 * Generates a key, requests its certificate and stores the identity. The private key never leaves the host. Moves journal
 * and results of another agent in the state directory aside. No agent may be running there.
 * @param say prints a line for the operator
 * @param name names the agent if the code leaves that open; default: the name of the host
 * @throws {EnrolmentError}
 */
export async function enrol(
  code: string,
  apiUrl: string,
  stateDirectory: string,
  say: (line: string) => void = () => {},
  name = describeHost().name || 'host',
): Promise<Identity> {
  // Before the request: a code is valid once, and must not be lost to a directory that is not writable.
  await prepareStateDirectory(stateDirectory);
  const { key, csr } = await certificateRequest();
  const previous = await identityIn(stateDirectory);
  const { success: _, agent, stage, ...credentials } = await exchange(apiUrl, { code, csr, name }, previous);
  const identity = { agent, stage, api: apiUrl, key, ...credentials };
  const fault = faultOfCertificate(identity);
  if (fault !== null) throw new EnrolmentError(`The API answered with ${fault}`);
  if (previous === null || clientIdOf(previous.stage, previous.agent) !== clientIdOf(stage, agent)) {
    // Before the identity: after a crash in between, the new agent must not send the other agent's results.
    const left = await quarantine(stateDirectory, previous?.agent ?? null);
    const who = previous?.agent ?? 'another agent';
    if (left !== null)
      say(
        `This host was enrolled as ${who} before. ${left.results} of its results were never sent; they are kept in ${left.folder}.`,
      );
  }
  await writeIdentity(stateDirectory, identity);
  return identity;
}

/** Null when there is none, or it is invalid. */
async function identityIn(stateDirectory: string): Promise<Identity | null> {
  try {
    return await readIdentity(stateDirectory);
  } catch (error) {
    if (error instanceof IdentityError) return null;
    throw error;
  }
}

/** Retries where the response was lost, which uses the code no second time: the request is the same. */
async function exchange(
  apiUrl: string,
  body: z.input<typeof admin.enrolAgent.body>,
  previous: Identity | null,
  attempt = 0,
): Promise<z.output<typeof admin.enrolAgent.response>> {
  try {
    return await callApi(admin.enrolAgent, apiUrl, body);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.isTransient && attempt < FURTHER_ATTEMPTS) {
      await sleep(backOffMs(attempt, PAUSE));
      return exchange(apiUrl, body, previous, attempt + 1);
    }
    // The usual causes: the command was pasted twice, or was interrupted just before its last step.
    const hint =
      previous !== null && error.code === 'enrolment_refused'
        ? `\nThis host has been enrolled as ${previous.agent} already. Run \`lanreach-agent doctor\` to see whether that identity still works.`
        : '';
    throw new EnrolmentError(`${error.message}${hint}`, { cause: error });
  }
}
