/**
 * The agent's identity: certificate and key from its enrolment or last renewal and, during a renewal, the next ones. One
 * file, replaced atomically by the holder of the state directory's lock: so a key never meets the certificate of another
 * key, and no crash leaves an agent without an identity.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { codeOf } from '../../shared/errno.ts';
import { AgentId, Stage } from '../../shared/identity.ts';
import { parseJson } from '../../shared/json.ts';
import { BrokerUrl, HttpUrl } from '../config.ts';
import { syncDirectory, writeAtomically } from '../state/atomic-file.ts';
import { STATE } from '../state/layout.ts';
import { OwnershipError, prepareStateDirectory, requireOwn } from '../state/ownership.ts';

/** In PEM: private key, certificate, and the authorities that authenticate the broker. */
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

/** The agent, its deployment, and the API that renews its certificate. */
const Owner = z.object({ agent: AgentId, stage: Stage, api: HttpUrl });

const Stored = Owner.extend({ current: Credentials, next: Credentials.nullable() });

export type Identity = z.infer<typeof Credentials> & z.infer<typeof Owner>;

export interface Identities {
  /** Valid until the agent has connected with `next`. */
  current: Identity;
  /** Issued by a renewal that is not complete yet. */
  next: Identity | null;
}

/** The certificates of the authorities are the longest part. */
const LONGEST_BYTES = 1024 * 1024;

/** The agent has no identity, or one that is invalid. The message says what to do. */
export class IdentityError extends Error {
  override name = 'IdentityError';
}

/** The current identity, which stays valid during a renewal. @throws {IdentityError} */
export async function readIdentity(directory: string): Promise<Identity> {
  return (await readIdentities(directory)).current;
}

/** @throws {IdentityError} */
export async function readIdentities(directory: string): Promise<Identities> {
  const text = await readIfThere(join(directory, STATE.identity));
  if (text === null) {
    throw new IdentityError(
      `This agent is not enrolled: ${resolve(directory)} holds no identity. Run: lanreach-agent enrol <code> --url <API URL>`,
    );
  }
  const parsed = Stored.safeParse(parseJson(text));
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'file'}: ${issue.message}`).join('; ');
    throw new IdentityError(`${resolve(directory, STATE.identity)} cannot be used (${faults}). Enrol the agent again.`);
  }
  const { current, next, ...owner } = parsed.data;
  return { current: { ...owner, ...current }, next: next === null ? null : { ...owner, ...next } };
}

/** Replaces any other identity. When this resolves, the identity survives a crash. */
export async function writeIdentity(directory: string, identity: Identity): Promise<void> {
  await prepareStateDirectory(directory);
  await writeIdentities(directory, { current: identity, next: null });
}

/** The same during a renewal. */
export async function writeIdentities(directory: string, { current, next }: Identities): Promise<void> {
  const { agent, stage, api } = current;
  const stored = { agent, stage, api, current: credentialsOf(current), next: next && credentialsOf(next) };
  await writeAtomically(join(directory, STATE.identity), `${JSON.stringify(stored, null, 2)}\n`);
  await syncDirectory(directory);
}

function credentialsOf({ broker, certificate, key, authority }: Identity): z.infer<typeof Credentials> {
  return { broker, certificate, key, authority };
}

/** What is wrong with a certificate, to follow "it is" or "answered with"; null when it matches the key. */
export function faultOfCertificate({ certificate, key }: Pick<Identity, 'certificate' | 'key'>): string | null {
  // The subject is not checked: IoT Core keeps the agent's name outside the certificate.
  try {
    const matches = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
    return matches ? null : 'a certificate that does not match the private key';
  } catch {
    return 'something that is not a certificate';
  }
}

function isReadable(read: () => unknown): boolean {
  try {
    return Boolean(read());
  } catch {
    return false;
  }
}

/** Follows no links, and rejects files that could block or never end. */
async function readIfThere(path: string): Promise<string | null> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const entry = await file.stat();
    if (!entry.isFile() || entry.size > LONGEST_BYTES) throw new Error('it is not a regular file, or is too long');
    requireOwn('The file', resolve(path), entry);
    return await file.readFile('utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    if (error instanceof OwnershipError) throw new IdentityError(error.message, { cause: error });
    const reason = error instanceof Error ? error.message : String(error);
    throw new IdentityError(`Cannot read ${resolve(path)}: ${reason}`, { cause: error });
  }
}
