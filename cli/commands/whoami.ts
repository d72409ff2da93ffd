/** `lanreach whoami`: which service and which token are in use, and what the token may do. */
import type { Command } from 'commander';
import { openSession } from '../client/session.ts';
import { fields, time } from '../client/text.ts';

export function addWhoamiCommand(own: Command): void {
  own.action(async (_options: object, command: Command) => {
    const { client, show } = openSession(command);
    const token = await client.ask('GET /tokens/self');
    const { id, name, scopes, sites, defaultSite, createdBy, expiresAt, lastUsedAt } = token;
    await show(token, () =>
      fields({
        id,
        name,
        service: client.url,
        scopes: scopes.join(' '),
        sites: sites === '*' ? '* (all)' : sites.join(' '),
        'default site': defaultSite ?? '-',
        'made by': createdBy ?? '-',
        expires: time(expiresAt, 'never'),
        'last used': time(lastUsedAt, 'never'),
      }),
    );
  });
}
