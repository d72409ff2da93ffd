/** API tokens: `lr_<id>.<secret>`, or a text that an operator has chosen. Only a digest is ever stored. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const MADE_HERE = /^lr_([0-9a-f]{16})\.[A-Za-z0-9_-]{43}$/;
/** Printable ASCII without spaces, which is safe in a header. */
const CHOSEN = /^[\x21-\x7e]{16,200}$/;

/** A new token: 64 bits of id, 256 bits of secret. */
export const makeToken = (): string => newSecretOf(randomBytes(8).toString('hex'));

/** A token with this id, and a new secret. */
export const newSecretOf = (id: string): string => `lr_${id}.${randomBytes(32).toString('base64url')}`;

/**
 * The id under which a token is stored: part of the token itself for a generated one, part of its digest for a chosen one.
 * Null for a text that cannot be a token.
 */
export function tokenId(token: string): string | null {
  const made = MADE_HERE.exec(token)?.[1];
  if (made !== undefined) return made;
  if (!CHOSEN.test(token) || token.startsWith('lr_')) return null;
  return hash('sha256', `lanreach token id\n${token}`).slice(0, 16);
}

/** SHA-256 in hexadecimal, as it is stored. 256 bits of randomness need no slower hash. */
export const digestOf = (token: string): string => hash('sha256', token);

/** The same digest in bytes, for comparison. */
export const digestBytesOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/** Compares two digests in constant time, also when `stored` is null because the token does not exist. */
export function digestMatches(presented: Buffer, stored: Buffer | null): boolean {
  const wanted = stored ?? NO_DIGEST;
  return wanted.length === presented.length && timingSafeEqual(wanted, presented) && stored !== null;
}

const NO_DIGEST = Buffer.alloc(32);
