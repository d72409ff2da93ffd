/** One-time enrolment codes for agents. Only their digests are stored. */

import { createHash, randomBytes } from 'node:crypto';
import { AgentId } from '../../shared/identity.ts';
import { type Condition, EXISTS } from '../condition.ts';
import { rows } from '../rows.ts';
import type { Table } from '../table.ts';

/** What a code permits. */
export interface EnrolmentCode {
  agent: AgentId;
  /** Whether an agent of that name that is enrolled already is replaced. */
  replaces: boolean;
  madeAt: Date;
}

export interface EnrolmentStore {
  /** Creates a code for one agent, valid for one hour and one use. */
  create(wanted: Pick<EnrolmentCode, 'agent' | 'replaces'>): Promise<{ code: string; expiresAt: Date }>;
  /** Consumes a code. @returns what it permits; null when it is unknown, used or expired */
  claim(code: string): Promise<EnrolmentCode | null>;
  /** Makes a consumed code valid again, because the enrolment failed through no fault of its user. */
  release(code: string): Promise<void>;
}

const VALID_MS = 60 * 60_000;

const codeKey = (code: string) => rows.enrolmentCode(createHash('sha256').update(code).digest('hex'));

export function openEnrolmentStore(table: Table, now: () => Date): EnrolmentStore {
  return {
    async create({ agent, replaces }) {
      const code = `lre_${randomBytes(24).toString('base64url')}`;
      const expiresAt = new Date(now().getTime() + VALID_MS);
      // Kept a day longer than it is valid, then removed by DynamoDB.
      const ttl = Math.ceil((expiresAt.getTime() + 86_400_000) / 1000);
      await table.put({ ...codeKey(code), agent, replaces: Number(replaces), expiresAt: expiresAt.getTime(), ttl });
      return { code, expiresAt };
    },

    async claim(code) {
      const item = await table.get(codeKey(code), { consistent: true });
      const usedAt = now().getTime();
      if (item === null || Number(item.expiresAt) <= usedAt) return null;
      const isUnused: Condition = { all: [EXISTS, { equals: { usedAt: null } }] };
      const claimed = await table.update(codeKey(code), { set: { usedAt } }, isUnused);
      if (!claimed) return null;
      const madeAt = new Date(Number(item.expiresAt) - VALID_MS);
      return { agent: AgentId.parse(item.agent), replaces: item.replaces === 1, madeAt };
    },

    async release(code) {
      await table.update(codeKey(code), { remove: ['usedAt'] }, EXISTS);
    },
  };
}
