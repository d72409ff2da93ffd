/** Who the agent is: what enrolment left in the state directory. */
import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { AgentId } from '../shared/identity.ts';
import { syncDirectory, writeAtomically } from './atomic-file.ts';
import { BrokerUrl } from './config.ts';

const Described = z.object({ agent: AgentId, broker: BrokerUrl });

export interface Identity extends z.infer<typeof Described> {
  /** Private key and certificate of the agent, and the certificates by which it knows the broker; PEM. */
  key: string;
  certificate: string;
  authority: string;
}

/** The agent has no identity, or one that cannot be used. The message says what to do. */
export class IdentityError extends Error {
  override name = 'IdentityError';
}

/** @throws {IdentityError} */
export async function readIdentity(directory: string): Promise<Identity> {
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
  const [key, certificate, authority] = await Promise.all(
    ['key.pem', 'cert.pem', 'ca.pem'].map(async (name) => {
      const pem = await readIfThere(join(directory, name));
      if (pem === null) throw new IdentityError(`${join(directory, name)} is missing. Enrol the agent again.`);
      return pem;
    }),
  );
  return { ...parsed.data, key: key ?? '', certificate: certificate ?? '', authority: authority ?? '' };
}

/**
 * Replaces the identity. After a crash in between there is none: identity.json goes first and comes back last, so that
 * a new certificate is never read with an old key.
 */
export async function writeIdentity(directory: string, identity: Identity): Promise<void> {
  await prepareStateDirectory(directory);
  await rm(join(directory, 'identity.json'), { force: true });
  await syncDirectory(directory);
  await writeAtomically(join(directory, 'key.pem'), identity.key);
  await writeAtomically(join(directory, 'cert.pem'), identity.certificate);
  await writeAtomically(join(directory, 'ca.pem'), identity.authority);
  const described = { agent: identity.agent, broker: identity.broker };
  await writeAtomically(join(directory, 'identity.json'), `${JSON.stringify(described, null, 2)}\n`);
  await syncDirectory(directory);
}

/** Makes the state directory, readable for its owner only. */
export async function prepareStateDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700); // It may have been there, with a wider mode.
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
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
