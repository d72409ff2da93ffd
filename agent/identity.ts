/**
 * Who the agent is: what its enrolment left in the state directory, and the renewals since.
 *
 * It lies in four files that people and their tools can read. A new identity is first written to a fifth one, whole,
 * and counts from the moment in which it is there: so a key never goes with another key's certificate, and no crash
 * leaves an agent without an identity.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { AgentId } from '../shared/identity.ts';
import { syncDirectory, writeAtomically } from './atomic-file.ts';
import { ApiUrl, BrokerUrl } from './config.ts';
import { lockDirectory } from './lock.ts';
import { OwnershipError, requireClosed, requireOwn, requireOwnIfThere } from './ownership.ts';

const Described = z.object({
  agent: AgentId,
  broker: BrokerUrl,
  /** Where the certificate is renewed. An agent that was enrolled long ago does not know. */
  api: ApiUrl.nullable().default(null),
});

export interface Identity extends z.infer<typeof Described> {
  /** Private key and certificate of the agent, and the certificates by which it knows the broker; PEM. */
  key: string;
  certificate: string;
  authority: string;
}

/**
 * What a new identity has come to. `issued`: it can be used, beside the one before. `connected`: it has been used, and
 * the API has yet to be told. `current`: it is the only one, and the four files have yet to be written.
 */
const Stage = z.enum(['issued', 'connected', 'current']);
type Stage = z.infer<typeof Stage>;

const NewIdentity = z.object({
  stage: Stage,
  ...Described.shape,
  key: z.string(),
  certificate: z.string(),
  authority: z.string(),
});

export interface Identities {
  /** The one that is valid in any case. */
  present: Identity;
  /** One that is to take its place. */
  next: { stage: 'issued' | 'connected'; identity: Identity } | null;
}

const NEW_IDENTITY = 'new-identity.json';
const READ_ATTEMPTS = 3;
/** Certificates of a few authorities are the longest part. */
const LONGEST_BYTES = 1024 * 1024;
const LOCKED_WITHIN_MS = 10_000;

/** The agent has no identity, or one that cannot be used. The message says what to do. */
export class IdentityError extends Error {
  override name = 'IdentityError';
}

/**
 * The identity that the agent uses.
 * @throws {IdentityError}
 */
export async function readIdentity(directory: string): Promise<Identity> {
  const { present, next } = await readIdentities(directory);
  return next?.stage === 'connected' ? next.identity : present;
}

/** @throws {IdentityError} */
export async function readIdentities(directory: string): Promise<Identities> {
  for (let attempt = 1; ; attempt++) {
    const before = await readNew(directory);
    if (before?.stage === 'current') return { present: identityOf(before), next: null };
    try {
      const present = await readFiles(directory);
      const next = before === null ? null : { stage: before.stage, identity: identityOf(before) };
      return { present, next };
    } catch (error) {
      // Another process may be writing them at this moment: the next look finds the new identity, or all of its files.
      if (attempt === READ_ATTEMPTS) throw error;
    }
  }
}

/** Puts an identity in the place of any other. When it resolves, the identity survives a crash. */
export async function writeIdentity(directory: string, identity: Identity): Promise<void> {
  await prepareStateDirectory(directory);
  await alone(directory, async () => {
    await writeNew(directory, 'current', identity);
    await finish(directory, identity);
  });
}

/** Writes down an identity that is to take the place of the present one. */
export async function writeNextIdentity(directory: string, identity: Identity): Promise<void> {
  await alone(directory, async () => {
    const before = await readNew(directory);
    if (before?.stage === 'current') throw new IdentityError('The agent has been enrolled again in the meantime');
    await writeNew(directory, 'issued', identity);
  });
}

/**
 * Notes what the next identity with this certificate has come to; `dropped`: it is of no use.
 * @returns false when there is no such identity any more, because the agent has been enrolled again
 */
export async function advanceNextIdentity(
  directory: string,
  certificate: string,
  to: 'connected' | 'current' | 'dropped',
): Promise<boolean> {
  return alone(directory, async () => {
    const next = await readNew(directory);
    if (next === null || next.stage === 'current' || next.certificate !== certificate) return false;
    if (to === 'dropped') {
      await rm(join(directory, NEW_IDENTITY), { force: true });
      await syncDirectory(directory);
      return true;
    }
    await writeNew(directory, to, identityOf(next));
    if (to === 'current') await finish(directory, identityOf(next));
    return true;
  });
}

/** Ends what a crash has interrupted. */
export async function finishIdentity(directory: string): Promise<void> {
  if ((await readNew(directory))?.stage !== 'current') return;
  await alone(directory, async () => {
    const left = await readNew(directory);
    if (left?.stage === 'current') await finish(directory, identityOf(left));
  });
}

/** What is wrong with the certificate of an identity; null when it certifies the key. */
export function faultOfCertificate({ certificate, key }: Pick<Identity, 'certificate' | 'key'>): string | null {
  // The name in it is not looked at: IoT Core keeps the agent's name beside the certificate.
  try {
    const certified = new X509Certificate(certificate);
    return certified.checkPrivateKey(createPrivateKey(key)) ? null : 'a certificate for another key';
  } catch {
    return 'something else than a certificate';
  }
}

