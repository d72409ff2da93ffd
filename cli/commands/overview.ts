/** `lanreach overview`: every site in one table. */
import type { SiteOverview } from '../../shared/api/overview.ts';
import { noteUnreadable, type Session } from '../client/session.ts';
import { noteUntagged } from '../client/tagged-sites.ts';
import { type Cell, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';

/** Sites per request. */
const PAGE = '200';

export function addOverviewCommand(own: Command): void {
  own
    .withOnlySites()
    .withWatch()
    .run(async (session, { sites }: { sites?: string }) => {
      const answer = await wholeOverview(session, sites);
      const headings = ['SITE', 'NAME', 'DEVICES', 'ONLINE', 'DOWN', 'NEW', 'UNKNOWN'];
      await session.show(answer, () =>
        table([...headings, 'AGENTS', 'LAST CHANGE', 'STALE SINCE'], answer.sites.map(row)),
      );
      noteUnreadable(session, answer.unreadable);
      // One that cannot be read may have the tag.
      if (answer.unreadable.length === 0) noteUntagged(session, answer.sites, sites);
    });
}

/** All pages of it. */
export async function wholeOverview({ client }: Session, sites?: string) {
  let page = await client.ask('GET /overview', { query: { limit: PAGE, sites } });
  const whole = { ...page, sites: [...page.sites], unreadable: [...page.unreadable] };
  while (page.nextCursor !== null) {
    page = await client.ask('GET /overview', { query: { limit: PAGE, sites, cursor: page.nextCursor } });
    whole.sites.push(...page.sites);
    whole.unreadable.push(...page.unreadable);
  }
  return { ...whole, nextCursor: null };
}

function row({ id, name, devices, unknown, agents, lastChangeAt, staleSince }: SiteOverview): Cell[] {
  const numbers = [devices?.my, devices?.online, devices?.down, devices?.new, unknown].map((count) => count ?? '?');
  const online = agents.filter((agent) => agent.state === 'online').length;
  const times = [time(lastChangeAt, 'none yet'), time(staleSince)];
  return [id, name, ...numbers, `${online} of ${agents.length} online`, ...times];
}
