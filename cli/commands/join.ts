/** `lanreach devices same|join|split`: one device of several MACs. */
import type { AnswerOf } from '../../client/routes.ts';
import { RESTORABLE_DAYS } from '../../shared/words.ts';
import { type Cell, fields, table } from '../client/text.ts';
import type { Command } from '../command.ts';
import { DEVICE, keyOf, keysOf, noteUndo } from './device-names.ts';

export function addJoinCommands(command: Command): void {
  command
    .part('same', 'show devices that are probably the same, such as a phone with randomized MACs, and why')
    .withLimit()
    .withSite()
    .run(async ({ request, note, site, siteWords }, { limit }: { limit: number }) => {
      const answer = await request('GET /devices/same', { site, query: { limit: String(limit) } }, ({ same }) =>
        table(['DEVICE', 'NAME', 'OTHERS', 'SURE', 'WHY'], same.map(row)),
      );
      const [first] = answer.same;
      if (first !== undefined) {
        note(`To make the first ones one: lanreach devices join ${first.device.key} ${keysIn(first)}${siteWords}`);
        note(`If they are not: lanreach devices split ${first.others[0]?.key}${siteWords}`);
      }
      if (answer.nextCursor !== null) note('There are more; --limit shows more.');
    });

  const description = `make other devices MACs of this one; "split" takes them off, "restore" undoes it for ${RESTORABLE_DAYS} days`;
  command
    .part('join', description)
    .argument('<device>', DEVICE)
    .argument('<other...>', 'the devices that are the same')
    .withSite()
    .run(async (session, device: string, others: string[]) => {
      const { request, site } = session;
      const [mac = '', ...macs] = await keysOf(session, [device, ...others]);
      const question = { site, params: { mac }, body: { macs } };
      const { change } = await request('POST /devices/{mac}/join', question, (answer) =>
        fields({ device: mac, joined: answer.joined, change: answer.change }),
      );
      noteUndo(session, change);
    });

  command
    .part('split', 'split joined MACs from a device; by default all')
    .argument('<device>', DEVICE)
    .argument('[mac...]', 'only these of its other MACs')
    .withSite()
    .run(async (session, device: string, macs: string[]) => {
      const { request, site } = session;
      const mac = await keyOf(session, device);
      const question = { site, params: { mac }, body: macs.length === 0 ? {} : { macs } };
      await request('POST /devices/{mac}/split', question, ({ split, change }) =>
        fields({ device: mac, split, change }),
      );
    });
}

type Same = AnswerOf<'GET /devices/same'>['same'][number];

const keysIn = ({ others }: Same) => others.map(({ key }) => key).join(' ');

function row(same: Same): Cell[] {
  const { device, confidence, reason } = same;
  return [device.key, device.name, keysIn(same), `${Math.round(confidence * 100)} %`, reason];
}
