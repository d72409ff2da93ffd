/** `lanreach devices same|join|split`: one device of several MACs. */
import type { Command } from 'commander';
import { shellWord } from '../../shared/install-line.ts';
import { RESTORABLE_DAYS } from '../../shared/words.ts';
import { openSession } from '../client/session.ts';
import { fields, table } from '../client/text.ts';
import { DEVICE, keyOf, keysOf, noteUndo } from './device-names.ts';
import { limitOption } from './limit-option.ts';
import { siteOption } from './site-option.ts';

interface Options {
  site?: string;
}

export function addJoinCommands(command: Command): void {
  command
    .command('same')
    .description('show devices that are probably the same, such as a phone with randomized MACs, and why')
    .addOption(limitOption())
    .addOption(siteOption())
    .action(async ({ site, limit }: Options & { limit: number }, command: Command) => {
      const { client, show, note } = openSession(command);
      const answer = await client.ask('GET /devices/same', { site, query: { limit: String(limit) } });
      await show(answer, () =>
        table(
          ['DEVICE', 'NAME', 'OTHERS', 'SURE', 'WHY'],
          answer.same.map(({ device, others, confidence, reason }) => [
            device.key,
            device.name,
            others.map(({ key }) => key).join(' '),
            `${Math.round(confidence * 100)} %`,
            reason,
          ]),
        ),
      );
      const [first] = answer.same;
      const where = site === undefined ? '' : ` --site ${shellWord(site)}`;
      if (first !== undefined) {
        const others = first.others.map(({ key }) => key).join(' ');
        note(`To make the first ones one: lanreach devices join ${first.device.key} ${others}${where}`);
        note(`If they are not: lanreach devices split ${first.others[0]?.key}${where}`);
      }
      if (answer.nextCursor !== null) note('There are more; --limit shows more.');
    });

  command
    .command('join')
    .description(
      `make other devices MACs of this one; "split" takes them off, "restore" undoes it for ${RESTORABLE_DAYS} days`,
    )
    .argument('<device>', DEVICE)
    .argument('<other...>', 'the devices that are the same')
    .addOption(siteOption())
    .action(async (device: string, others: string[], { site }: Options, command: Command) => {
      const session = openSession(command);
      const { client, show, note } = session;
      const [mac = '', ...macs] = await keysOf(session, [device, ...others], site);
      const answer = await client.ask('POST /devices/{mac}/join', { site, params: { mac }, body: { macs } });
      await show(answer, () => fields({ device: mac, joined: String(answer.joined), change: answer.change }));
      noteUndo(note, answer.change, site);
    });

  command
    .command('split')
    .description('split joined MACs from a device; by default all')
    .argument('<device>', DEVICE)
    .argument('[mac...]', 'only these of its other MACs')
    .addOption(siteOption())
    .action(async (device: string, macs: string[], { site }: Options, command: Command) => {
      const session = openSession(command);
      const { client, show } = session;
      const mac = await keyOf(session, device, site);
      const body = macs.length === 0 ? {} : { macs };
      const answer = await client.ask('POST /devices/{mac}/split', { site, params: { mac }, body });
      await show(answer, () =>
        fields({
          device: mac,
          split: String(answer.split),
          ...(answer.change === null ? {} : { change: answer.change }),
        }),
      );
    });
}
