/**
 * Enrolment by a claim key, of which many hosts have the same. The host makes its key and its certificate request, and
 * claims; then it asks again until somebody has approved it. What is kept meanwhile is good for this host alone: the claim
 * key itself is not.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import * as z from 'zod';
import { CLAIM_KEY_PREFIX, ClaimId, type ClaimingHost } from '../../shared/api/claims.ts';
import { enrolment } from '../../shared/api/enrolment.ts';
import { backOffMs } from '../../shared/async.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import { parseJson } from '../../shared/json.ts';
import { formatRange } from '../../shared/network.ts';
import { HttpUrl } from '../config.ts';
import { describeHost } from '../host/describe.ts';
import { attachment } from '../host/network.ts';
import { syncDirectory, writeAtomically } from '../state/atomic-file.ts';
import { STATE } from '../state/layout.ts';
import { readIfThere } from '../state/optional-file.ts';
import { prepareStateDirectory } from '../state/ownership.ts';
import { ApiError, askApi } from './api-client.ts';
import { certificateRequest } from './certificate-request.ts';
import { EnrolmentError, identityIn, storeIdentity } from './exchange-code.ts';
import { type Identity, IdentityError } from './identity.ts';

/** The content of the file. */
const Pending = z.object({
  api: HttpUrl,
  /** The private key, PEM. */
  key: z.string(),
  csr: z.string(),
  /** Unix, ms. */
  madeAt: z.number(),
  /** Null as long as the service has not answered. */
  claim: ClaimId.nullable(),
});
type Pending = z.infer<typeof Pending>;

/** No key is good for longer, whatever the service says, or if it says nothing. */
const LONGEST_MS = 31 * 86_400_000;
/** After an answer that says nothing: as long as the service would say in the end. */
const UNANSWERED = { firstMs: 5_000, longestMs: 600_000, least: 0.5 } as const;
/** Hosts that start together, as after a power cut, do not ask together. */
const FIRST_WITHIN_MS = 5_000;
/** The schema of a claim allows no more. */
const MAX_NETWORKS = 50;
/** After these there is nothing to wait for. */
const FINAL: ReadonlySet<ErrorCode | null> = new Set(['enrolment_refused', 'validation_failed', 'not_found']);

export function isClaimKey(code: string): boolean {
  return code.startsWith(CLAIM_KEY_PREFIX);
}

/**
 * Claims to become an agent. The same again, also after a crash, is the same claim; a host that is an agent there
 * already claims nothing, so that the line can be run on every host of a fleet again and again.
 * @param say prints a line for the person who enrols
 * @returns null when somebody has to approve the host, for which `awaitApproval` waits; or when it is an agent
 * @throws {EnrolmentError}
 */
export async function claim(
  claimKey: string,
  apiUrl: string,
  stateDirectory: string,
  version: string,
  say: (line: string) => void,
): Promise<Identity | null> {
  await prepareStateDirectory(stateDirectory);
  const previous = await identityIn(stateDirectory);
  if (previous !== null) {
    if (!isSamePlace(previous.api, apiUrl)) {
      const where = `This host is the agent ${previous.agent} of ${previous.api}`;
      throw new EnrolmentError(`${where}. To take it away from there: lanreach-agent uninstall, then enrol`);
    }
    say(`This host is the agent ${previous.agent} already, so nothing was claimed.`);
    return null;
  }
  const before = await readClaim(stateDirectory);
  const isSame = before !== null && isSamePlace(before.api, apiUrl);
  const pending = isSame ? before : { api: apiUrl, ...(await certificateRequest()), madeAt: Date.now(), claim: null };
  // Before the request, so that the same claim is made after a crash.
  await writeClaim(stateDirectory, pending);
  const answer = await ask();
  if ('certificate' in answer) return storeIdentity(stateDirectory, { ...answer, ...placeOf(pending) }, null, say);
  await writeClaim(stateDirectory, { ...pending, claim: answer.claim });
  say(`This host waits for somebody who approves it: lanreach agent approve ${answer.claim}`);
  return null;

  async function ask() {
    try {
      return await askApi(enrolment.claimAgent, apiUrl, { key: claimKey, csr: pending.csr, host: ownHost(version) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A claim that waits, with a key that was good, goes on waiting.
      if (FINAL.has(error.code) && pending.claim === null) await forget(stateDirectory);
      throw new EnrolmentError(error.message, { cause: error });
    }
  }
}

/**
 * Waits until the claim in the state directory is approved, and stores the identity. Returns at once when there is none.
 * The lock of the directory has to be held.
 * @throws {IdentityError} when it is refused, or over
 */
export async function awaitApproval(
  stateDirectory: string,
  log: Pick<Logger, 'info' | 'warn'>,
  wait: (ms: number) => Promise<unknown> = sleep,
): Promise<void> {
  const pending = await readClaim(stateDirectory);
  const previous = await identityIn(stateDirectory);
  if (pending === null || previous !== null) return;
  if (pending.claim === null) {
    await forget(stateDirectory);
    throw new IdentityError(
      'The claim of this host has never reached the service. Run the line again that has the key.',
    );
  }
  log.info({ claim: pending.claim, api: pending.api }, 'waiting for somebody who approves this host');
  await wait(FIRST_WITHIN_MS * Math.random());
  for (let failures = 0; ; ) {
    if (Date.now() - pending.madeAt > LONGEST_MS) throw await over('Nobody has approved this host.');
    try {
      const answer = await askApi(enrolment.followClaim, pending.api, { csr: pending.csr }, { claim: pending.claim });
      failures = 0;
      if ('certificate' in answer) {
        const identity = { ...answer, ...placeOf(pending) };
        await storeIdentity(stateDirectory, identity, null, (line) => log.warn(line));
        log.info({ agentId: answer.agent }, 'approved');
        return;
      }
      await wait(answer.askAgainSeconds * 1000 * (0.75 + 0.5 * Math.random()));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (FINAL.has(error.code)) throw await over(error.message);
      log.warn({ err: error }, 'cannot ask whether this host is approved');
      await wait(backOffMs(failures++, UNANSWERED));
    }
  }

  async function over(reason: string): Promise<IdentityError> {
    await forget(stateDirectory);
    return new IdentityError(reason);
  }
}

const isSamePlace = (a: string, b: string) => a.replace(/\/+$/, '') === b.replace(/\/+$/, '');
const placeOf = ({ api, key }: Pending) => ({ api, key });

function ownHost(version: string): ClaimingHost {
  const { name, platform, addresses } = describeHost();
  const networks = attachment().networks.slice(0, MAX_NETWORKS).map(formatRange);
  return { name: name || 'host', platform, addresses, networks, version };
}

/** Null when there is none, or it cannot be read: then another one is made. */
async function readClaim(directory: string): Promise<Pending | null> {
  const text = await readIfThere(join(directory, STATE.claim));
  return Pending.safeParse(parseJson(text ?? '')).data ?? null;
}

async function writeClaim(directory: string, pending: Pending): Promise<void> {
  await writeAtomically(join(directory, STATE.claim), `${JSON.stringify(pending)}\n`);
  await syncDirectory(directory);
}

async function forget(directory: string): Promise<void> {
  await rm(join(directory, STATE.claim), { force: true });
}
