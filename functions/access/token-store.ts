/**
 * API tokens: rows with the rights of each token, and a list of them.
 *
 * All tokens that descend from one that is limited to sites are counted together, in a row of their first limited ancestor:
 * a limit per token could be evaded by a chain of tokens.
 * @promise A token given by a nameless token ends with it: `test/api/token-rotation.test.ts`.
 */
import * as z from 'zod';
import { MAX_DESCENDANTS, type Person, type Token } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { ValidToken } from '../http/caller.ts';
import { digestMatches } from '../http/token.ts';
import { type Condition, EXISTS, IS_NEW } from '../table/condition.ts';
import { retryOnConflict } from '../table/retry.ts';
import { PARTITIONS, PREFIXES, rows } from '../table/rows.ts';
import type { ConditionalWrite, Item, Table } from '../table/table.ts';
import type { PersonStore } from './people/person-store.ts';
import { idIn, millisOf, type StoredToken, storedIn, timeOf, tokenRows, toListedToken } from './token-row.ts';

/** The unexpired tokens that descend from one ancestor, with their expiry; may include revoked ones. */
const Descendants = z.record(z.string(), z.string().nullable());
type Descendants = z.infer<typeof Descendants>;

/** A valid token. Parsed once for each row, so shared and not to be changed. Times are Unix, ms. */
export interface FoundToken {
  token: ValidToken;
  /** Its owner, if it is a person's. */
  person: Person | null;
  /** SHA-256 of the token itself. */
  digest: Buffer;
  /** The same of its former secret. */
  former: { digest: Buffer; until: number } | null;
  /** Whether a request has presented the former secret; false in the results of the store. */
  isByFormer: boolean;
  expiresAt: number | null;
  /** When its use was last recorded. */
  usedAt: number | null;
}

/** Tokens whose rows are kept parsed. */
const MAX_CACHED_TOKENS = 1000;

