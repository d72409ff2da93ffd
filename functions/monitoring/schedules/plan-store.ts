/** The plan that each agent of a site was last sent: one row, so that a plan is sent only when it has changed. */
import * as z from 'zod';
import { AgentName, type SiteId } from '../../../shared/identity.ts';
import { Millis } from '../../../shared/time.ts';
import { IS_NEW } from '../../table/condition.ts';
import { rows } from '../../table/rows.ts';
import type { Table } from '../../table/table.ts';

const Sent = z.record(AgentName, z.object({ revision: Millis, digest: z.string() }));
type Sent = z.infer<typeof Sent>;

interface PlanStore {
  /** By the agents' names; empty without a plan. @returns `write`, which resolves to false after a concurrent write */
  read(site: SiteId, options?: { consistent?: boolean }): Promise<{ sent: Sent; write(sent: Sent): Promise<boolean> }>;
}

export function openPlanStore(table: Table): PlanStore {
  return {
    async read(site, options = {}) {
      const key = rows.plan(site);
      const item = await table.get(key, options);
      const d = item === null ? null : String(item.d);
      return {
        sent: d === null ? {} : Sent.parse(JSON.parse(d)),
        write: (sent) => table.put({ ...key, d: JSON.stringify(sent) }, d === null ? IS_NEW : { equals: { d } }),
      };
    },
  };
}
