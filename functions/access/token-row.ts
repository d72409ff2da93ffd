/** The rows of a token. */
import * as z from 'zod';
import { PersonId, Time, Token } from '../../shared/api/records.ts';
import { TOKEN_PURPOSES } from '../../shared/words.ts';
import { PARTITIONS, rows } from '../table/rows.ts';
import type { Item, Write } from '../table/table.ts';

const TokenId = Token.shape.id.nullable();

/** Each parent token is read for each request. */
export const MAX_PARENTS = 4;

const StoredToken = Token.omit({ id: true, lastUsedAt: true }).extend({
  /** SHA-256 of the token itself. */
  digest: z.string(),
  createdBy: TokenId,
  /**
   * The nearest ancestor (creator, its creator, and so on) that is limited to certain sites. Stored, and not derived from
   * `createdBy`, because tokens in between may have been revoked.
   */
  ancestor: TokenId,
  person: PersonId.nullable(),
  purpose: z.enum(TOKEN_PURPOSES),
  /** Its parent tokens, with each of which it ends: the one that approved it, unless that is a session, and its parents. */
  givers: z.array(Token.shape.id).max(MAX_PARENTS).optional(),
  /** The digest of its former secret, and until when that one is valid. */
  former: z.object({ digest: z.string(), until: Time }).optional(),
});
export type StoredToken = z.infer<typeof StoredToken>;

/** Writes of one transaction. The caller adds the conditions. */
export const tokenRows = {
  put: (id: string, token: StoredToken): [Write, Write] => [
    { put: { ...rows.token(id), d: JSON.stringify(token), ...removalOf(token) } },
    { put: { ...rows.listedToken(id), ...removalOf(token) } },
  ],
  remove: (id: string): [Write, Write] => [{ remove: rows.token(id) }, { remove: rows.listedToken(id) }],
};

/** Sessions and OAuth tokens expire from the table; a token made by hand is listed until it is revoked. */
function removalOf({ purpose, expiresAt }: Pick<StoredToken, 'purpose' | 'expiresAt'>): { ttl?: number } {
  const end = purpose === 'api' ? null : millisOf(expiresAt);
  return end === null ? {} : { ttl: Math.ceil(end / 1000) };
}

export const storedIn = (item: Item): StoredToken => StoredToken.parse(JSON.parse(String(item.d)));

export const idIn = (item: Item): string => item.pk.slice(PARTITIONS.token.length);

/** The fields that a list of tokens shows. */
export function toListedToken(item: Item): Token {
  const { digest: _, ancestor: __, givers: ___, former: ____, ...shown } = storedIn(item);
  return { id: idIn(item), ...shown, lastUsedAt: timeOf(item.usedAt) };
}

export const millisOf = (time: string | null): number | null => (time === null ? null : Date.parse(time));

export function timeOf(millis: unknown): string | null {
  return typeof millis === 'number' ? new Date(millis).toISOString() : null;
}
