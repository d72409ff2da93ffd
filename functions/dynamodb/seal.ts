/**
 * Seals on the rows that give rights, for a database into which others may write as well. Off in the cloud, where only
 * our functions have a right to write.
 *
 * A seal is a message authentication code (HMAC) over the key of a row and over those of its attributes that say who may
 * do what. It is made wherever such a row is written, and checked wherever one is read: a row that was made or changed
 * by somebody who does not have the key counts as absent. The other attributes of a row, such as when a token was last
 * used, are not covered, and so an update of those needs no new seal. Nor does a seal say that a row is the newest:
 * whoever has kept a copy of a row can put it back after it was changed or deleted.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Key, PARTITIONS, PREFIXES, rows } from './rows.ts';

type Attributes = Readonly<Record<string, unknown>>;

export interface SealSettings {
  key: Uint8Array;
  /** Told of every row that was read and counts as absent. */
  onRefused(row: Key): void;
}

/** The attribute that holds the seal. */
export const SEAL = 'seal';

/** Those attributes of a row that give rights; none for most rows. */
function sealedAttributes({ pk, sk }: Key): readonly string[] {
  if (pk.startsWith(PARTITIONS.token) && sk === rows.token('').sk) return ['d'];
  if (pk.startsWith(PARTITIONS.enrolmentCode) && sk === rows.enrolmentCode('').sk)
    return ['agent', 'replaces', 'expiresAt'];
  if (pk.startsWith(PARTITIONS.site) && sk.startsWith(PREFIXES.agent)) return ['certificate', 'key', 'next'];
  return [];
}

/** The seal of a row with these attributes; null for one that gives no rights, which needs none. */
export function sealOf(secret: Uint8Array, { pk, sk }: Key, attributes: Attributes): string | null {
  const names = sealedAttributes({ pk, sk }).filter((name) => attributes[name] !== undefined);
  if (names.length === 0) return null;
  const text = JSON.stringify([pk, sk, names.map((name) => [name, attributes[name]])]);
  return createHmac('sha256', secret).update(text).digest('base64url');
}

/** Whether a row gives no rights, or bears the seal that makes them good. */
export function isSealed(secret: Uint8Array, row: Key & Attributes): boolean {
  const wanted = sealOf(secret, row, row);
  if (wanted === null) return true;
  const found = Buffer.from(String(row[SEAL]));
  return found.length === wanted.length && timingSafeEqual(found, Buffer.from(wanted));
}
