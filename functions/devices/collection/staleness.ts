/**
 * How a site is watched: since when no agent of it is connected although discovery is on; and which of its networks are
 * watched, and since when others no longer are. Stored in the row of the site and in that of its collection, which are read
 * anyway for a list of sites and for every request about devices.
 *
 * It follows from the site's settings and the rows of its agents. Code that changes one of these calls `updateStaleness`
 * afterwards, which reads everything again after each write. So of any number of concurrent callers, the last one to write
 * also verifies that its result is true, or corrects it.
 */
import type { SiteId } from '../../../shared/identity.ts';
import { connectionOf, isReadable, watchedBy } from '../../sites/agents/agent-row.ts';
import { decodeSite, isGone } from '../../sites/site-row.ts';
import { EXISTS, unchanged } from '../../table/condition.ts';
import { ATTRIBUTES, PREFIXES, rows, sitePartition } from '../../table/rows.ts';
import { type Item, listItems, setOrRemove, type Table } from '../../table/table.ts';
import { coverageAfter, coverageOf, encodeCoverage } from './coverage-row.ts';

/** Attempts while other callers write. Each of those verifies its own writes, too. */
const ATTEMPTS = 8;

interface Wanted {
  staleSince: number | null;
  coverage: string | null;
}

/** Writes nothing when nothing has changed, or when the site does not exist or is deleted. */
export async function updateStaleness(table: Table, site: SiteId, now: Date): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [siteRow, collection] = await Promise.all([
      table.get(rows.site(site), { consistent: true }),
      table.get(rows.collection(site), { consistent: true }),
    ]);
    if (siteRow === null || collection === null || isGone(siteRow)) return;
    const { discovery, revision } = decodeSite(siteRow);
    // An agent with an unreadable row does not count: it cannot be used.
    const agents = discovery.enabled
      ? (await listItems(table, sitePartition(site), PREFIXES.agent)).filter((item) => isReadable(item))
      : [];
    const unwatchedSince = discovery.enabled ? lastSeen(agents, revision) : null;
    // Rows that disagree were left so by a writer that died: one of them is about a past absence.
    const known = siteRow.staleSince === collection.staleSince ? siteRow.staleSince : undefined;
    const staleSince = unwatchedSince === null ? null : typeof known === 'number' ? known : unwatchedSince;
    const before = [coverageOf(siteRow), coverageOf(collection)];
    const after = coverageAfter(before, agents.flatMap(watchedBy), staleSince ?? now.getTime());
    const wanted = { staleSince, coverage: encodeCoverage(after) };
    const outdated = [siteRow, collection].filter((row) =>
      ATTRIBUTES.staleness.some((name) => (row[name] ?? null) !== wanted[name]),
    );
    if (outdated.length === 0) return;
    await Promise.all(outdated.map((row) => write(table, row, wanted)));
  }
}

/** Since when no agent is connected, or discovery is on without one; null while one is connected. @param switchedOnAt Unix, ms */
function lastSeen(agents: readonly Item[], switchedOnAt: number): number | null {
  let latest = switchedOnAt;
  for (const item of agents) {
    const { isConnected, since } = connectionOf(item);
    if (isConnected) return null;
    latest = Math.max(latest, since ?? 0);
  }
  return latest;
}

/** Updates the row, unless another process has changed it since it was read. */
async function write(table: Table, row: Item, wanted: Wanted): Promise<void> {
  const asRead = { all: [EXISTS, unchanged(ATTRIBUTES.staleness, row)] };
  await table.update({ pk: row.pk, sk: row.sk }, setOrRemove({ ...wanted }), asRead);
}
