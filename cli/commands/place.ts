/** `lanreach devices placements|place` */
import type { AnswerOf } from '../../client/routes.ts';
import { Failure } from '../client/failure.ts';
import { fields, table } from '../client/text.ts';
import type { Command } from '../command.ts';
import { flag } from '../option-values.ts';
import { DEVICE, keysOf } from './device-names.ts';

/** The first answer judges all devices of a site. */
const TIMEOUT_MS = 120_000;

type Proposal = AnswerOf<'GET /devices/network/proposals'>['proposals'][number];

export function addPlaceCommands(command: Command): void {
  command
    .part('placements', 'show connections of devices that differ from the topology')
    .withSite()
    .run(async ({ request, note, site }) => {
      const question = { site, timeoutMs: TIMEOUT_MS };
      const { total, proposals } = await request('GET /devices/network/proposals', question, (answer) =>
        table(['DEVICE', 'NAME', 'ON', 'PORT', 'SURE', 'BY', 'NOW'], answer.proposals.map(proposalRow)),
      );
      if (total > proposals.length) note(`There are ${total - proposals.length} more.`);
      if (total > 0) note('To accept them: lanreach devices place <device...>, or with --all');
    });

  command
    .part('place', 'accept proposed connections; discovery then leaves them alone')
    .argument('[device...]', DEVICE)
    .option('--all', 'all that "placements" shows')
    .option('--dry-run', 'change nothing, only say how many devices would be placed')
    .withSite()
    .run(async (session, named: string[], { all = false, dryRun }: { all?: boolean; dryRun?: boolean }) => {
      if (all === named.length > 0) throw new Failure('usage', 'Name the devices to place, or all of them with --all');
      const { request, site } = session;
      const body = all ? {} : { macs: await keysOf(session, named) };
      const question = { site, query: { dryRun: flag(dryRun) }, body, timeoutMs: TIMEOUT_MS };
      await request('POST /devices/network/proposals/accept', question, ({ accepted, skipped, change }) =>
        fields({ accepted, skipped, change }),
      );
    });
}

function proposalRow({ device, parent, port, confidence, because, present }: Proposal): string[] {
  const sources = [...new Set(because.map(({ source }) => source.replace('parent-', '')))];
  const place = [device.key, device.name, parent.name || parent.key, port];
  const now = [present.parent, present.port].filter((text) => text !== '').join(' ');
  return [...place, `${Math.round(confidence * 100)} %`, sources.join(', '), now];
}
