/** `/audit`: commands and changes in one list, newest first. */
import type { audit as operations } from '../../shared/api/audit.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import type { AuditEntry } from '../../shared/api/records.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { ListedJob } from '../commands/job-store.ts';
import { AUDIT_ID } from '../http/audit-log.ts';
import type { Handlers } from '../http/call.ts';
import type { RequestContext } from '../http/context.ts';
import { validationError } from '../http/errors.ts';
import { EXPORT_PAGE, type Exported, exportOf } from '../http/export.ts';
import { requireKnown } from '../sites/sites.ts';
import type { Stores } from '../stores.ts';

export const auditHandlers: Handlers<typeof operations, RequestContext<'jobs'>> = {
  async listAudit(context, { site, reach }, { limit, cursor }) {
    const { createdAt } = await requireKnown(context, reach, site);
    if (cursor !== undefined && !AUDIT_ID.test(cursor)) {
      throw validationError([{ path: 'query.cursor', message: 'expected the nextCursor of an earlier page' }]);
    }
    const options = { withGlobal: reach.isAll, before: cursor, limit };
    const { next, entries, unreadable } = await auditPage(context, site, options);
    return { success: true, entries: ofPresentSite(entries, createdAt), unreadable, nextCursor: next };
  },

  async exportAudit(context, { site, reach }, query) {
    const { createdAt } = await requireKnown(context, reach, site);
    const exported: Exported<AuditEntry> = {
      name: 'audit',
      async read(before) {
        const page = await auditPage(context, site, { withGlobal: reach.isAll, before, limit: EXPORT_PAGE });
        return { ...page, entries: ofPresentSite(page.entries, createdAt) };
      },
      timeOf: ({ at }) => at,
      columns: AUDIT_COLUMNS,
      cellsOf: ({ site, person, sourceAddress, detail, ...texts }) => ({
        ...texts,
        person: person?.name ?? '',
        site: site ?? '',
        sourceAddress: sourceAddress ?? '',
        detail: JSON.stringify(detail),
      }),
    };
    return exportOf(exported, query);
  },
};

/** Other actors are not tokens. */
const TOKEN_ID = /^[0-9a-f]{16}$/;

const AUDIT_COLUMNS = ['id', 'at', 'site', 'actor', 'sourceAddress', 'action', 'detail', 'outcome', 'person'];

/** Entries older than the site are about a removed site of the same id. */
function ofPresentSite(entries: AuditEntry[], createdAt: string): AuditEntry[] {
  return entries.filter((entry) => entry.site === null || entry.at >= createdAt);
}

/**
 * One page of the audit of a site and, for a token that may see them, of changes of all sites. Entries, unreadable ones
 * too, are sorted by their UUIDv7, which is also the cursor.
 */
async function auditPage(
  { audit, jobs, tokens }: Pick<Stores, 'audit' | 'jobs' | 'tokens'>,
  site: SiteId,
  { withGlobal, before, limit }: { withGlobal: boolean; before: string | undefined; limit: number },
): Promise<{ entries: AuditEntry[]; unreadable: Unreadable[]; next: string | null }> {
  const startAfter = before === undefined ? undefined : `${site}.${before}`;
  const [ofSite, ofAll, commands] = await Promise.all([
    audit.list(site, before, limit),
    withGlobal ? audit.list(null, before, limit) : { entries: [], unreadable: [] },
    jobs.list(site, {}, startAfter, limit),
  ]);
  const entries = [...ofSite.entries, ...ofAll.entries, ...commands.jobs.map(commandEntry)];
  const unreadable = [...ofSite.unreadable, ...ofAll.unreadable, ...commands.unreadable];
  const newest = [...entries, ...unreadable].sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1)).slice(0, limit);
  const last = newest.at(-1);
  const shown = newest.filter((entry) => 'outcome' in entry);
  const owners = await tokens.owners(shown.map(({ actor }) => actor).filter((actor) => TOKEN_ID.test(actor)));
  return {
    entries: shown.map((entry) => ({ ...entry, person: owners.get(entry.actor) ?? null })),
    unreadable: newest.filter((entry) => 'problem' in entry),
    next: newest.length < limit || last === undefined ? null : timeOf(last),
  };
}

function commandEntry({ job, sourceAddress }: ListedJob): AuditEntry {
  const { id, createdAt, site, actor, tool, request, state, reason } = job;
  const outcome = reason === null || reason === state ? state : `${state}: ${reason}`;
  const detail = request as AuditEntry['detail']; // JSON knows no undefined.
  return { id, at: createdAt, site, actor, sourceAddress, action: `tool.${tool}`, detail, outcome };
}

/** The UUIDv7 in an id. The id of a job has its site in front. */
function timeOf({ id }: { id: string }): string {
  return id.slice(id.indexOf('.') + 1);
}
