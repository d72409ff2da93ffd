/** `lanreach devices placements|place` */
import type { Command } from 'commander';
import type { AnswerOf } from '../../client/routes.ts';
import { Failure } from '../client/failure.ts';
import { openSession } from '../client/session.ts';
import { fields, table } from '../client/text.ts';
import { DEVICE, keysOf } from './device-names.ts';
import { siteOption } from './site-option.ts';

/** The first answer judges all devices of a site. */
const TIMEOUT_MS = 120_000;

interface PlaceOptions {
  site?: string;
  all?: boolean;
  dryRun?: boolean;
}

type Proposal = AnswerOf<'GET /devices/network/proposals'>['proposals'][number];

export function addPlaceCommands(command: Command): void {
  command
    .command('placements')
    .description('show connections of devices that differ from the topology')
    .addOption(siteOption())
    .action(async ({ site }: PlaceOptions, command: Command) => {
      const { client, show, note } = openSession(command);
      const answer = await client.ask('GET /devices/network/proposals', { site, timeoutMs: TIMEOUT_MS });
      await show(answer, () =>
        table(['DEVICE', 'NAME', 'ON', 'PORT', 'SURE', 'BY', 'NOW'], answer.proposals.map(proposalRow)),
      );
      const more = answer.total - answer.proposals.length;
      if (more > 0) note(`There are ${more} more.`);
      if (answer.total > 0) note('To accept them: lanreach devices place <device...>, or with --all');
    });

  command
    .command('place')
    .description('accept proposed connections; discovery then leaves them alone')
    .argument('[device...]', DEVICE)
    .option('--all', 'all that "placements" shows')
    .option('--dry-run', 'change nothing, only say how many devices would be placed')
    .addOption(siteOption())
    .action(async (named: string[], { site, all = false, dryRun = false }: PlaceOptions, command: Command) => {
      if (all === named.length > 0) throw new Failure('usage', 'Name the devices to place, or all of them with --all');
      const session = openSession(command);
      const { client, show } = session;
      const query = { dryRun: dryRun ? ('true' as const) : undefined };
      const body = all ? {} : { macs: await keysOf(session, named, site) };
      const answer = await client.ask('POST /devices/network/proposals/accept', {
        site,
        query,
        body,
        timeoutMs: TIMEOUT_MS,
      });
      const { accepted, skipped, change } = answer;
      await show(answer, () =>
        fields({
          accepted: String(accepted),
          skipped: String(skipped),
          ...(change === null ? {} : { change }),
        }),
      );
    });
}

function proposalRow({ device, parent, port, confidence, because, present }: Proposal): string[] {
  const sources = [...new Set(because.map(({ source }) => source.replace('parent-', '')))];
  return [
    device.key,
    device.name,
    parent.name || parent.key,
    port,
    `${Math.round(confidence * 100)} %`,
    sources.join(', '),
    [present.parent, present.port].filter((text) => text !== '').join(' '),
  ];
}
