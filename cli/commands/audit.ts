/** `lanreach audit …` */
import type { Command } from 'commander';
import type { AuditEntry } from '../../shared/api/records.ts';
import { noteUnreadable, openSession, type Session } from '../client/session.ts';
import { type Cell, table, time } from '../client/text.ts';
import { DEVICE, keyOf } from './device-names.ts';
import { addExportCommand, type ExportOptions, runExport } from './export.ts';
import { limitOption } from './limit-option.ts';
import { siteOption } from './site-option.ts';
import { TIME_EXAMPLES, toTime } from './time-option.ts';

interface Filters {
  site?: string;
  allSites?: boolean;
  by?: string;
  device?: string;
  action?: string;
  since?: string;
  until?: string;
}

type ListOptions = Filters & { limit: number };

export function addAuditCommands(audit: Command): void {
  const list = audit
    .command('list', { isDefault: true })
    .description('list who did what, the newest first; "audit" alone does the same')
    .addOption(siteOption())
    .addOption(limitOption())
    .option('--since <time>', `since this time only: ${TIME_EXAMPLES}`, toTime)
    .option('--until <time>', 'before this time only', toTime);
  filtered(list).action(async ({ limit, ...filters }: ListOptions, command: Command) => {
    const session = openSession(command);
    const { site, ...query } = await questionOf(session, filters);
    const answer = await session.client.ask('GET /audit', { site, query: { ...query, limit: String(limit) } });
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

  filtered(addExportCommand(audit, 'the entries')).action(
    async (filters: Filters & ExportOptions, command: Command) => {
      const { site, ...query } = await questionOf(openSession(command), filters);
      await runExport(command, 'GET /audit/export', (format) => ({ site, query: { ...query, format } }));
    },
  );
}

function filtered(command: Command): Command {
  return command
    .option('--all-sites', 'of all sites that the token may use')
    .option('--by <who>', 'of this person, token, agent or schedule only, by name or id')
    .option('--device <device>', `about this device only: ${DEVICE}`)
    .option('--action <actions>', 'these only, such as device.edit, or device,devices for all on devices');
}

/** The ids of what the options name. */
async function questionOf(session: Session, { site, allSites, by, device, action, since, until }: Filters) {
  return {
    ...{ site, action, since, until },
    ...(allSites ? { allSites: 'true' as const } : {}),
    by: by === undefined ? undefined : await actorOf(session, by),
    about: device === undefined ? undefined : await keyOf(session, device, site),
  };
}

/** An id of its own, where no person and no token has this name. */
async function actorOf({ client }: Session, name: string): Promise<string> {
  const { people } = await client.ask('GET /people');
  const person = people.find((one) => [one.name, one.email].includes(name));
  if (person !== undefined) return person.id;
  const { tokens } = await client.ask('GET /tokens');
  return tokens.find((one) => one.name === name)?.id ?? name;
}

/** @param names those of the tokens, by their ids */
function row(entry: AuditEntry, names: ReadonlyMap<string, string>): Cell[] {
  const { at, actor, person, sourceAddress, action, detail, changes = {}, outcome } = entry;
  const details = [
    ...Object.entries(changes).map(([name, { from, to }]) => `${name}: ${from ?? ''} → ${to ?? ''}`),
    ...Object.entries(detail).flatMap(([name, value]) =>
      name === 'tool' || name in changes ? [] : `${name}=${value}`,
    ),
  ];
  const name = person?.name ?? names.get(actor) ?? actor;
  return [time(at), name, sourceAddress ?? '-', action, details.join(' ') || '-', outcome, actor];
}
