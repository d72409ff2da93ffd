/** Claim keys, and the hosts that have claimed with them. Of a key only the digest is kept. */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { CLAIM_KEY_PREFIX, Claim, type ClaimId, type ClaimingHost, ClaimKey } from '../../shared/api/claims.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import { PersonId, Token } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import { AgentName } from '../../shared/identity.ts';
import { problemOf } from '../../shared/problem.ts';
import { backOff } from '../back-off.ts';
import { IS_NEW, unchanged } from '../condition.ts';
import { PARTITIONS, PREFIXES, rows } from '../rows.ts';
import { type Item, listItems, type Table } from '../table.ts';
import { digestBytesOf, digestMatches, digestOf } from './token.ts';

/** With what a key ends: with a token, or with a person, whose sessions come and go. */
const KeyMaker = z.union([z.object({ token: Token.shape.id }), z.object({ person: PersonId })]);
export type KeyMaker = z.infer<typeof KeyMaker>;

/** As it is kept. The default is for keys that were made before their makers were noted. */
const KeptKey = ClaimKey.omit({ used: true, state: true }).extend({ maker: KeyMaker.nullable().default(null) });
export type KeySettings = Omit<z.infer<typeof KeptKey>, 'id' | 'createdAt'>;
export type StoredKey = ClaimKey & Pick<KeySettings, 'maker'>;

const StoredClaim = Claim.extend({
  /** What a person wants its agent to be called. */
  name: AgentName.nullable(),
  /** The certificate that it was given last. */
  certificate: z.string().nullable(),
});
export type StoredClaim = z.infer<typeof StoredClaim>;

/** Why no further host is taken. */
export type Closed = Exclude<ClaimKey['state'], 'open'>;

export interface ClaimStore {
  createKey(wanted: KeySettings): Promise<{ secret: string; key: StoredKey }>;
  /** Those included that came to their end in the last 30 days. */
  keys(): Promise<{ keys: StoredKey[]; unreadable: Unreadable[] }>;
  findKey(id: string): Promise<StoredKey | null>;
  /** The key with this secret. */
  keyOf(secret: string): Promise<StoredKey | null>;
  /** @returns whether it was not revoked before */
  revokeKey(id: string): Promise<boolean>;
  /**
   * The claim of a host with this certificate request: the one that it has made before, or a new one, which counts as a
   * use of the key. However many come at once, no more are taken than the key has uses.
   */
  claim(
    key: string,
    csr: string,
    said: { host: ClaimingHost; sourceAddress: string | null },
  ): Promise<{ claim: StoredClaim; isNew: boolean } | { closed: Closed }>;
  find(id: ClaimId): Promise<StoredClaim | null>;
  /**
   * Changes a claim. `plan` may be called again, when somebody else has made a change at the same time; null from it
   * leaves the claim as it is. @returns the claim as it is then; null when there is none
   */
  change(id: ClaimId, plan: (before: StoredClaim) => Partial<StoredClaim> | null): Promise<StoredClaim | null>;
  /**
   * Ordered by their ids, and so by their keys. @param isWanted which ones are shown
   * @param after the page begins behind this id
   */
  page(
    key: string | null,
    isWanted: (claim: StoredClaim) => boolean,
    after: string | null,
    limit: number,
  ): Promise<{ claims: StoredClaim[]; unreadable: Unreadable[]; next: string | null }>;
}

/** Kept so long after the end of the key, so that people see what became of it. */
const KEPT_DAYS = 30;
/** Tries for a row that others change at the same time: of many hosts that come at once, one wins each round. */
const ATTEMPTS = 12;
/** Claims that one page looks at. */
const MOST_READ = 2_000;

const keyIdOf = (secret: string) => digestOf(secret).slice(0, 16);

/** The id of the claim that is made with a key and a certificate request. */
export function claimIdOf(key: string, csr: string): ClaimId {
  return `${key}-${digestOf(csr).slice(0, 32)}`;
}

/** The id of the key with which a claim was made. */
export function keyOfClaim(id: ClaimId): string {
  return id.slice(0, id.indexOf('-'));
}

