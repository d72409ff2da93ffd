/** API tokens: rows that say what the bearer of a token may do, and a list of them. */
import * as z from 'zod';
import { MAX_DESCENDANTS, Token } from '../../shared/api/admin.ts';
import { ServiceError } from '../../shared/errors.ts';
import { backOff } from '../retry/back-off.ts';
import { PARTITIONS, PREFIXES, rows } from './rows.ts';
import type { ConditionalWrite, Item, Table, Write } from './table.ts';

const TokenId = Token.shape.id.nullable();

/** What is stored of a token. The defaults are for rows that were written before there were these fields. */
const StoredToken = Token.omit({ id: true, lastUsedAt: true }).extend({
  /** SHA-256 of the token itself. */
  digest: z.string(),
  createdBy: TokenId.default(null),
  /**
   * The first in the line of its makers that is limited to certain sites; null when there is none. It is stored, and
   * not found by way of `createdBy`, because the makers in between may have been revoked.
   */
  ancestor: TokenId.default(null),
});
export type StoredToken = z.infer<typeof StoredToken>;

/** The living tokens that descend from one ancestor, with their ends; perhaps also some that have been revoked. */
const Descendants = z.record(z.string(), z.string().nullable());
type Descendants = z.infer<typeof Descendants>;

export interface FoundToken extends Token {
  digest: string;
  ancestor: string | null;
}

export interface TokenStore {
  /**
   * The token with this id, or null when there is none or it has expired.
   * @param options.consistent sees what was written a moment ago, at twice the cost
   */
  find(id: string, options?: { consistent?: boolean }): Promise<FoundToken | null>;
  /** What is listed of the token with this id, also when it has expired; null when there is none. */
  describe(id: string): Promise<Token | null>;
  /** What `find` gave last time, without asking again; null when it was not asked lately or found nothing. */
  lastFound(id: string): FoundToken | null;
  /** All tokens that are not revoked, expired ones too, in the order of their ids. */
  list(): Promise<Token[]>;
  /** @throws {ServiceError} `conflict` when the id is taken, or as many tokens as may descend from its ancestor */
  add(id: string, token: StoredToken): Promise<void>;
  /** @returns false when there is no such token */
  revoke(id: string): Promise<boolean>;
  /** Notes that the token is in use. Does nothing when that was noted within the last five minutes. */
  touch(token: Token): Promise<void>;
}

const NOTE_USE_EVERY_MS = 5 * 60_000;

/** The rows of a token, as writes of one transaction. What must hold for them is the caller's to say. */
export const tokenRows = {
  put: (id: string, token: StoredToken): [Write, Write] => [
    { put: { ...rows.token(id), d: JSON.stringify(token) } },
    { put: { ...rows.listedToken(id) } },
  ],
  remove: (id: string): [Write, Write] => [{ remove: rows.token(id) }, { remove: rows.listedToken(id) }],
};

/** Tokens that are remembered for `lastFound`. */
const REMEMBERED = 1000;
/** Tries to add a descendant while others are added at the same time. */
const ATTEMPTS = 8;

