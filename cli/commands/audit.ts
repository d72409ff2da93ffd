/** `lanreach audit …` */
import type { Command } from 'commander';
import type { AuditEntry } from '../../shared/api/records.ts';
import { noteUnreadable, openSession } from '../client/session.ts';
import { type Cell, table, time } from '../client/text.ts';
import { addExportCommand, type ExportOptions, runExport } from './export.ts';
import { limitOption } from './limit-option.ts';
import { siteOption } from './site-option.ts';

interface ListOptions {
  site?: string;
  limit: number;
}

export function addAuditCommands(audit: Command): void {
  audit
    .command('list', { isDefault: true })
    .description('list who did what, the newest first; "audit" alone does the same')
    .addOption(siteOption())
    .addOption(limitOption())
    .action(async ({ site, limit }: ListOptions, command: Command) => {
      const session = openSession(command);
      const answer = await session.client.ask('GET /audit', { site, query: { limit: String(limit) } });
      const { tokens } = session.isJson ? { tokens: [] } : await session.client.ask('GET /tokens');
      const names = new Map(tokens.map(({ id, name }) => [id, name]));
      await session.show(answer, () =>
        table(
          ['TIME', 'ACTOR', 'ADDRESS', 'ACTION', 'DETAILS', 'OUTCOME', 'ACTOR ID'],
          answer.entries.map((entry) => row(entry, names)),
          1,
        ),
      );
      noteUnreadable(session, answer.unreadable);
      if (answer.nextCursor !== null) session.note(`These are the newest ${limit}; --limit shows more.`);
    });

  addExportCommand(audit, 'all entries').action(async ({ site, since, until }: ExportOptions, command: Command) => {
    await runExport(command, 'GET /audit/export', (format) => ({ site, query: { format, since, until } }));
  });
}

/** @param names those of the tokens, by their ids */
function row(entry: AuditEntry, names: ReadonlyMap<string, string>): Cell[] {
  const { at, actor, person, sourceAddress, action, detail, outcome } = entry;
  const details = Object.entries(detail).flatMap(([name, value]) => (name === 'tool' ? [] : [`${name}=${value}`]));
  const name = person?.name ?? names.get(actor) ?? actor;
  return [time(at), name, sourceAddress ?? '-', action, details.join(' ') || '-', outcome, actor];
}