export function openClaimStore(table: Table, now: () => Date): ClaimStore {
  const find = async (id: ClaimId) => {
    const item = await table.get(rows.claim(id), { consistent: true });
    return item === null || isOld(item) ? null : decodeClaim(item);
  };
  const readKey = async (id: string): Promise<Item | null> => {
    const item = await table.get(rows.claimKey(id), { consistent: true });
    return item === null || isOld(item) ? null : item;
  };
  /** What the table has not removed yet. */
  const isOld = ({ ttl }: Item) => Number(ttl) * 1000 <= now().getTime();

  return {
    async createKey(wanted) {
      const secret = CLAIM_KEY_PREFIX + randomBytes(24).toString('base64url');
      const id = keyIdOf(secret);
      const stored = { id, ...wanted, createdAt: now().toISOString() };
      const ttl = Math.ceil(Date.parse(wanted.expiresAt) / 1000) + KEPT_DAYS * 86_400;
      const item = { ...rows.claimKey(id), d: JSON.stringify(stored), digest: digestOf(secret), used: 0, ttl };
      await table.put(item, IS_NEW);
      return { secret, key: decodeKey(item, now()) };
    },

    async keys() {
      const keys: StoredKey[] = [];
      const unreadable: Unreadable[] = [];
      for (const item of await listItems(table, PARTITIONS.claims, PREFIXES.claimKey)) {
        if (isOld(item)) continue;
        try {
          keys.push(decodeKey(item, now()));
        } catch (error) {
          unreadable.push({ id: item.sk.slice(PREFIXES.claimKey.length), problem: problemOf(error) });
        }
      }
      return { keys, unreadable };
    },

    async findKey(id) {
      const item = await readKey(id);
      return item && decodeKey(item, now());
    },

    async keyOf(secret) {
      const item = await readKey(keyIdOf(secret));
      const digest = item === null ? null : Buffer.from(String(item.digest), 'hex');
      return digestMatches(digestBytesOf(secret), digest) ? decodeKey(item!, now()) : null;
    },

    revokeKey(id) {
      const isThere = { all: [{ exists: true }, { equals: { revokedAt: null } }] };
      return table.update(rows.claimKey(id), { set: { revokedAt: now().getTime() } }, isThere);
    },

    async claim(key, csr, { host, sourceAddress }) {
      const id = claimIdOf(key, csr);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (attempt > 0) await backOff(attempt - 1);
        const before = await find(id);
        if (before !== null) return { claim: before, isNew: false };
        const item = await readKey(key);
        if (item === null) return { closed: 'over' };
        const { state, used, site } = decodeKey(item, now());
        if (state !== 'open') return { closed: state };
        const undecided = { state: 'waiting' as const, decidedAt: null, name: null, agent: null, certificate: null };
        const claimedAt = now().toISOString();
        const claim: StoredClaim = { id, key, host, sourceAddress, claimedAt, site, ...undecided };
        const isMade = await table.transact([
          { put: { ...rows.claim(id), ...encodeClaim(claim), ttl: item.ttl! }, condition: IS_NEW },
          { put: { ...item, used: used + 1 }, condition: unchanged(['used', 'revokedAt', 'digest'], item) },
        ]);
        if (isMade) return { claim, isNew: true };
      }
      throw new ServiceError('conflict', 'Many hosts claim with this key at once; try again', { retryAfter: 2 });
    },

    find,

    async change(id, plan) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (attempt > 0) await backOff(attempt - 1);
        const item = await table.get(rows.claim(id), { consistent: true });
        if (item === null || isOld(item)) return null;
        const before = decodeClaim(item);
        const changes = plan(before);
        if (changes === null) return before;
        const after = { ...before, ...changes };
        const isChanged = await table.update(rows.claim(id), { set: encodeClaim(after) }, unchanged(['d'], item));
        if (isChanged) return after;
      }
      throw new ServiceError('conflict', `The claim ${id} keeps changing; try again`, { retryAfter: 1 });
    },

    async page(key, isWanted, after, limit) {
      const claims: StoredClaim[] = [];
      const unreadable: Unreadable[] = [];
      const prefix = PREFIXES.claim + (key === null ? '' : `${key}-`);
      const options = { consistent: true, ...(after === null ? {} : { startAfter: PREFIXES.claim + after }) };
      let read = 0;
      for await (const items of table.query(PARTITIONS.claims, prefix, options)) {
        for (const item of items) {
          const id = item.sk.slice(PREFIXES.claim.length);
          try {
            const claim = isOld(item) ? null : decodeClaim(item);
            if (claim !== null && isWanted(claim)) claims.push(claim);
          } catch (error) {
            unreadable.push({ id, problem: problemOf(error) });
          }
          read++;
          if (claims.length + unreadable.length >= limit || read >= MOST_READ) return { claims, unreadable, next: id };
        }
      }
      return { claims, unreadable, next: null };
    },
  };
}

function encodeClaim(claim: StoredClaim) {
  return { d: JSON.stringify(claim) };
}

/** @throws when the item is no row of a claim */
function decodeClaim(item: Item): StoredClaim {
  return StoredClaim.parse(JSON.parse(String(item.d)));
}

/** @throws when the item is no row of a key */
function decodeKey(item: Item, now: Date): StoredKey {
  const stored = KeptKey.parse(JSON.parse(String(item.d)));
  const used = Number(item.used);
  return { ...stored, used, state: stateOf({ ...stored, used }, item.revokedAt !== undefined, now) };
}

function stateOf(
  { expiresAt, uses, used }: Pick<ClaimKey, 'expiresAt' | 'uses' | 'used'>,
  isRevoked: boolean,
  now: Date,
): ClaimKey['state'] {
  if (isRevoked) return 'revoked';
  if (Date.parse(expiresAt) <= now.getTime()) return 'over';
  return used >= uses ? 'used up' : 'open';
}
