/** The audit log of changes, which is append-only; commands are recorded as jobs. */
import { v7 as uuidv7 } from 'uuid';
import type { AuditAction, Unreadable } from '../../shared/api/operation.ts';
import { AuditEntry, type Person } from '../../shared/api/records.ts';
import type { SiteId } from '../../shared/identity.ts';
import { canonicalAddress } from '../../shared/network.ts';
import { readEach } from '../../shared/problem.ts';
import { startOf } from '../../shared/text.ts';
import { auditPartition, rows } from '../table/rows.ts';
import type { Item, Table } from '../table/table.ts';

export interface AuditEvent {
  /** Null for all sites. */
  site: SiteId | null;
  /**
   * The token id of the caller; `enrolment` for an agent that used a code, the agent's id if it proved itself by its key,
   * `deployment` for the first token and the site `home`, `service` for the upkeep.
   */
  actor: string;
  /** Whose token that is. Kept with the entry, which outlives the token. */
  person?: Pick<Person, 'id' | 'name'> | null;
  action: AuditAction;
  /** Numbers and names; never a secret. */
  detail: AuditEntry['detail'];
  changes?: AuditEntry['changes'];
  requestId: string;
  /** Null when the request did not come over a network. */
  sourceAddress: string | null;
}

const KEEP_DAYS = 90;
/** The prefix of every UUIDv7 (RFC 9562) until the year 2527, because DynamoDB rejects an empty prefix. */
const TIME_PREFIX = '0';

/** The id of an entry: a UUIDv7. */
export const AUDIT_ID = /^[0-9a-f-]{36}$/;

/** So long at most are values before and after a change. */
const MAX_VALUE = 80;

/** The values that differ, by their names. */
export function changesBetween(before: object, after: object): NonNullable<AuditEntry['changes']> {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const shown = (value: unknown) =>
    typeof value === 'string' ? startOf(value, MAX_VALUE) : ((value ?? null) as AuditEntry['detail'][string]);
  const names = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
  return Object.fromEntries(names.map((name) => [name, { from: shown(old.get(name)), to: shown(now.get(name)) }]));
}

/** The row of an entry, for a transaction with the change that it records. */
export function auditRow(auditEvent: AuditEvent, at: Date): Item {
  return {
    ...rows.auditEntry(auditEvent.site, uuidv7({ msecs: at.getTime() })),
    d: JSON.stringify({
      ...auditEvent,
      person: ownerIn(auditEvent.person),
      sourceAddress: canonicalAddress(auditEvent.sourceAddress),
      at: at.toISOString(),
    }),
    ttl: Math.ceil(at.getTime() / 1000) + KEEP_DAYS * 86_400,
  };
}

/** Of a person, what the audit shows. */
export const ownerIn = (person: AuditEvent['person']): AuditEntry['person'] =>
  person ? { id: person.id, name: person.name } : null;

export function openAuditLog(table: Table, now: () => Date) {
  const isExpired = ({ ttl }: Item) => Number(ttl) * 1000 < now().getTime();
  return {
    async record(auditEvent: AuditEvent): Promise<void> {
      await table.put(auditRow(auditEvent, now()));
    },

    /** The entries of one site, or about all sites: newest first, older than `before`, at most `limit` with unreadable ones. */
    async list(site: SiteId | null, before: string | undefined, limit: number) {
      const options = { descending: true, limit, ...(before === undefined ? {} : { startAfter: before }) };
      const entries: AuditEntry[] = [];
      const unreadable: Unreadable[] = [];
      for await (const page of table.query(auditPartition(site), TIME_PREFIX, options)) {
        const current = page.filter((item) => !isExpired(item) && AUDIT_ID.test(item.sk));
        const missing = limit - entries.length - unreadable.length;
        const read = readEach(current.slice(0, missing), ({ sk }) => sk, decode);
        entries.push(...read.readable);
        unreadable.push(...read.unreadable);
        if (current.length >= missing) break;
      }
      return { entries, unreadable };
    },
  };
}

function decode({ sk, d }: Item): AuditEntry {
  return AuditEntry.parse({ sourceAddress: null, person: null, ...JSON.parse(String(d)), id: sk, outcome: 'done' });
}
