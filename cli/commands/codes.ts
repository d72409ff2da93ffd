/** `lanreach agent enrol`, `codes` and `revoke-code`: how hosts become agents. */
import type { EnrolmentCode } from '../../shared/api/enrolment-codes.ts';
import { type Cell, muted, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';
import { toSeconds } from '../option-values.ts';
import { noteHowToInstall, showLine } from './install-note.ts';

interface EnrolOptions {
  site: string;
  name?: string;
  replace?: boolean;
  uses?: number;
  expires?: number;
  network?: string[];
}

export function addCodeCommands(agent: Command): void {
  agent
    .part('enrol', 'create a code for one or several new agents, and show the line to run on each host')
    .alias('enroll')
    .requiredOption('--site <site>', 'the site on whose LAN the hosts are')
    .option('--name <name>', 'name of the agent within the site; default: main, or with --uses that of each host')
    .option('--replace', 'replace the agent of that name, if there is one')
    .option('--uses <number>', 'how many hosts can enrol with it; default: one', Number)
    .option('--expires <time>', 'how long it holds, such as 12h or 30d, which is the longest; default: 1h', toSeconds)
    .option('--network <CIDR...>', 'only requests from these networks, as the service sees them')
    .run(async (session, options: EnrolOptions) => {
      const { client, note } = session;
      const { site, replace } = options;
      const made = await client.ask('POST /sites/{site}/agents', { params: { site }, body: requestFor(options) });
      const { code, agent: id, expiresAt, release, uses } = made;
      const url = await showLine(session, made, code, release);
      const hosts = uses === 1 ? `a host of the LAN of ${site}` : `up to ${uses} hosts of the LAN of ${site}`;
      const does = release === null ? 'enrols the host' : `installs the agent ${release.version}, enrols the host`;
      note(`Run this as root on ${hosts}: it ${does} as ${id ?? 'an agent that is named after it'} and starts it.`);
      note(`The code works ${uses === 1 ? 'once' : `${uses} times`}, until ${timeOf(expiresAt)}.`);
      if (replace) note(`If there is an agent ${id} when the code is used, it is disconnected and replaced.`);
      noteHowToInstall(session, release, url);
    });

  agent.part('codes', 'list the open enrolment codes').run(({ request }) => {
    const headings = ['SITE', 'AGENT', 'USED', 'EXPIRES', 'NETWORKS', 'ID'];
    return request('GET /enrolment-codes', {}, ({ codes }) => table(headings, codes.map(row)));
  });

  agent
    .part('revoke-code', 'revoke a code; agents that have enrolled with it stay')
    .argument('<id>', 'as "agent codes" shows it')
    .withYes()
    .run(async ({ request, note }, id: string) => {
      await request('DELETE /enrolment-codes/{id}', { params: { id } });
      note(`The code ${id} is revoked.`);
    });
}

function requestFor({ name, replace, uses, expires, network: networks }: EnrolOptions) {
  const expiresAt = expires === undefined ? undefined : new Date(Date.now() + expires * 1000).toISOString();
  return { name: name ?? ((uses ?? 1) === 1 ? 'main' : undefined), replace, uses, expiresAt, networks };
}

/** In local time, with the time zone. */
function timeOf(at: string): string {
  return new Date(at).toLocaleString('sv', { dateStyle: 'short', timeStyle: 'long' });
}

function row({ site, agent, used, uses, expiresAt, networks, id }: EnrolmentCode): Cell[] {
  const use = [agent ?? 'named after the host', `${used} of ${uses}`];
  return [site, ...use, time(expiresAt), networks.join(' ') || '-', muted(id)];
}
