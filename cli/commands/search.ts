/** `lanreach search`: devices of every site that the token may read. */
import type { AnswerOf } from '../../client/routes.ts';
import type { FoundDevice } from '../../shared/api/search.ts';
import { noteUnreadable, type Session } from '../client/session.ts';
import { type Cell, muted, table } from '../client/text.ts';
import type { Command } from '../command.ts';
import { stateCell } from './watch-text.ts';

/** Devices that one request can ask for. */
const PAGE = 100;

export function addSearchCommand(own: Command): void {
  own
    .argument('<text...>', 'words of name, address, MAC, vendor, model, owner and so on, or an open port, such as :22')
    .withOnlySites()
    .withLimit()
    .run(async (session, words: string[], { limit, sites }: { limit: number; sites?: string }) => {
      const answer = await everywhere(session, words.join(' '), limit, sites);
      await session.show(answer, () =>
        table(['NAME', 'SITE', 'IP', 'STATUS', 'VENDOR', 'MAC'], answer.devices.map(row), 1),
      );
      noteUnreadable(session, answer.unreadable);
      if (answer.nextCursor !== null) {
        session.note(`Only ${answer.searched} of ${answer.sites} sites were searched; --limit shows more.`);
      } else if (answer.truncated) session.note('More devices match; --limit shows more.');
    });
}

/** Site after site, until so many devices are found. */
async function everywhere(
  { client }: Session,
  q: string,
  limit: number,
  sites: string | undefined,
): Promise<AnswerOf<'GET /search'>> {
  const ask = (wanted: number, cursor?: string) =>
    client.ask('GET /search', { query: { q, sites, limit: String(Math.min(wanted, PAGE)), cursor } });
  let page = await ask(limit);
  const whole = { ...page, devices: [...page.devices], unreadable: [...page.unreadable] };
  while (page.nextCursor !== null && whole.devices.length < limit) {
    page = await ask(limit - whole.devices.length, page.nextCursor);
    whole.devices.push(...page.devices);
    whole.unreadable.push(...page.unreadable);
    whole.searched += page.searched;
    whole.truncated ||= page.truncated;
  }
  return { ...whole, nextCursor: page.nextCursor };
}

function row({ devName, site, devLastIP, status, watch, devVendor, devMac }: FoundDevice): Cell[] {
  return [devName, site, devLastIP || '-', stateCell({ status, watch }), devVendor || '-', muted(devMac)];
}
