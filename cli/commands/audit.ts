/** `lanreach audit …` */
import type { AuditEntry } from '../../shared/api/records.ts';
import { type Cell, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';
import { addExportCommand } from './export.ts';

export function addAuditCommands(audit: Command): void {
  audit
    .part('list', 'list who did what, the newest first; "audit" alone does the same', { isDefault: true })
    .withSite()
    .withLimit()
    .run(async ({ client, isJson, note, request, site }, { limit }: { limit: number }) => {
      const { tokens } = isJson ? { tokens: [] } : await client.ask('GET /tokens');
      const names = new Map(tokens.map(({ id, name }) => [id, name]));
      const headings = ['TIME', 'ACTOR', 'ADDRESS', 'ACTION', 'DETAILS', 'OUTCOME', 'ACTOR ID'];
      const answer = await request('GET /audit', { site, query: { limit: String(limit) } }, ({ entries }) =>
        table(
          headings,
          entries.map((entry) => row(entry, names)),
          1,
        ),
      );
      if (answer.nextCursor !== null) note(`These are the newest ${limit}; --limit shows more.`);
    });

  addExportCommand(audit, 'all entries', 'GET /audit/export');
}

/** @param names those of the tokens, by their ids */
function row(entry: AuditEntry, names: ReadonlyMap<string, string>): Cell[] {
  const { at, actor, person, sourceAddress, action, detail, outcome } = entry;
  const details = Object.entries(detail).flatMap(([name, value]) => (name === 'tool' ? [] : [`${name}=${value}`]));
  const name = person?.name ?? names.get(actor) ?? actor;
  return [time(at), name, sourceAddress ?? '-', action, details.join(' ') || '-', outcome, actor];
}
