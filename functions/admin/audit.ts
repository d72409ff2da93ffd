/** `/audit`: commands and changes in one list, the newest first. */
import type { AuditEntry } from '../../shared/api/admin.ts';
import type { Job } from '../../shared/api/jobs.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { Context } from '../context.ts';

/**
 * One page of what was done on a site and, for those who may know, to all sites. The time-ordered part of the ids puts
 * commands and changes into one order, and is the cursor. What cannot be read has its place in that order, too.
 */
export async function auditPage(
  { audit, jobs }: Pick<Context, 'audit' | 'jobs'>,
  site: SiteId,
  { withGlobal, before, limit }: { withGlobal: boolean; before: string | undefined; limit: number },
): Promise<{ entries: AuditEntry[]; unreadable: Unreadable[]; next: string | null }> {
  const behind = before === undefined ? undefined : `${site}.${before}`;
  const [ofSite, ofAll, commands] = await Promise.all([
    audit.list(site, before, limit),
    withGlobal ? audit.list(null, before, limit) : { entries: [], unreadable: [] },
    jobs.list(site, {}, behind, limit),
  ]);
  const entries = [...ofSite.entries, ...ofAll.entries, ...commands.jobs.map(commandEntry)];
  const unreadable = [...ofSite.unreadable, ...ofAll.unreadable, ...commands.unreadable];
  const newest = [...entries, ...unreadable].sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1)).slice(0, limit);
  const last = newest.at(-1);
  return {
    entries: newest.filter((entry) => 'outcome' in entry),
    unreadable: newest.filter((entry) => 'problem' in entry),
    next: newest.length < limit || last === undefined ? null : timeOf(last),
  };
}

function commandEntry({ id, createdAt, site, actor, tool, request, state, reason }: Job): AuditEntry {
  const outcome = reason === null || reason === state ? state : `${state}: ${reason}`;
  return { id, at: createdAt, site, actor, action: `tool.${tool}`, detail: request, outcome };
}

/** The UUIDv7 in an id; that of a command stands behind its site. */
function timeOf({ id }: { id: string }): string {
  return id.slice(id.indexOf('.') + 1);
}
