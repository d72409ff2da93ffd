/** `lanreach template …` */
import type { Command } from 'commander';
import type { Template } from '../../shared/api/templates.ts';
import { confirm } from '../client/question.ts';
import { noteUnreadable, openSession } from '../client/session.ts';
import { type Cell, fields, table, time } from '../client/text.ts';
import { type YesOption, yesOption } from './yes-option.ts';

export function addTemplateCommands(template: Command): void {
  template
    .command('list')
    .description('list the templates; "lanreach apply" creates and changes them')
    .action(async (_options: object, command: Command) => {
      const session = openSession(command);
      const answer = await session.client.ask('GET /templates');
      await session.show(answer, () => table(['TEMPLATE', 'TAGS', 'MAKES', 'CHANGED'], answer.templates.map(row)));
      noteUnreadable(session, answer.unreadable);
    });

  template
    .command('show')
    .description('show a template, the sites where it is not applied yet, and the settings that sites override')
    .argument('<template>')
    .action(async (name: string, _options: object, command: Command) => {
      const { client, show, note } = openSession(command);
      const found = await client.ask('GET /templates/{template}', { params: { template: name } });
      const { count, made, others, differing } = found.sites;
      await show(found, () => fields({ ...described(found), sites: `${made} of ${count} are made` }));
      for (const { site, problem } of others)
        note(`${site}: ${problem ?? 'not applied yet; LanReach retries within the hour'}`);
      for (const { site, settings } of differing)
        for (const one of settings)
          note(`${site} has its own ${one.setting}: ${JSON.stringify(one.site)}, not ${JSON.stringify(one.template)}`);
    });

  template
    .command('remove')
    .description('remove a template and the objects that it has created')
    .argument('<template>')
    .addOption(yesOption())
    .action(async (name: string, { yes }: YesOption, command: Command) => {
      const { client, show, note, world } = openSession(command);
      const params = { template: name };
      const { sites } = await client.ask('GET /templates/{template}', { params });
      await confirm(world, `Remove the template ${name}, with its objects at ${sites.count} sites?`, yes);
      const answer = await client.ask('DELETE /templates/{template}', { params });
      await show(answer, () => '');
      note(answer.isComplete ? `The template ${name} is removed.` : 'LanReach removes its objects within the hour.');
    });
}

function row(template: Template): Cell[] {
  return [template.name, template.tags.join(' '), partsText(template), time(template.changedAt)];
}

function partsText({ settings, schedules, checks, hooks }: Template): string {
  const counts = {
    settings: Object.keys(settings).length,
    schedules: schedules.length,
    checks: checks.length,
    hooks: hooks.length,
  };
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([what, count]) => `${count} ${what}`).join(', ') || 'nothing';
}

export function described(template: Template): Record<string, Cell> {
  const { name, tags, settings, schedules, checks, hooks, changedAt } = template;
  return {
    ...{ name, tags: tags.join(' ') },
    settings: Object.keys(settings).length === 0 ? '-' : JSON.stringify(settings),
    schedules: schedules.map((one) => one.name).join(', ') || '-',
    checks: checks.map(({ label }) => label).join(', ') || '-',
    hooks: hooks.map((one) => one.name).join(', ') || '-',
    changed: time(changedAt),
  };
}
