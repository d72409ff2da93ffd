/** Enrolment codes for agents. Of a code only the digest is kept; its uses are counted by the transaction that enrols. */
import { randomBytes } from 'node:crypto';
import type * as z from 'zod';
import { EnrolmentCode } from '../../../shared/api/enrolment-codes.ts';
import type { Unreadable } from '../../../shared/api/operation.ts';
import { PersonId } from '../../../shared/api/records.ts';
import { problemOf } from '../../../shared/problem.ts';
import { digestBytesOf, digestMatches, digestOf } from '../../http/token.ts';
import { type Condition, EXISTS, IS_NEW } from '../../table/condition.ts';
import { PARTITIONS, rows } from '../../table/rows.ts';
import type { ConditionalWrite, Item, Table } from '../../table/table.ts';

const KeptCode = EnrolmentCode.omit({ used: true }).extend({
  /** In whose session it was made: their sessions come and go. */
  person: PersonId.nullable(),
});

export type StoredCode = EnrolmentCode & Pick<z.infer<typeof KeptCode>, 'person'> & { isRevoked: boolean };

/** What a code is to permit. By default one use, within an hour, from anywhere, made by nobody whose rights could end. */
type NewCode = Pick<StoredCode, 'site' | 'agent' | 'replace'> &
  Partial<Pick<StoredCode, 'uses' | 'networks' | 'expiresAt' | 'createdBy' | 'person'>>;

interface EnrolmentStore {
  create(wanted: NewCode): Promise<{ code: string; stored: StoredCode }>;
  /** What a code permits, also one that is over; null for one that is unknown. */
  find(code: string): Promise<StoredCode | null>;
  /** The codes with which a host can still enrol. */
  open(): Promise<{ codes: StoredCode[]; unreadable: Unreadable[] }>;
  /** @returns whether it was not revoked before */
  revoke(id: string): Promise<boolean>;
}

const VALID_MS = 60 * 60_000;

const idOf = (digest: string) => digest.slice(0, 16);

/** Counts a use, if there is one left: part of the transaction that records the certificate of the host. */
export function useOf({ id, uses }: Pick<StoredCode, 'id' | 'uses'>): CodeUse {
  const condition = { all: [{ equals: { revokedAt: null } }, { less: { used: uses } }] };
  return { update: rows.enrolmentCode(id), by: { add: { used: 1 } }, condition };
}

export type CodeUse = Extract<ConditionalWrite, { update: unknown }> & { condition: Condition };

export function isUsedUp({ uses, used }: Pick<StoredCode, 'uses' | 'used'>): boolean {
  return used >= uses;
}

export function openEnrolmentStore(table: Table, now: () => Date): EnrolmentStore {
  return {
    async create(wanted) {
      const code = `lre_${randomBytes(24).toString('base64url')}`;
      const digest = digestOf(code);
      const expiresAt = new Date(now().getTime() + VALID_MS).toISOString();
      const usual = { uses: 1, networks: [], expiresAt, createdBy: null, person: null };
      const kept = { id: idOf(digest), ...usual, ...wanted, createdAt: now().toISOString() };
      // Kept a day longer than it is valid, then removed by DynamoDB.
      const ttl = Math.ceil(Date.parse(kept.expiresAt) / 1000) + 86_400;
      const item = { ...rows.enrolmentCode(kept.id), d: JSON.stringify(kept), digest, used: 0, ttl };
      await table.put(item, IS_NEW);
      return { code, stored: decode(item) };
    },

    async find(code) {
      const item = await table.get(rows.enrolmentCode(idOf(digestOf(code))), { consistent: true });
      const digest = item === null ? null : Buffer.from(String(item.digest), 'hex');
      return digestMatches(digestBytesOf(code), digest) ? decode(item!) : null;
    },

    async open() {
      const codes: StoredCode[] = [];
      const unreadable: Unreadable[] = [];
      for await (const page of table.query(PARTITIONS.enrolmentCodes, null, { consistent: true })) {
        for (const item of page) {
          try {
            const code = decode(item);
            const isOver = Date.parse(code.expiresAt) <= now().getTime();
            if (!isOver && !code.isRevoked && !isUsedUp(code)) codes.push(code);
          } catch (error) {
            unreadable.push({ id: item.sk, problem: problemOf(error) });
          }
        }
      }
      return { codes, unreadable };
    },

    revoke(id) {
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
