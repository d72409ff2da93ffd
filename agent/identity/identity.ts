/**
 * The agent's identity: the certificate and key from its enrolment or its last renewal and, during a renewal, the next
 * ones. All of it is in one file that is replaced atomically, so that a key is never combined with the certificate of
 * another key, and no crash leaves an agent without an identity.
 *
 * Only the process that holds the lock of the state directory writes it.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { codeOf } from '../../shared/errno.ts';
import { AgentId, LOCAL_STAGE, Stage } from '../../shared/identity.ts';
import { parseJson } from '../../shared/json.ts';
import { BrokerUrl, HttpUrl, isIotCore } from '../config.ts';
import { syncDirectory, writeAtomically } from '../state/atomic-file.ts';
import { FORMER_IDENTITY, STATE } from '../state/layout.ts';
import { OwnershipError, requireClosed, requireOwn, requireOwnIfThere } from '../state/ownership.ts';
import { fromFormerLayout } from './former-layout.ts';

/**
 * What the agent connects with, in PEM: its private key and certificate, and the certificates that authenticate the
 * broker.
 */
const Credentials = z
  .object({
    broker: BrokerUrl,
    key: z.string().refine((pem) => isReadable(() => createPrivateKey(pem)), 'it is not a private key'),
    certificate: z.string(),
    authority: z.string().refine((pem) => isReadable(() => new X509Certificate(pem)), 'it holds no certificates'),
  })
  .superRefine((credentials, context) => {
    const fault = faultOfCertificate(credentials);
    if (fault !== null) context.addIssue({ code: 'custom', path: ['certificate'], message: `it is ${fault}` });
  });

/** The content of the file. */
const Stored = z.object({
  agent: AgentId,
  /** Absent if an early version enrolled the agent. */
  stage: Stage.optional(),
  /** Where the certificate is renewed; null for an agent that was enrolled by an early version. */
  api: HttpUrl.nullable(),
  current: Credentials,
  next: Credentials.nullable(),
});

export interface Identity extends z.infer<typeof Credentials>, Pick<z.infer<typeof Stored>, 'agent' | 'api'> {
  /** The deployment that the agent belongs to. */
  stage: Stage;
}

export interface Identities {
  /** Valid until the API has confirmed `next`. */
  current: Identity;
  /** Issued by a renewal that is not complete yet. */
  next: Identity | null;
}

/** The certificates of a few authorities are the longest part. */
const LONGEST_BYTES = 1024 * 1024;

/** The agent has no identity, or one that is invalid. The message says what to do. */
export class IdentityError extends Error {
  override name = 'IdentityError';
}

/**
 * The current identity, which remains valid while a renewal is under way.
 * @throws {IdentityError}
 */
export async function readIdentity(directory: string): Promise<Identity> {
  return (await readIdentities(directory)).current;
}

