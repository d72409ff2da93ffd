/** `lanreach audit …` */
import type { AuditEntry } from '../../shared/api/records.ts';
import type { Session } from '../client/session.ts';
import { type Cell, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';
import { TIME_EXAMPLES, toTime } from '../option-values.ts';
import { DEVICE, keyOf } from './device-names.ts';
import { addExportCommand } from './export.ts';

interface Filters {
  allSites?: boolean;
  by?: string;
  device?: string;
  action?: string;
}

interface ListOptions extends Filters {
  since?: string;
  until?: string;
  limit: number;
}

const HEADINGS = ['TIME', 'ACTOR', 'ADDRESS', 'ACTION', 'DETAILS', 'OUTCOME', 'ACTOR ID'];

export function addAuditCommands(audit: Command): void {
  const list = audit
    .part('list', 'list who did what, the newest first; "audit" alone does the same', { isDefault: true })
    .withSite()
    .withLimit()
    .option('--since <time>', `since this time only: ${TIME_EXAMPLES}`, toTime)
    .option('--until <time>', 'before this time only', toTime);
  filtered(list).run(async (session, { limit, since, until, ...filters }: ListOptions) => {
    const { client, isJson, note, request, site } = session;
    const query = { ...(await queryOf(session, filters)), since, until, limit: String(limit) };
    const { tokens } = isJson ? { tokens: [] } : await client.ask('GET /tokens');
    const names = new Map(tokens.map(({ id, name }) => [id, name]));
    const answer = await request('GET /audit', { site, query }, ({ entries }) =>
      table(
        HEADINGS,
        entries.map((entry) => row(entry, names)),
        1,
      ),
    );
    if (answer.nextCursor !== null) note(`These are the newest ${limit}; --limit shows more.`);
  });

  filtered(addExportCommand(audit, 'the entries', 'GET /audit/export', queryOf));
}

function filtered(command: Command): Command {
  return command
    .option('--all-sites', 'of all sites that the token may use')
    .option('--by <who>', 'of this person, token, agent or schedule only, by name or id')
    .option('--device <device>', `about this device only: ${DEVICE}`)
    .option('--action <actions>', 'these only, such as device.edit, or device,devices for all on devices');
}

/** The ids of what the options name. */
async function queryOf(session: Session, { allSites, by, device, action }: Filters) {
  return {
    ...(allSites ? { allSites: 'true' as const } : {}),
    action,
    by: by === undefined ? undefined : await actorOf(session, by),
    about: device === undefined ? undefined : await keyOf(session, device),
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
