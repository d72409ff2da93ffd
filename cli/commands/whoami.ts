/** `lanreach whoami`: which service and which token are in use, and what the token may do. */
import { fields, time } from '../client/text.ts';
import type { Command } from '../command.ts';

export function addWhoamiCommand(own: Command): void {
  own.run(({ client, request }) =>
    request('GET /tokens/self', {}, ({ id, name, scopes, sites, defaultSite, createdBy, expiresAt, lastUsedAt }) =>
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
    ),
  );
}
