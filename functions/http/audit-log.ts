/** The audit of changes; commands are recorded in the job table. Rows are only ever added. */
import { v7 as uuidv7 } from 'uuid';
import type { AuditAction, Unreadable } from '../../shared/api/operation.ts';
import { AuditEntry } from '../../shared/api/records.ts';
import type { SiteId } from '../../shared/identity.ts';
import { canonicalAddress } from '../../shared/network.ts';
import { problemOf } from '../../shared/problem.ts';
import { auditPartition, rows } from '../table/rows.ts';
import type { Item, Table } from '../table/table.ts';

export interface AuditEvent {
  /** The site that it concerns; null for all sites. */
  site: SiteId | null;
  /**
   * Token id of who did it; `enrolment` for an agent that used a code, the agent's id if it proved itself by its key,
   * `deployment` for the first token and the site `home`, which `functions/groups/lambda/setup.ts` creates.
   */
  actor: string;
  action: AuditAction;
  /** Numbers and names that say what it did; never a secret. */
  detail: AuditEntry['detail'];
  requestId: string;
  /** Where the request came from; null when none came over the network. */
  sourceAddress: string | null;
}

interface AuditLog {
  record(auditEvent: AuditEvent): Promise<void>;
  /**
   * The entries of one site, or those about all sites: newest first, older than `before`, at most `limit` including
   * those that cannot be read.
   */
  list(
    site: SiteId | null,
    before: string | undefined,
    limit: number,
  ): Promise<{ entries: AuditEntry[]; unreadable: Unreadable[] }>;
}

const KEEP_DAYS = 90;
/** Prefix of every time-ordered id (UUIDv7, RFC 9562) until the year 2527, because DynamoDB refuses an empty prefix. */
const TIME_PREFIX = '0';

/** The id of an entry: a UUIDv7. */
export const AUDIT_ID = /^[0-9a-f-]{36}$/;

/** The row of one entry, for a transaction with the change that it records. */
export function auditRow(auditEvent: AuditEvent, at: Date): Item {
  return {
    ...rows.auditEntry(auditEvent.site, uuidv7({ msecs: at.getTime() })),
    d: JSON.stringify({
      ...auditEvent,
      sourceAddress: canonicalAddress(auditEvent.sourceAddress),
      at: at.toISOString(),
    }),
    ttl: Math.ceil(at.getTime() / 1000) + KEEP_DAYS * 86_400,
  };
}

export function openAuditLog(table: Table, now: () => Date): AuditLog {
  return {
    async record(auditEvent) {
      await table.put(auditRow(auditEvent, now()));
    },

    async list(site, before, limit) {
      const options = { descending: true, limit, ...(before === undefined ? {} : { startAfter: before }) };
      const entries: AuditEntry[] = [];
      const unreadable: Unreadable[] = [];
      for await (const page of table.query(auditPartition(site), TIME_PREFIX, options)) {
        for (const { sk, d, ttl } of page) {
          if (Number(ttl) * 1000 < now().getTime() || !AUDIT_ID.test(sk)) continue;
          try {
            entries.push(AuditEntry.parse({ sourceAddress: null, ...JSON.parse(String(d)), id: sk, outcome: 'done' }));
          } catch (error) {
            unreadable.push({ id: sk, problem: problemOf(error) });
          }
          if (entries.length + unreadable.length === limit) return { entries, unreadable };
        }
      }
      return { entries, unreadable };
    },
  };
}