export function openTokenStore(table: Table, people: Pick<PersonStore, 'find'>, now: () => Date) {
  /** The rows that were read last, parsed. */
  const cached = new Map<string, { item: Item; found: FoundToken }>();
  /** The writes of `touch` in flight, by the id of the token. */
  const touching = new Map<string, Promise<unknown>>();

  async function read(id: string, consistent: boolean): Promise<FoundToken | null> {
    const item = await table.get(rows.token(id), { consistent });
    if (item === null) {
      cached.delete(id);
      return null;
    }
    const known = cached.get(id);
    const isSame = known !== undefined && known.item.d === item.d && known.item.usedAt === item.usedAt;
    const found = isSame ? known.found : foundIn(item);
    if (!isSame) cache(id, { item, found });
    if (isOver(found.expiresAt)) {
      cached.delete(id);
      return null;
    }
    const { givers = [] } = found.token;
    const parents = await Promise.all(givers.map((parent) => table.get(rows.token(parent), { consistent })));
    if (parents.some((parent) => parent === null || isOver(millisOf(storedIn(parent).expiresAt)))) return null;
    if (found.token.person === null) return found;
    const person = await people.find(found.token.person, { consistent });
    return person === null || person.isDisabled ? null : { ...found, person };
  }

  function cache(id: string, entry: { item: Item; found: FoundToken }): void {
    cached.delete(id);
    cached.set(id, entry);
    const [oldest] = cached.keys();
    if (cached.size > MAX_CACHED_TOKENS && oldest !== undefined) cached.delete(oldest);
  }

  function isOver(expiresAt: number | null): boolean {
    return expiresAt !== null && expiresAt <= now().getTime();
  }

  /**
   * Adds a token to the descendants of its ancestor, in one transaction with the token's own rows, so that concurrent
   * requests cannot exceed the limit. A revocation does not change the list: revoked tokens are removed only when it is full.
   * @returns undefined when the list was changed meanwhile
   */
  async function addDescendant(
    ancestor: string,
    { id, expiresAt }: Pick<Token, 'id' | 'expiresAt'>,
    writes: ConditionalWrite[],
  ): Promise<true | undefined> {
    const key = rows.descendants(ancestor);
    const item = await table.get(key, { consistent: true });
    const turn = Number(item?.turn ?? 0);
    const listed = item === null ? {} : Descendants.parse(JSON.parse(String(item.d)));
    const living = await withRoom(
      Object.fromEntries(Object.entries(listed).filter(([, end]) => !isOver(millisOf(end)))),
    );
    if (living === null) {
      const message = `${MAX_DESCENDANTS} living tokens descend from the token ${ancestor}, and there may be no more of one that is limited to certain sites: revoke some, or make this one with a token for all sites`;
      throw new ServiceError('conflict', message);
    }
    const condition = item === null ? IS_NEW : { equals: { turn } };
    const put = { ...key, turn: turn + 1, d: JSON.stringify({ ...living, [id]: expiresAt } satisfies Descendants) };
    return (await table.transact([...writes, { put, condition }])) || undefined;
  }

  /** The descendants, without revoked ones if the list was full; null when there is no room for one more. */
  async function withRoom(living: Descendants): Promise<Descendants | null> {
    const ids = Object.keys(living);
    if (ids.length < MAX_DESCENDANTS) return living;
    const found = await table.getAll(ids.map(rows.token), { consistent: true });
    if (found.length >= MAX_DESCENDANTS) return null;
    return Object.fromEntries(found.map((item) => [idIn(item), storedIn(item).expiresAt]));
  }

  /** The rows of all tokens that are not revoked. */
  async function readAll(): Promise<Item[]> {
    const ids: string[] = [];
    for await (const page of table.query(PARTITIONS.tokenList, PREFIXES.listedToken, { consistent: true }))
      ids.push(...page.map(({ sk }) => sk.slice(PREFIXES.listedToken.length)));
    return table.getAll(ids.map(rows.token), { consistent: true });
  }

  function revoke(id: string): Promise<boolean> {
    const [row, entry] = tokenRows.remove(id);
    return table.transact([{ ...row, condition: EXISTS }, entry]);
  }

  async function removeSite(item: Item, site: SiteId): Promise<void> {
    const token = storedIn(item);
    const sites = token.sites === '*' ? token.sites : token.sites.filter((one) => one !== site);
    if (sites.length === 0) {
      await revoke(idIn(item));
      return;
    }
    const defaultSite = token.defaultSite === site ? null : token.defaultSite;
    const d = JSON.stringify({ ...token, sites, defaultSite } satisfies StoredToken);
    await table.put({ ...item, d }, { equals: { d: String(item.d) } });
  }

  return {
    /**
     * The token with this id; null when there is none, it has expired, its person is removed or disabled, or a parent is gone.
     * @param options.consistent sees the latest writes, at twice the cost
     */
    find: (id: string, { consistent = false }: { consistent?: boolean } = {}) => read(id, consistent),

    /** The listed fields of a token, even if it has expired; null when there is none. */
    async describe(id: string) {
      const item = await table.get(rows.token(id), { consistent: true });
      return item === null ? null : toListedToken(item);
    },

    /** All tokens that are not revoked, ordered by id; expired ones only of those made by hand. */
    async list() {
      const isListed = ({ purpose, expiresAt }: Token) => purpose === 'api' || !isOver(millisOf(expiresAt));
      return (await readAll())
        .map(toListedToken)
        .filter(isListed)
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    },

    /** @throws {ServiceError} `conflict` when the id is taken, or its ancestor has the most descendants allowed */
    async add(id: string, token: StoredToken) {
      const [row, entry] = tokenRows.put(id, token);
      const writes: ConditionalWrite[] = [{ ...row, condition: IS_NEW }, entry];
      if (token.ancestor === null) {
        if (await table.transact(writes)) return;
        throw new ServiceError('conflict', `A token with the id ${id} exists already`);
      }
      const { ancestor, expiresAt } = token;
      await retryOnConflict('Other tokens are being created at the same time; try again', () =>
        addDescendant(ancestor, { id, expiresAt }, writes),
      );
    },

    /** @returns false when there is no such token */
    revoke,

    /**
     * Gives a token a new secret. The former one stays valid until `formerUntil`; null: it ends at once.
     * @returns null when there is no such token
     */
    rotate: (
      id: string,
      { digest, formerUntil, expiresAt }: { digest: string; formerUntil: Date | null; expiresAt?: string | undefined },
    ) =>
      retryOnConflict('This token keeps changing; try again', async () => {
        const item = await table.get(rows.token(id), { consistent: true });
        if (item === null) return null;
        const { former: _, ...token } = storedIn(item);
        const former =
          formerUntil === null ? {} : { former: { digest: token.digest, until: formerUntil.toISOString() } };
        const changed: StoredToken = { ...token, ...former, digest, expiresAt: expiresAt ?? token.expiresAt };
        const after = { ...item, d: JSON.stringify(changed) };
        return (await table.put(after, { equals: { d: String(item.d) } })) ? toListedToken(after) : undefined;
      }),

    /**
     * Removes a site from all tokens that name it, and revokes those without another one.
     * @param isUnderWay whether the site is still being removed; checked after the tokens were read, so that those of a later
     *   site of the same id are left alone
     */
    async forgetSite(site: SiteId, isUnderWay: () => Promise<boolean>) {
      await retryOnConflict('Other sites are being removed at the same time; try again', async () => {
        const left = (await readAll()).filter((item) => isLimitedTo(storedIn(item), site));
        if (left.length === 0 || !(await isUnderWay())) return true;
        for (const item of left) await removeSite(item, site);
        return undefined;
      });
    },

    /**
     * Records the use of a token, with one write for concurrent requests.
     * @returns null, and does nothing, when it was recorded within the last five minutes
     */
    touch({ token: { id }, usedAt }: FoundToken) {
      const due = now().getTime() - 5 * MINUTE_MS;
      if (usedAt !== null && usedAt > due) return null;
      const update = { set: { usedAt: now().getTime() } };
      const isDue: Condition = { all: [EXISTS, { any: [{ equals: { usedAt: null } }, { less: { usedAt: due } }] }] };
      const touched =
        touching.get(id) ?? table.update(rows.token(id), update, isDue).finally(() => touching.delete(id));
      touching.set(id, touched);
      return touched;
    },
  };
}

export type TokenStore = ReturnType<typeof openTokenStore>;

/** Whether a secret is the token's current or still valid former one; null for any other. */
export function secretOf({ digest, former }: FoundToken, presented: Buffer, now: Date): 'current' | 'former' | null {
  const isFormer = former !== null && former.until > now.getTime() && digestMatches(presented, former.digest);
  if (digestMatches(presented, digest)) return 'current';
  return isFormer ? 'former' : null;
}

function foundIn(item: Item): FoundToken {
  const { digest, former, ...stored } = storedIn(item);
  return {
    token: { id: idIn(item), ...stored, lastUsedAt: timeOf(item.usedAt) },
    person: null,
    digest: Buffer.from(digest, 'hex'),
    former:
      former === undefined ? null : { digest: Buffer.from(former.digest, 'hex'), until: Date.parse(former.until) },
    isByFormer: false,
    expiresAt: millisOf(stored.expiresAt),
    usedAt: typeof item.usedAt === 'number' ? item.usedAt : null,
  };
}

const isLimitedTo = ({ sites }: StoredToken, site: SiteId): boolean => sites !== '*' && sites.includes(site);
