/** API tokens: rows that say what the bearer of a token may do, and a list of them. */
import * as z from 'zod';
import { Token } from '../../shared/api/admin.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Table, Write } from './table.ts';

/** What is stored of a token. `digest` is the SHA-256 of the token itself. */
const StoredToken = Token.omit({ id: true, lastUsedAt: true }).extend({ digest: z.string() });
export type StoredToken = z.infer<typeof StoredToken>;

export interface FoundToken extends Token {
  digest: string;
}

export interface TokenStore {
  /**
   * The token with this id, or null when there is none or it has expired.
   * @param options.consistent sees what was written a moment ago, at twice the cost
   */
  find(id: string, options?: { consistent?: boolean }): Promise<FoundToken | null>;
  /** What `find` gave last time, without asking again; null when it was not asked lately or found nothing. */
  lastFound(id: string): FoundToken | null;
  /** All tokens that are not revoked, expired ones too, in the order of their ids. */
  list(): Promise<Token[]>;
  /** @throws {ServiceError} `conflict` when the id is taken */
  add(id: string, token: StoredToken): Promise<void>;
  /** @returns false when there is no such token */
  revoke(id: string): Promise<boolean>;
  /** Notes that the token is in use. Does nothing when that was noted within the last five minutes. */
  touch(token: Token): Promise<void>;
}

const NOTE_USE_EVERY_MS = 5 * 60_000;

const tokenKey = (id: string) => ({ pk: `T#${id}`, sk: 'T' });
const listKey = (id: string) => ({ pk: 'TOKENS', sk: `T#${id}` });

/** The rows of a token, as writes of one transaction. What must hold for them is the caller's to say. */
export const tokenRows = {
  put: (id: string, token: StoredToken): [Write, Write] => [
    { put: { ...tokenKey(id), d: JSON.stringify(token) } },
    { put: listKey(id) },
  ],
  remove: (id: string): [Write, Write] => [{ remove: tokenKey(id) }, { remove: listKey(id) }],
};

/** Tokens that are remembered for `lastFound`. */
const REMEMBERED = 1000;

export function openTokenStore(table: Table, now: () => Date): TokenStore {
  const remembered = new Map<string, FoundToken>();

  async function read(id: string, consistent: boolean): Promise<FoundToken | null> {
    const item = await table.get(tokenKey(id), { consistent });
    if (item === null) return null;
    const stored = StoredToken.parse(JSON.parse(String(item.d)));
    if (stored.expiresAt !== null && Date.parse(stored.expiresAt) <= now().getTime()) return null;
    return { id, ...stored, lastUsedAt: timeOf(item.usedAt) };
  }

  return {
    async find(id, { consistent = false } = {}) {
      const found = await read(id, consistent);
      remembered.delete(id);
      if (found === null) return null;
      remembered.set(id, found);
      for (const oldest of remembered.keys()) {
        if (remembered.size <= REMEMBERED) break;
        remembered.delete(oldest);
      }
      return found;
    },

    lastFound: (id) => remembered.get(id) ?? null,

    async list() {
      const ids: string[] = [];
      for await (const page of table.query('TOKENS', 'T#')) ids.push(...page.map(({ sk }) => sk.slice(2)));
      const rows = await Promise.all(ids.map((id) => table.get(tokenKey(id), { consistent: true })));
      return rows.flatMap((item) => {
        if (item === null) return [];
        const { digest: _, ...shown } = StoredToken.parse(JSON.parse(String(item.d)));
        return [{ id: item.pk.slice(2), ...shown, lastUsedAt: timeOf(item.usedAt) }];
      });
    },

    async add(id, token) {
      const [row, entry] = tokenRows.put(id, token);
      const added = await table.transact([{ ...row, expression: { condition: 'attribute_not_exists(pk)' } }, entry]);
      if (!added) throw new ServiceError('conflict', `There is a token with the id ${id} already`);
    },

    async revoke(id) {
      const [row, entry] = tokenRows.remove(id);
      return table.transact([{ ...row, expression: { condition: 'attribute_exists(pk)' } }, entry]);
    },

    async touch(token) {
      const due = now().getTime() - NOTE_USE_EVERY_MS;
      if (token.lastUsedAt !== null && Date.parse(token.lastUsedAt) > due) return;
      await table.update(tokenKey(token.id), {
        update: 'SET #used = :now',
        condition: 'attribute_exists(pk) AND (attribute_not_exists(#used) OR #used < :due)',
        names: { '#used': 'usedAt' },
        values: { ':now': now().getTime(), ':due': due },
      });
    },
  };
}

function timeOf(millis: unknown): string | null {
  return typeof millis === 'number' ? new Date(millis).toISOString() : null;
}
