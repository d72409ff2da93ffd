/** API tokens: `lr_<id>.<secret>`, or any other text that an operator has chosen. Only a digest is ever stored. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const MADE_HERE = /^lr_([0-9a-f]{16})\.[A-Za-z0-9_-]{43}$/;
/** Printable ASCII without spaces, which is safe in a header. */
const CHOSEN = /^[\x21-\x7e]{16,200}$/;

/** A new token: 64 bits of id, 256 bits of secret. */
export function makeToken(): string {
  return `lr_${randomBytes(8).toString('hex')}.${randomBytes(32).toString('base64url')}`;
}

/**
 * The id under which a token's row is stored: a part of the token itself for a generated one, a part of its digest for
 * a chosen one. Null for a text that cannot be a token.
 */
export function tokenId(token: string): string | null {
  const made = MADE_HERE.exec(token)?.[1];
  if (made !== undefined) return made;
  if (!CHOSEN.test(token) || token.startsWith('lr_')) return null;
  return createHash('sha256').update(`lanreach token id\n${token}`).digest('hex').slice(0, 16);
}

/** SHA-256 in hexadecimal. 256 bits of randomness need no slower hash. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Compares in constant time, also when `stored` is null because the token does not exist. */
export function digestMatches(token: string, stored: string | null): boolean {
  const wanted = Buffer.from(stored ?? '0'.repeat(64), 'hex');
  const given = Buffer.from(digestOf(token), 'hex');
  return wanted.length === given.length && timingSafeEqual(wanted, given) && stored !== null;
}
