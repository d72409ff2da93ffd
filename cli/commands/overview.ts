/** `lanreach overview`: every site in one table. */
import type { Command } from 'commander';
import { overview, type SiteOverview } from '../../shared/api/overview.ts';
import { noteUnreadable, openSession, type Session } from '../client/session.ts';
import { table } from '../client/text.ts';

/** Sites that are asked for with one request. */
const PAGE = '200';

export function addOverviewCommand(program: Command): void {
  program
    .command('overview')
    .description('show all sites: the numbers of their devices, their agents, and the last change')
    .action(async (_options: object, command: Command) => {
      const session = openSession(command);
      const answer = await wholeOverview(session);
      session.show(answer, () =>
        table(
          ['SITE', 'NAME', 'DEVICES', 'ONLINE', 'DOWN', 'NEW', 'UNKNOWN', 'AGENTS', 'LAST CHANGE', 'STALE SINCE'],
          answer.sites.map(row),
        ),
      );
      noteUnreadable(session, answer.unreadable);
    });
}

async function wholeOverview({ client }: Session) {
  let page = await client.ask(overview.getOverview, { query: { limit: PAGE } });
  const whole = { ...page, sites: [...page.sites], unreadable: [...page.unreadable] };
  while (page.nextCursor !== null) {
    page = await client.ask(overview.getOverview, { query: { limit: PAGE, cursor: page.nextCursor } });
    whole.sites.push(...page.sites);
    whole.unreadable.push(...page.unreadable);
  }
  return { ...whole, nextCursor: null };
}

function row({ id, name, devices, unknown, agents, lastChangeAt, staleSince }: SiteOverview): string[] {
  const numbers = [devices?.my, devices?.online, devices?.down, devices?.new, unknown].map((count) =>
    String(count ?? '?'),
  );
  const online = agents.filter(({ state }) => state === 'online').length;
  return [id, name, ...numbers, `${online} of ${agents.length} online`, lastChangeAt ?? 'none yet', staleSince ?? '-'];
}
