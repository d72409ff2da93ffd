/** `lanreach whoami`: which service and which token are in use, and what the token may do. */
import type { Command } from 'commander';
import { admin } from '../../shared/api/admin.ts';
import { openSession } from '../client/session.ts';
import { fields } from '../client/text.ts';

export function addWhoamiCommand(program: Command): void {
  program
    .command('whoami')
    .description('show which service and token are in use, and what the token may do')
    .helpGroup('Services:')
    .action(async (_options: object, command: Command) => {
      const { client, show } = openSession(command);
      const token = await client.ask(admin.getOwnToken);
      const { id, name, scopes, sites, defaultSite, createdBy, expiresAt, lastUsedAt } = token;
      show(token, () =>
        fields({
          id,
          name,
          service: client.url,
          scopes: scopes.join(' '),
          sites: sites === '*' ? '* (all)' : sites.join(' '),
          'default site': defaultSite ?? '-',
          'made by': createdBy ?? '-',
          expires: expiresAt ?? 'never',
          'last used': lastUsedAt ?? 'never',
        }),
      );
    });
}
