/** `/audit`: commands and changes in one list, newest first. */
import type { AuditFilter, audit as operations } from '../../shared/api/audit.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import type { AuditEntry } from '../../shared/api/records.ts';
import type { SiteId } from '../../shared/identity.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { ListedJob } from '../commands/job-store.ts';
import { AUDIT_ID } from '../http/audit-log.ts';
import type { Handlers, SiteCall } from '../http/call.ts';
import type { RequestContext } from '../http/context.ts';
import { checkCursor } from '../http/errors.ts';
import { EXPORT_PAGE, type Exported, exportOf, firstIdAt, timeOfId } from '../http/export.ts';
import { requireKnown } from '../sites/sites.ts';

type AuditContext = RequestContext<'jobs'>;
type Row = AuditEntry | Unreadable;

export const auditHandlers: Handlers<typeof operations, AuditContext> = {
  async listAudit(context, call, { limit, cursor, since, until, ...filter }) {
    checkCursor(cursor === undefined || AUDIT_ID.test(cursor));
    const { read, reads } = await openAudit(context, call, filter, limit);
    const from = since?.getTime() ?? 0;
    const rows: Row[] = [];
    let next = [cursor, until && firstIdAt(until)].filter((id) => id !== undefined).sort()[0] ?? null;
    for (let i = 0; i < reads; i++) {
      const page = await read(next ?? undefined);
      rows.push(...page.rows.filter((row) => !('at' in row) || Date.parse(row.at) >= from));
      // The time of a job is set a moment after its id.
      next = page.next !== null && timeOfId(page.next) >= from - MINUTE_MS ? page.next : null;
      if (next === null || rows.length >= limit) break;
    }
    const last = rows[limit - 1];
    if (last !== undefined) next = uuidOf(last);
    return { success: true, ...sorted(rows.slice(0, limit)), nextCursor: next };
  },

  async exportAudit(context, call, query) {
    const { read } = await openAudit(context, call, query, EXPORT_PAGE);
    const exported: Exported<AuditEntry> = {
      name: 'audit',
      async read(before) {
        const { rows, next } = await read(before);
        return { ...sorted(rows), next };
      },
      timeOf: ({ at }) => at,
      columns: AUDIT_COLUMNS,
      cellsOf: ({ site, person, sourceAddress, detail, changes, ...texts }) => ({
        ...texts,
        person: person?.name ?? '',
        site: site ?? '',
        sourceAddress: sourceAddress ?? '',
        detail: JSON.stringify(detail),
        changes: changes === undefined ? '' : JSON.stringify(changes),
      }),
    };
    return exportOf(exported, query);
  },
};

const AUDIT_COLUMNS = 'id at site actor sourceAddress action detail outcome person changes'.split(' ');

/** Rows read of one log at a time. */
const [FEWEST_ROWS, MOST_ROWS] = [20, 500];
/** Logs read at the same time. */
const AT_ONCE = 16;
/** Rows read for one page, so that it ends when a filter matches nothing. */
const MAX_ROWS = 20_000;

/**
 * Reads the audit of a site, or of all sites in reach, and changes of all sites for a caller who may see them. Each read
 * gives the entries that fit the filter from an id on down to another, from which the next one goes on.
 */
async function openAudit(context: AuditContext, { site, reach }: SiteCall, filter: AuditFilter, limit: number) {
  const known = await requireKnown(context, reach, site);
  const sites = filter.allSites ? (await context.sites.list()).filter(reach.has) : [known];
  const createdAt = new Map<SiteId | null, string>(sites.map((one) => [one.id, one.createdAt]));
  const isNarrow = [filter.by, filter.about, filter.action].some((one) => one !== undefined);
  const wanted = isNarrow ? MOST_ROWS : limit;
  const size = Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, Math.ceil(wanted / sites.length)));
  const { audit, jobs } = context;
  const logs = sites.flatMap(({ id }) => [
    (before: string | undefined) => audit.list(id, before, size),
    async (before: string | undefined) => {
      const read = await jobs.list(id, {}, before === undefined ? undefined : `${id}.${before}`, size);
      return { entries: read.jobs.map(commandEntry), unreadable: read.unreadable };
    },
  ]);
  if (reach.isAll) logs.push((before) => audit.list(null, before, size));

  async function read(before: string | undefined): Promise<{ rows: Row[]; next: string | null }> {
    const rows: Row[] = [];
    // What a log that has more rows holds below its last one is unknown.
    let floor: string | null = null;
    for (let i = 0; i < logs.length; i += AT_ONCE) {
      for (const { entries, unreadable } of await Promise.all(logs.slice(i, i + AT_ONCE).map((log) => log(before)))) {
        const page = [...entries, ...unreadable].sort(byNewest);
        const last = page.at(-1);
        if (page.length >= size && last !== undefined && (floor === null || uuidOf(last) > floor)) floor = uuidOf(last);
        rows.push(...page);
      }
    }
    const certain = rows.filter((row) => floor === null || uuidOf(row) >= floor).sort(byNewest);
    // Entries older than their site are about a removed site of the same id.
    const present = certain.filter((row) => !('at' in row) || row.at >= (createdAt.get(row.site) ?? ''));
    return { rows: present.filter((row) => !('at' in row) || fits(row, filter)), next: floor };
  }

  return { read, reads: Math.ceil(MAX_ROWS / (logs.length * size)) };
}

function fits(
  { actor, person, action, detail, changes = {} }: AuditEntry,
  { by, about, action: actions }: AuditFilter,
) {
  if (by !== undefined && actor !== by && person?.id !== by) return false;
  if (actions !== undefined && !actions.split(',').some((one) => action === one || action.startsWith(`${one}.`)))
    return false;
  if (about === undefined) return true;
  const values = [...Object.values(detail), ...Object.values(changes).flatMap(({ from, to }) => [from, to])];
  const texts = new Set(values.flatMap((value) => String(value).toLowerCase().split(', ')));
  const wanted = about.toLowerCase().split(',');
  return wanted.some((one) => texts.has(one));
}

function sorted(rows: readonly Row[]) {
  return {
    entries: rows.filter((row) => 'outcome' in row),
    unreadable: rows.filter((row) => 'problem' in row),
  };
}

function commandEntry({ job, person, sourceAddress }: ListedJob): AuditEntry {
  const { id, createdAt, site, actor, tool, request, state, reason } = job;
  const outcome = reason === null || reason === state ? state : `${state}: ${reason}`;
  const detail = request as AuditEntry['detail']; // JSON knows no undefined.
  return { id, at: createdAt, site, actor, person, sourceAddress, action: `tool.${tool}`, detail, outcome };
}

/** By their UUIDv7, which is also the cursor. */
const byNewest = (a: Row, b: Row) => (uuidOf(a) < uuidOf(b) ? 1 : -1);

/** The UUIDv7 in an id. The id of a job has its site in front. */
const uuidOf = ({ id }: { id: string }): string => id.slice(id.indexOf('.') + 1);
