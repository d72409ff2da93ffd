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
    .description('list what was done, the newest first; "audit" alone does the same')
    .addOption(siteOption())
    .addOption(limitOption())
    .action(async ({ site, limit }: ListOptions, command: Command) => {
      const session = openSession(command);
      const answer = await session.client.ask('GET /audit', { site, query: { limit: String(limit) } });
      await session.show(answer, () =>
        table(['TIME', 'ACTOR', 'ADDRESS', 'ACTION', 'DETAILS', 'OUTCOME'], answer.entries.map(row)),
      );
      noteUnreadable(session, answer.unreadable);
      if (answer.nextCursor !== null) session.note(`These are the newest ${limit}; --limit shows more.`);
    });

  addExportCommand(audit, 'all that was done').action(
    async ({ site, since, until }: ExportOptions, command: Command) => {
      await runExport(command, 'GET /audit/export', (format) => ({ site, query: { format, since, until } }));
    },
  );
}

function row({ at, actor, sourceAddress, action, detail, outcome }: AuditEntry): Cell[] {
  const details = Object.entries(detail).flatMap(([name, value]) => (name === 'tool' ? [] : [`${name}=${value}`]));
  return [time(at), actor, sourceAddress ?? '-', action, details.join(' ') || '-', outcome];
}
