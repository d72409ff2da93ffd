/** Enrolment codes for agents. Only the digest of a code is stored; the transaction that enrols counts its uses. */
import { randomBytes } from 'node:crypto';
import type * as z from 'zod';
import { EnrolmentCode } from '../../../shared/api/enrolment-codes.ts';
import type { Unreadable } from '../../../shared/api/operation.ts';
import { PersonId } from '../../../shared/api/records.ts';
import { readEach } from '../../../shared/problem.ts';
import { HOUR_MS } from '../../../shared/time.ts';
import { digestBytesOf, digestMatches, digestOf } from '../../http/token.ts';
import { type Condition, EXISTS, IS_NEW } from '../../table/condition.ts';
import { PARTITIONS, rows } from '../../table/rows.ts';
import type { ConditionalWrite, Item, Table } from '../../table/table.ts';

const KeptCode = EnrolmentCode.omit({ used: true }).extend({
  /** The creator, if it was created in a session: the code outlives the session. */
  person: PersonId.nullable(),
});

export type StoredCode = EnrolmentCode & Pick<z.infer<typeof KeptCode>, 'person'> & { isRevoked: boolean };

/** Default: one use, within an hour, from anywhere, without a creator whose rights could end. */
type NewCode = Pick<StoredCode, 'site' | 'agent' | 'replace'> &
  Partial<Pick<StoredCode, 'uses' | 'networks' | 'expiresAt' | 'createdBy' | 'person'>>;

const idOf = (digest: string) => digest.slice(0, 16);

/** Counts a use, if one is left: part of the transaction that records the certificate of the host. */
export function useOf({ id, uses }: Pick<StoredCode, 'id' | 'uses'>): CodeUse {
  const condition = { all: [{ equals: { revokedAt: null } }, { less: { used: uses } }] };
  return { update: rows.enrolmentCode(id), by: { add: { used: 1 } }, condition };
}

export type CodeUse = Extract<ConditionalWrite, { update: unknown }> & { condition: Condition };

export const isUsedUp = ({ uses, used }: Pick<StoredCode, 'uses' | 'used'>): boolean => used >= uses;

export function openEnrolmentStore(table: Table, now: () => Date) {
  const isExpired = ({ expiresAt }: StoredCode) => Date.parse(expiresAt) <= now().getTime();
  return {
    async create(wanted: NewCode) {
      const code = `lre_${randomBytes(24).toString('base64url')}`;
      const digest = digestOf(code);
      const expiresAt = new Date(now().getTime() + HOUR_MS).toISOString();
      const usual = { uses: 1, networks: [], expiresAt, createdBy: null, person: null };
      const kept = { id: idOf(digest), ...usual, ...wanted, createdAt: now().toISOString() };
      // DynamoDB removes it a day after it expires.
      const ttl = Math.ceil(Date.parse(kept.expiresAt) / 1000) + 86_400;
      const item = { ...rows.enrolmentCode(kept.id), d: JSON.stringify(kept), digest, used: 0, ttl };
      await table.put(item, IS_NEW);
      return { code, stored: decode(item) };
    },

    /** Also a code that is expired, revoked or used up; null for an unknown one. */
    async find(code: string) {
      const item = await table.get(rows.enrolmentCode(idOf(digestOf(code))), { consistent: true });
      const digest = item === null ? null : Buffer.from(String(item.digest), 'hex');
      return digestMatches(digestBytesOf(code), digest) ? decode(item!) : null;
    },

    /** The codes with which a host can still enrol. */
    async open() {
      const codes: StoredCode[] = [];
      const unreadable: Unreadable[] = [];
      for await (const page of table.query(PARTITIONS.enrolmentCodes, null, { consistent: true })) {
        const read = readEach(page, ({ sk }) => sk, decode);
        codes.push(...read.readable.filter((code) => !code.isRevoked && !isUsedUp(code) && !isExpired(code)));
        unreadable.push(...read.unreadable);
      }
      return { codes, unreadable };
    },

    /** @returns whether it was not revoked before */
    revoke(id: string) {
      const isThere = { all: [EXISTS, { equals: { revokedAt: null } }] };
      return table.update(rows.enrolmentCode(id), { set: { revokedAt: now().getTime() } }, isThere);
    },
  };
}

/** @throws when the item is no row of a code */
function decode(item: Item): StoredCode {
  return {
    ...KeptCode.parse(JSON.parse(String(item.d))),
    used: Number(item.used),
    isRevoked: item.revokedAt !== undefined,
  };
}