/** @throws {IdentityError} */
export async function readIdentities(directory: string): Promise<Identities> {
  const path = join(directory, STATE.identity);
  const text = await readIfThere(path);
  const written = text === null ? null : parseJson(text);
  const former = await fromFormerLayout(written, (name) => readIfThere(join(directory, name)));
  if (text === null && former === null) {
    throw new IdentityError(
      `This agent is not enrolled: ${directory} holds no identity. Run: lanreach-agent enrol <code> --url <API URL>`,
    );
  }
  const parsed = Stored.safeParse(former ?? written);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'file'}: ${issue.message}`).join('; ');
    throw new IdentityError(`${path} cannot be used (${faults}). Enrol the agent again.`);
  }
  const { agent, stage = LOCAL_STAGE, api, current, next } = parsed.data;
  // On one machine the stage is always the same one; in the cloud, only a new enrolment can tell it.
  if (parsed.data.stage === undefined && isIotCore(new URL(current.broker).hostname)) {
    throw new IdentityError(
      `${path} names no stage, because an early version enrolled ${agent}. Ask for a code that replaces the agent and enrol it again: lanreach-agent enrol <code> --url ${api ?? '<API URL>'}`,
    );
  }
  const shared = { agent, stage, api };
  return { current: { ...shared, ...current }, next: next === null ? null : { ...shared, ...next } };
}

/** Replaces any other identity. When this resolves, the identity survives a crash. */
export async function writeIdentity(directory: string, identity: Identity): Promise<void> {
  await prepareStateDirectory(directory);
  await write(directory, { current: identity, next: null });
}

/**
 * Stores the identity that is to follow the current one, and replaces any earlier such.
 * @throws {IdentityError} when the stored identity is not `current` any more
 */
export async function writeNextIdentity(directory: string, current: Identity, next: Identity): Promise<void> {
  const present = await readIdentity(directory);
  if (present.certificate !== current.certificate) {
    throw new IdentityError('The agent has been enrolled again in the meantime');
  }
  await write(directory, { current, next });
}

/** Makes the next identity the current one, if it still is the next one. */
export async function adoptNextIdentity(directory: string, { certificate }: Identity): Promise<void> {
  const { next } = await readIdentities(directory);
  if (next?.certificate === certificate) await write(directory, { current: next, next: null });
}

/** Converts an identity that an earlier version stored to the present layout. Does nothing for any other. */
export async function migrateIdentity(directory: string): Promise<void> {
  const found: string[] = [];
  for (const path of Object.values(FORMER_IDENTITY).map((name) => join(directory, name))) {
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      found.push(path);
  }
  if (found.length === 0) return;
  await write(directory, await readIdentities(directory));
  for (const path of found) await rm(path, { force: true });
}

/**
 * What is wrong with the certificate of an identity, to follow "it is" or "answered with"; null when it matches the
 * key.
 */
export function faultOfCertificate({ certificate, key }: Pick<Identity, 'certificate' | 'key'>): string | null {
  // The subject is not checked: IoT Core keeps the agent's name outside the certificate.
  try {
    const certified = new X509Certificate(certificate);
    return certified.checkPrivateKey(createPrivateKey(key))
      ? null
      : 'a certificate that does not match the private key';
  } catch {
    return 'something that is not a certificate';
  }
}

/**
 * Creates the state directory, readable for its owner only.
 * @throws {OwnershipError} when another user could have written into it. Only root may prepare a directory of another
 *   user, because it enrols agents that run as that user; the files that it writes there then belong to that user.
 */
export async function prepareStateDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const entry = await stat(directory);
  if (process.getuid?.() === 0) requireClosed(STATE_DIRECTORY, directory, entry);
  else requireOwn(STATE_DIRECTORY, directory, entry);
  await chmod(directory, 0o700); // An existing directory may have been readable for others.
}

/** @throws {OwnershipError} when this process must not run an agent with the state directory */
export async function requireOwnStateDirectory(directory: string): Promise<void> {
  await requireOwnIfThere(STATE_DIRECTORY, directory);
}

const STATE_DIRECTORY = 'The state directory';

/* ---- The file ------------------------------------------------------------------------------------------------- */

async function write(directory: string, { current, next }: Identities): Promise<void> {
  const { agent, stage, api } = current;
  const stored = {
    agent,
    stage,
    api,
    current: credentialsOf(current),
    next: next === null ? null : credentialsOf(next),
  };
  await writeAtomically(join(directory, STATE.identity), `${JSON.stringify(stored, null, 2)}\n`);
  await syncDirectory(directory);
}

function credentialsOf({ broker, certificate, key, authority }: Identity): z.infer<typeof Credentials> {
  return { broker, certificate, key, authority };
}

function isReadable(read: () => unknown): boolean {
  try {
    return Boolean(read());
  } catch {
    return false;
  }
}

/**
 * Root reads this file as well, for an enrolment and for the doctor, while the service's user may write it. So links,
 * which could lead to another user's file, are not followed, and files that could block or never end are refused.
 */
async function readIfThere(path: string): Promise<string | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const entry = await file.stat();
      if (!entry.isFile() || entry.size > LONGEST_BYTES) throw new Error('it is not a regular file, or is too long');
      requireOwn('The file', path, entry, (await stat(dirname(path))).uid);
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    if (error instanceof OwnershipError) throw new IdentityError(error.message, { cause: error });
    throw new IdentityError(`Cannot read ${path}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
