/**
 * Seals on the rows that grant rights, for a database into which other programs may write as well. Off in the cloud,
 * where only our functions may write.
 *
 * A seal is a message authentication code (HMAC) over the key of a row and those of its attributes that grant rights.
 * It is computed whenever such a row is written, and checked whenever one is read: a row that was created or changed
 * without the secret key counts as absent. The other attributes of a row, such as when a token was last used, are not
 * covered, so an update of those needs no new seal. A seal does not prevent replay: an old copy of a row can be put
 * back after the row was changed or deleted.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Key, PARTITIONS, PREFIXES, rows } from './rows.ts';

type Attributes = Readonly<Record<string, unknown>>;

export interface SealSettings {
  key: Uint8Array;
  /** Called for every row that was read and counts as absent. */
  onRefused(row: Key): void;
}

/** The attribute that holds the seal. */
export const SEAL = 'seal';

/** The attributes of a row that grant rights; none for most rows. */
function sealedAttributes({ pk, sk }: Key): readonly string[] {
  if (pk.startsWith(PARTITIONS.token) && sk === rows.token('').sk) return ['d'];
  if (pk.startsWith(PARTITIONS.enrolmentCode) && sk === rows.enrolmentCode('').sk)
    return ['agent', 'replaces', 'expiresAt'];
  if (pk.startsWith(PARTITIONS.site) && sk.startsWith(PREFIXES.agent)) return ['certificate', 'key', 'next'];
  // Where events are sent and by which key they are signed, and what is sent.
  if (pk.startsWith(PARTITIONS.hooks) || pk.startsWith(PARTITIONS.deliveries)) return ['d'];
  return [];
}

/** The seal of a row with these attributes; null for one that grants no rights and needs none. */
export function sealOf(secret: Uint8Array, { pk, sk }: Key, attributes: Attributes): string | null {
  const names = sealedAttributes({ pk, sk }).filter((name) => attributes[name] !== undefined);
  if (names.length === 0) return null;
  const text = JSON.stringify([pk, sk, names.map((name) => [name, attributes[name]])]);
  return createHmac('sha256', secret).update(text).digest('base64url');
}

/** Whether a row grants no rights, or has a valid seal. */
export function isSealed(secret: Uint8Array, row: Key & Attributes): boolean {
  const wanted = sealOf(secret, row, row);
  if (wanted === null) return true;
  const found = Buffer.from(String(row[SEAL]));
  return found.length === wanted.length && timingSafeEqual(found, Buffer.from(wanted));
}
