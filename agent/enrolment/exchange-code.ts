/** Enrolment: a one-time code and a certificate request go to the API, an identity comes back. */
import { admin } from '../../shared/api/admin.ts';
import type { AgentId } from '../../shared/identity.ts';
import { certificateRequest } from '../identity/certificate-request.ts';
import { setAside } from '../identity/former-agent.ts';
import {
  faultOfCertificate,
  type Identity,
  IdentityError,
  prepareStateDirectory,
  readIdentity,
  writeIdentity,
} from '../identity/identity.ts';
import { ApiError, askApi } from './api-client.ts';

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
  const former = await agentIn(stateDirectory);
  const answer = await exchange(code, csr, apiUrl, former);
  const identity = {
    agent: answer.agent,
    broker: answer.broker,
    api: apiUrl,
    key,
    certificate: answer.certificate,
    authority: answer.authority,
  };
  checkCertificate(identity);
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

/** Which agent the state directory belongs to, as far as that can be told. */
async function agentIn(stateDirectory: string): Promise<AgentId | null> {
  try {
    return (await readIdentity(stateDirectory)).agent;
  } catch (error) {
    if (error instanceof IdentityError) return null;
    throw error;
  }
}

async function exchange(code: string, csr: string, apiUrl: string, former: AgentId | null) {
  try {
    return await askApi(admin.enrolAgent, apiUrl, { code, csr });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const lines = [error.message];
    // Often the line was pasted twice, or interrupted when all but the last step was done.
    if (former !== null && error.code === 'enrolment_refused') {
      lines.push(
        `This host has been enrolled as ${former} already. \`lanreach-agent doctor\` tells whether it still may connect.`,
      );
    }
    throw new EnrolmentError(lines.join('\n'), { cause: error });
  }
}

function checkCertificate(identity: Identity): void {
  const fault = faultOfCertificate(identity);
  if (fault !== null) throw new EnrolmentError(`The API answered with ${fault}`);
}
