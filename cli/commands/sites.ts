/** `lanreach site …` */
import type { Command } from 'commander';
import { admin } from '../../shared/api/admin.ts';
import { openSession } from '../client/session.ts';
import { table } from '../client/text.ts';

export function addSiteCommands(program: Command): void {
  const site = program.command('site').description('sites: one for each LAN');

  site
    .command('add')
    .description('add a site')
    .argument('<id>', 'lower-case letters, digits and hyphens, such as home')
    .option('--name <name>', 'for people; default: the id')
    .action(async (id: string, { name }: { name?: string }, command: Command) => {
      const { client, show, note } = openSession(command);
      const added = await client.ask(admin.addSite, { body: { id, name } });
      show(added, () => `${added.id}\n`);
      note(`The site has no agent yet: lanreach agent enrol --site ${added.id}`);
    });

  site
    .command('list')
    .description('list the sites that the token may use')
    .action(async (_options: object, command: Command) => {
      const { client, show } = openSession(command);
      const answer = await client.ask(admin.listSites);
      show(answer, () =>
        table(
          ['ID', 'NAME', 'CREATED'],
          answer.sites.map(({ id, name, createdAt }) => [id, name, createdAt]),
        ),
      );
    });
}
