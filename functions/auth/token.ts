/** API tokens: `lr_<id>.<secret>`, or any other text that an operator has chosen. Only a digest is ever stored. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const MADE_HERE = /^lr_([0-9a-f]{16})\.[A-Za-z0-9_-]{43}$/;
/** Printable ASCII without blanks: what fits into a header unharmed. */
const CHOSEN = /^[\x21-\x7e]{16,200}$/;

/** A new token: 64 bits to find it by, 256 bits of secret. */
export function makeToken(): string {
  return `lr_${randomBytes(8).toString('hex')}.${randomBytes(32).toString('base64url')}`;
}

/**
 * The id by which a token's row is found: a part of the token where we made it, a part of its digest where somebody
 * chose it. Null for a text that can be no token at all.
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

/** Compares in constant time. `stored` is null when there is no such token: the same work is done then. */
export function digestMatches(token: string, stored: string | null): boolean {
  const wanted = Buffer.from(stored ?? '0'.repeat(64), 'hex');
  const given = Buffer.from(digestOf(token), 'hex');
  return wanted.length === given.length && timingSafeEqual(wanted, given) && stored !== null;
}
