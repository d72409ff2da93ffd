/**
 * Since when nobody watches a site: no agent of it is connected, although discovery is on. It is kept in the row of the
 * site and in that of its collection, which are read anyway for a list of sites and for every request about devices.
 *
 * It follows from the site's settings and from the rows of its agents. Whoever has changed one of these calls
 * `updateStaleness` afterwards, which reads everything again after it has written something. So among any number of
 * callers at the same time, the last one to write also finds that what is written is true, or puts it right.
 */
import type { SiteId } from '../../shared/identity.ts';
import { connectionOf, isReadable } from './agent-row.ts';
import { PREFIXES, rows, sitePartition } from './rows.ts';
import { decodeSite, isBeingRemoved } from './site-row.ts';
import type { Item, Table } from './table.ts';

/** Writes that are checked and found to be overtaken by others. Each of those others checks its own writes too. */
const ATTEMPTS = 8;

/** Costs no write when nothing has changed. Does nothing for a site that does not exist or is being removed. */
export async function updateStaleness(table: Table, site: SiteId): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [siteRow, collection] = await Promise.all([
      table.get(rows.site(site), { consistent: true }),
      table.get(rows.collection(site), { consistent: true }),
    ]);
    if (siteRow === null || collection === null || isBeingRemoved(siteRow)) return;
    const { discovery, revision } = decodeSite(siteRow);
    const unwatchedSince = discovery.enabled ? await lastSeenAgent(table, site, revision) : null;
    // Rows that disagree were left so by a writer that died: one of them is about a time that is over.
    const known = siteRow.staleSince === collection.staleSince ? siteRow.staleSince : undefined;
    const wanted = unwatchedSince === null ? null : typeof known === 'number' ? known : unwatchedSince;
    const outdated = [siteRow, collection].filter(({ staleSince }) => (staleSince ?? null) !== wanted);
    if (outdated.length === 0) return;
    await Promise.all(outdated.map((row) => write(table, row, wanted)));
  }
}

/**
 * When the last agent has gone, or discovery was switched on without one. An agent whose row cannot be read does not
 * count: nobody can use it. @returns null while an agent is connected
 * @param switchedOnAt Unix, ms
 */
async function lastSeenAgent(table: Table, site: SiteId, switchedOnAt: number): Promise<number | null> {
  let latest = switchedOnAt;
  const agents = await table.list(sitePartition(site), PREFIXES.agent);
  for (const item of agents.filter(isReadable)) {
    const { isConnected, since } = connectionOf(item);
    if (isConnected) return null;
    latest = Math.max(latest, since ?? 0);
  }
  return latest;
}

/** Changes the row, unless another process has changed it since it was read. */
async function write(table: Table, { pk, sk, staleSince: before }: Item, wanted: number | null): Promise<void> {
  const isUnchanged =
    before === undefined
      ? { condition: 'attribute_exists(pk) AND attribute_not_exists(#staleSince)' }
      : { condition: '#staleSince = :before', values: { before } };
  const change = wanted === null ? { remove: ['staleSince'] } : { set: { staleSince: wanted } };
  await table.update({ pk, sk }, { ...change, ...isUnchanged });
}
