/** `lanreach share …` */
import type { ListedToken } from '../../shared/api/tokens.ts';
import { shareLink } from '../../shared/console-link.ts';
import { isLoopback } from '../client/loopback.ts';
import { type Cell, muted, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';
import { toExpiry } from '../option-values.ts';

interface AddOptions {
  name?: string;
  map?: boolean;
  allDevices?: boolean;
  addresses?: boolean;
  expires?: Date;
}

export function addShareCommands(share: Command): void {
  share
    .part('add', 'create a link that shows the state of a site, or of the sites with a tag, to anyone who has it')
    .argument('<site>', 'the site, or tag:<tag>')
    .option('--name <name>', 'the heading of the page; default: the site or the tag')
    .option('--map', 'show all devices, and how they are connected')
    .option('--all-devices', 'name all devices, and not only the favorites and those that are down')
    .option('--addresses', 'show MAC and IP addresses')
    .option('--expires <when>', 'up to a year: 30d, or a date such as 2030-12-31; default: 30d', toExpiry)
    .run(async ({ client, show, note }, of: string, { name, map, allDevices, addresses, expires }: AddOptions) => {
      const body = {
        name: name ?? of.replace(/^tag:/, ''),
        of,
        view: map ? ('map' as const) : ('status' as const),
        devices: allDevices ? ('all' as const) : ('favorites' as const),
        addresses: addresses === true,
        expiresAt: expires?.toISOString(),
      };
      const made = await client.ask('POST /shares', { body });
      const url = isLoopback(client.url) ? (made.addresses[0] ?? client.url) : client.url;
      await show(made, () => `${shareLink(url, made.token)}\n`);
      note(`Anyone who has this link sees it until ${made.expiresAt}. It is not shown again.`);
      if (isLoopback(url)) note('It works on this host alone: the service listens at no other address.');
    });

  share.part('list', 'list the shares').run(async ({ client, show }) => {
    const { tokens, ...rest } = await client.ask('GET /tokens');
    const shares = tokens.filter(({ purpose }) => purpose === 'share');
    const headings = ['NAME', 'OF', 'SHOWS', 'MADE BY', 'EXPIRES', 'LAST USED', 'ID'];
    await show({ ...rest, tokens: shares }, () => table(headings, shares.map(row)));
  });

  share
    .part('revoke', 'end a share at once')
    .argument('<id>', 'as "share list" shows it')
    .withYes()
    .run(async ({ confirm, request, note }, id: string) => {
      await confirm(`Revoke the share ${id}?`);
      await request('DELETE /tokens/{id}', { params: { id } });
      note(`The share ${id} is revoked.`);
    });
}

function row({ id, name, sites, share, createdBy, expiresAt, lastUsedAt }: ListedToken): Cell[] {
  const { view = '', addresses = false } = share ?? {};
  const what = addresses ? `${view}, addresses` : view;
  const times = [time(expiresAt, 'never'), time(lastUsedAt, 'never')];
  return [name, sites === '*' ? '*' : sites.join(','), what, createdBy ?? '-', ...times, muted(id)];
}
