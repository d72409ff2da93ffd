/** The plan that an agent was last sent: an attribute of its row, so that a plan is sent only when it has changed. */
import * as z from 'zod';
import type { AgentId, SiteId } from '../../../shared/identity.ts';
import { Millis } from '../../../shared/time.ts';
import { EXISTS } from '../../table/condition.ts';
import { PREFIXES, rows, sitePartition } from '../../table/rows.ts';
import type { Item, Table } from '../../table/table.ts';

const Sent = z.object({ revision: Millis, digest: z.string() });
type Sent = z.infer<typeof Sent>;

export function openPlanStore(table: Table) {
  return {
    /** @returns `sent`, null without a plan; `write`, which resolves to false after a concurrent write. Null without the agent */
    async read(agent: AgentId, options: { consistent?: boolean } = {}) {
      const key = rows.agent(agent);
      const item = await table.get(key, options);
      if (item === null) return null;
      const plan = planIn(item);
      return {
        sent: plan === null ? null : Sent.parse(JSON.parse(plan)),
        write: (sent: Sent) =>
          table.update(key, { set: { plan: JSON.stringify(sent) } }, { all: [EXISTS, { equals: { plan } }] }),
      };
    },

    /** Whether any agent of a site was ever sent a plan. */
    async hasAny(site: SiteId) {
      for await (const page of table.query(sitePartition(site), PREFIXES.agent)) {
        if (page.some((item) => planIn(item) !== null)) return true;
      }
      return false;
    },
  };
}

const planIn = ({ plan }: Item) => (typeof plan === 'string' ? plan : null);
