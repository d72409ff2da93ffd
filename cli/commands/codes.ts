/** `lanreach agent enrol`, `codes` and `revoke-code`: how hosts become agents. */
import { type Command, Option } from 'commander';
import type { EnrolmentCode } from '../../shared/api/enrolment-codes.ts';
import { noteUnreadable, openSession } from '../client/session.ts';
import { type Cell, muted, table, time } from '../client/text.ts';
import { toSeconds } from './duration-option.ts';
import { noteHowToInstall, showLine } from './install-note.ts';
import { yesOption } from './yes-option.ts';

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
    .command('enrol')
    .alias('enroll')
    .description('create a code for one or several new agents, and show the line to run on each host')
    .requiredOption('--site <site>', 'the site on whose LAN the hosts are')
    .option('--name <name>', 'name of the agent within the site; default: main, or with --uses that of each host')
    .option('--replace', 'replace the agent of that name, if there is one')
    .option('--uses <number>', 'how many hosts can enrol with it; default: one', Number)
    .addOption(
      new Option(
        '--expires <time>',
        'how long it holds, such as 12h or 30d, which is the longest; default: 1h',
      ).argParser(toSeconds),
    )
    .option('--network <CIDR...>', 'only requests from these networks, as the service sees them')
    .action(async (options: EnrolOptions, command: Command) => {
      const session = openSession(command);
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

  agent
    .command('codes')
    .description('list the open enrolment codes')
    .action(async (_options: object, command: Command) => {
      const session = openSession(command);
      const answer = await session.client.ask('GET /enrolment-codes');
      const headings = ['SITE', 'AGENT', 'USED', 'EXPIRES', 'NETWORKS', 'ID'];
      await session.show(answer, () => table(headings, answer.codes.map(row)));
      noteUnreadable(session, answer.unreadable);
    });

  agent
    .command('revoke-code')
    .description('revoke a code; agents that have enrolled with it stay')
    .argument('<id>', 'as "agent codes" shows it')
    .addOption(yesOption())
    .action(async (id: string, _options: object, command: Command) => {
      const { client, show, note } = openSession(command);
      const answer = await client.ask('DELETE /enrolment-codes/{id}', { params: { id } });
      await show(answer, () => '');
      note(`The code ${id} is revoked.`);
    });
}

function requestFor({ name, replace, uses, expires, network }: EnrolOptions) {
  const named = name ?? (uses === undefined || uses === 1 ? 'main' : undefined);
  return {
    ...(named === undefined ? {} : { name: named }),
    ...(replace ? { replace } : {}),
    ...(uses === undefined ? {} : { uses }),
    ...(expires === undefined ? {} : { expiresAt: new Date(Date.now() + expires * 1000).toISOString() }),
    ...(network === undefined ? {} : { networks: network }),
  };
}

/** In local time, with the time zone. */
function timeOf(at: string): string {
  return new Date(at).toLocaleString('sv', { dateStyle: 'short', timeStyle: 'long' });
}

function row({ site, agent, used, uses, expiresAt, networks, id }: EnrolmentCode): Cell[] {
  return [
    site,
    agent ?? 'named after the host',
    `${used} of ${uses}`,
    time(expiresAt),
    networks.join(' ') || '-',
    muted(id),
  ];
}