export function openTokenStore(table: Table, now: () => Date): TokenStore {
  const remembered = new Map<string, FoundToken>();

  async function read(id: string, consistent: boolean): Promise<FoundToken | null> {
    const item = await table.get(rows.token(id), { consistent });
    if (item === null) return null;
    const stored = storedIn(item);
    return isOver(stored.expiresAt) ? null : { id, ...stored, lastUsedAt: timeOf(item.usedAt) };
  }

  function isOver(expiresAt: string | null): boolean {
    return expiresAt !== null && Date.parse(expiresAt) <= now().getTime();
  }

  /**
   * Adds a token to those that descend from its ancestor, in one transaction with the token's own rows, so that any
   * number of them at once cannot be more than may be. A revocation leaves the list alone: only once the list is full
   * are those taken out that are not there any more.
   * @returns false when the list was changed meanwhile
   */
  async function addDescendant(
    ancestor: string,
    { id, expiresAt }: Pick<Token, 'id' | 'expiresAt'>,
    writes: ConditionalWrite[],
  ): Promise<boolean> {
    const key = rows.descendants(ancestor);
    const item = await table.get(key, { consistent: true });
    const turn = Number(item?.turn ?? 0);
    const listed = item === null ? {} : Descendants.parse(JSON.parse(String(item.d)));
    const living = await withRoom(Object.fromEntries(Object.entries(listed).filter(([, end]) => !isOver(end))));
    if (living === null) {
      const message = `${MAX_DESCENDANTS} living tokens descend from the token ${ancestor}, and there may be no more of one that is limited to certain sites: revoke some, or make this one with a token for all sites`;
      throw new ServiceError('conflict', message);
    }
    const expression =
      item === null ? { condition: 'attribute_not_exists(pk)' } : { condition: '#turn = :turn', values: { turn } };
    const put = { ...key, turn: turn + 1, d: JSON.stringify({ ...living, [id]: expiresAt } satisfies Descendants) };
    return table.transact([...writes, { put, expression }]);
  }

  /** The descendants if there may be one more, without those that have been revoked where they would be too many. */
  async function withRoom(living: Descendants): Promise<Descendants | null> {
    const ids = Object.keys(living);
    if (ids.length < MAX_DESCENDANTS) return living;
    const found = await table.getAll(ids.map(rows.token), { consistent: true });
    if (found.length >= MAX_DESCENDANTS) return null;
    return Object.fromEntries(found.map((item) => [idIn(item), storedIn(item).expiresAt]));
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

    async describe(id) {
      const item = await table.get(rows.token(id), { consistent: true });
      return item === null ? null : shownOf(item);
    },

    async list() {
      const ids: string[] = [];
      for await (const page of table.query(PARTITIONS.tokenList, PREFIXES.listedToken)) {
        ids.push(...page.map(({ sk }) => sk.slice(PREFIXES.listedToken.length)));
      }
      const items = await table.getAll(ids.map(rows.token), { consistent: true });
      return items.map(shownOf).sort((a, b) => (a.id < b.id ? -1 : 1));
    },

    async add(id, token) {
      const [row, entry] = tokenRows.put(id, token);
      const writes = [{ ...row, expression: { condition: 'attribute_not_exists(pk)' } }, entry];
      if (token.ancestor === null) {
        if (await table.transact(writes)) return;
        throw new ServiceError('conflict', `There is a token with the id ${id} already`);
      }
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (await addDescendant(token.ancestor, { id, expiresAt: token.expiresAt }, writes)) return;
        await backOff(attempt);
      }
      throw new ServiceError('conflict', 'Other tokens are being made at the same time; try again', { retryAfter: 1 });
    },

    async revoke(id) {
      const [row, entry] = tokenRows.remove(id);
      return table.transact([{ ...row, expression: { condition: 'attribute_exists(pk)' } }, entry]);
    },

    async touch(token) {
      const due = now().getTime() - NOTE_USE_EVERY_MS;
      if (token.lastUsedAt !== null && Date.parse(token.lastUsedAt) > due) return;
      await table.update(rows.token(token.id), {
        set: { usedAt: now().getTime() },
        condition: 'attribute_exists(pk) AND (attribute_not_exists(#usedAt) OR #usedAt < :due)',
        values: { due },
      });
    },
  };
}

function storedIn(item: Item): StoredToken {
  return StoredToken.parse(JSON.parse(String(item.d)));
}

function idIn(item: Item): string {
  return item.pk.slice(PARTITIONS.token.length);
}

/** What everybody may see of a token who may see it at all. */
function shownOf(item: Item): Token {
  const { digest: _, ancestor: __, ...shown } = storedIn(item);
  return { id: idIn(item), ...shown, lastUsedAt: timeOf(item.usedAt) };
}

function timeOf(millis: unknown): string | null {
  return typeof millis === 'number' ? new Date(millis).toISOString() : null;
}
