/** `/audit`: the log of commands and changes. */
import * as z from 'zod';
import { EXPORT, ExportQuery } from './export.ts';
import { answer, FilterWords, type Operations, onSite, Page, queryFlag, Unreadables } from './operation.ts';
import { AuditEntry } from './records.ts';

const AuditFilter = z.object({
  allSites: queryFlag.describe('`true`: of all sites that the token may use, instead of one.'),
  by: z.string().min(1).max(100).optional().describe('Only entries of this `actor`, or of the person with this id.'),
  about: FilterWords.describe(
    'Only entries whose details or changes name one of these MAC addresses, addresses or names, separated by commas, in any letter case.',
  ),
  action: FilterWords.describe(
    'Only these actions, separated by commas: `device.edit`, or `device` for all actions on devices.',
  ),
});
export type AuditFilter = z.output<typeof AuditFilter>;

const exampleEntry = {
  id: '01934c1e-5f00-7a11-8a22-0123456789ab',
  at: '2026-11-01T08:15:00.000Z',
  site: 'home',
  actor: '0123456789abcdef',
  sourceAddress: '192.168.1.30',
  action: 'devices.delete',
  detail: { what: 'macs', deleted: 3 },
  outcome: 'done',
};

export const audit = {
  listAudit: {
    ...onSite('GET', '/audit', 'admin'),
    summary:
      'The commands and changes of a site, and changes of all sites for a token for all of them; the newest first',
    query: Page.extend({ ...AuditFilter.shape, since: ExportQuery.shape.since, until: ExportQuery.shape.until }),
    response: answer({
      entries: z.array(AuditEntry),
      unreadable: Unreadables,
      nextCursor: z
        .string()
        .nullable()
        .describe('Leads on to older entries; with a filter a page may be shorter than `limit`, and even empty.'),
    }),
    example: { response: { success: true, entries: [exampleEntry], unreadable: [], nextCursor: null } },
  },
  exportAudit: {
    ...EXPORT,
    path: '/audit/export',
    scope: 'admin',
    summary: 'The audit of a site in a span of time, as a file: the entries of `GET /audit`',
    query: ExportQuery.extend(AuditFilter.shape),
    response: z.string(),
    example: {
      query: { since: '2026-11-01T00:00:00Z', until: '2026-12-01T00:00:00Z' },
      response:
        'id,at,site,actor,sourceAddress,action,detail,outcome,person,changes,problem\r\n' +
        '01934c1e-5f00-7a11-8a22-0123456789ab,2026-11-01T08:15:00.000Z,home,0123456789abcdef,192.168.1.30,devices.delete,"{""what"":""macs"",""deleted"":3}",done,Ada Example,,\r\n',
      line: exampleEntry,
    },
  },
} as const satisfies Operations;
