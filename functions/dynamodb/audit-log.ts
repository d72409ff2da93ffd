/** Who changed what, besides the commands, which stand in the job table. Rows are only ever added. */
import { v7 as uuidv7 } from 'uuid';
import type { SiteId } from '../../shared/identity.ts';
import type { Table } from './table.ts';

export interface AuditEntry {
  /** The site it concerns; null for what concerns all of them. */
  site: SiteId | null;
  /** Token id of who did it; `enrolment` for an agent that came with a code, `start` for the machine's own start. */
  actor: string;
  action:
    | 'devices.delete'
    | 'devices.import'
    | 'token.create'
    | 'token.revoke'
    | 'site.add'
    | 'enrolment.create'
    | 'agent.enrol';
  /** Numbers and names that say what it did; never a secret. */
  detail: Record<string, string | number | boolean | null>;
  requestId: string;
}

export interface AuditLog {
  record(entry: AuditEntry): Promise<void>;
}

const KEEP_DAYS = 90;

export function openAuditLog(table: Table, now: () => Date): AuditLog {
  return {
    async record(entry) {
      const at = now();
      await table.put({
        pk: `L#${entry.site ?? '*'}`,
        sk: uuidv7({ msecs: at.getTime() }),
        d: JSON.stringify({ ...entry, at: at.toISOString() }),
        ttl: Math.ceil(at.getTime() / 1000) + KEEP_DAYS * 86_400,
      });
    },
  };
}
