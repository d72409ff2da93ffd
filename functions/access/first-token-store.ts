/** Records the first token of a deployment in a single row, so there is never a second one. */
import * as z from 'zod';
import { type AuditEvent, auditRow } from '../http/audit-log.ts';
import { IS_NEW } from '../table/condition.ts';
import { rows } from '../table/rows.ts';
import type { Table } from '../table/table.ts';
import { type StoredToken, tokenRows } from './token-row.ts';

/** The row survives the token's revocation, so that a replacement must be requested explicitly. */
const FirstToken = z.object({ id: z.string(), createdAt: z.iso.datetime() });
export type FirstToken = z.infer<typeof FirstToken>;

const key = rows.firstToken();

export function openFirstTokenStore(table: Table, now: () => Date) {
  return {
    /** Null until one has been created. */
    async read() {
      const item = await table.get(key, { consistent: true });
      return item === null ? null : FirstToken.parse(item);
    },

    /**
     * In one transaction, creates a token as the first one, revokes the previous one, and records both in the audit.
     * @param former the result of `read`
     * @returns false, without any change, when another token has become the first one since
     */
    async replace(former: FirstToken | null, id: string, token: StoredToken, auditEvents: readonly AuditEvent[]) {
      const [row, entry] = tokenRows.put(id, token);
      return table.transact([
        {
          put: { ...key, id, createdAt: token.createdAt },
          condition: former === null ? IS_NEW : { equals: { id: former.id } },
        },
        { ...row, condition: IS_NEW },
        entry,
        ...(former === null ? [] : tokenRows.remove(former.id)),
        ...auditEvents.map((auditEvent) => ({ put: auditRow(auditEvent, now()) })),
      ]);
    },
  };
}