/**
 * Makes the state directory, readable for its owner only.
 * @throws {OwnershipError} when somebody else could have put something into it. Only root prepares what belongs to
 *   another user, to whom it then gives what it writes there: it enrols agents that run as that user.
 */
export async function prepareStateDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const entry = await stat(directory);
  if (process.getuid?.() === 0) requireClosed(STATE_DIRECTORY, directory, entry);
  else requireOwn(STATE_DIRECTORY, directory, entry);
  await chmod(directory, 0o700); // Others may have been allowed to read it.
}

/** @throws {OwnershipError} when the state directory is not one that this process may run an agent with */
export async function requireOwnStateDirectory(directory: string): Promise<void> {
  await requireOwnIfThere(STATE_DIRECTORY, directory);
}

const STATE_DIRECTORY = 'The state directory';

/* ---- The files ------------------------------------------------------------------------------------------------ */

/** The enrolment on the command line and a running agent must not change the identity at the same time. */
async function alone<T>(directory: string, change: () => Promise<T>): Promise<T> {
  const lock = await lockDirectory(directory, LOCKED_WITHIN_MS, { what: 'identity' });
  try {
    return await change();
  } finally {
    lock.release();
  }
}

async function readFiles(directory: string): Promise<Identity> {
  const described = await readIfThere(join(directory, 'identity.json'));
  if (described === null) {
    throw new IdentityError(
      `This agent is not enrolled: ${directory} holds no identity. Run: lanreach-agent enrol <code> --url <API URL>`,
    );
  }
  const parsed = Described.safeParse(parseJson(described));
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'file'}: ${message}`).join('; ');
    throw new IdentityError(`${join(directory, 'identity.json')} cannot be used (${faults}). Enrol the agent again.`);
  }
  const [key = '', certificate = '', authority = ''] = await Promise.all(
    ['key.pem', 'cert.pem', 'ca.pem'].map(async (name) => {
      const pem = await readIfThere(join(directory, name));
      if (pem === null) throw new IdentityError(`${join(directory, name)} is missing. Enrol the agent again.`);
      return pem;
    }),
  );
  const faults = {
    'key.pem': isReadable(() => createPrivateKey(key)) ? null : 'something else than a private key',
    'cert.pem': faultOfCertificate({ certificate, key }),
    'ca.pem': isReadable(() => new X509Certificate(authority)) ? null : 'something else than certificates',
  };
  for (const [name, fault] of Object.entries(faults)) {
    if (fault !== null) throw new IdentityError(`${join(directory, name)} is ${fault}. Enrol the agent again.`);
  }
  return { ...parsed.data, key, certificate, authority };
}

function isReadable(read: () => unknown): boolean {
  try {
    return Boolean(read());
  } catch {
    return false;
  }
}

/** The new identity; null when there is none, or nothing that can be read as one. */
async function readNew(directory: string): Promise<z.infer<typeof NewIdentity> | null> {
  const text = await readIfThere(join(directory, NEW_IDENTITY));
  const parsed = NewIdentity.safeParse(text === null ? null : parseJson(text));
  return parsed.success && faultOfCertificate(parsed.data) === null ? parsed.data : null;
}

async function writeNew(directory: string, stage: Stage, identity: Identity): Promise<void> {
  await writeAtomically(join(directory, NEW_IDENTITY), `${JSON.stringify({ stage, ...identity }, null, 2)}\n`);
  await syncDirectory(directory);
}

/** Makes the four files say what the new identity says, which counts until it is gone. */
async function finish(directory: string, { agent, broker, api, key, certificate, authority }: Identity): Promise<void> {
  await writeAtomically(join(directory, 'key.pem'), key);
  await writeAtomically(join(directory, 'cert.pem'), certificate);
  await writeAtomically(join(directory, 'ca.pem'), authority);
  await writeAtomically(join(directory, 'identity.json'), `${JSON.stringify({ agent, broker, api }, null, 2)}\n`);
  await syncDirectory(directory);
  await rm(join(directory, NEW_IDENTITY), { force: true });
  await syncDirectory(directory);
}

function identityOf({ stage: _, ...identity }: z.infer<typeof NewIdentity>): Identity {
  return identity;
}

/**
 * Root reads here as well, at an enrolment and for the doctor, what the user of the service can put here: so no link to
 * a file that is none of that user's is followed, and nothing is waited for that never ends.
 */
async function readIfThere(path: string): Promise<string | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const entry = await file.stat();
      if (!entry.isFile() || entry.size > LONGEST_BYTES) throw new Error('it is no file of an identity');
      requireOwn('The file', path, entry, (await stat(dirname(path))).uid);
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    if (error instanceof OwnershipError) throw new IdentityError(error.message, { cause: error });
    throw new IdentityError(`Cannot read ${path}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
