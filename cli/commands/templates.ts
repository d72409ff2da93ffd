/** `lanreach template …` */
import type { Template } from '../../shared/api/templates.ts';
import { type Cell, type Fields, fields, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';

export function addTemplateCommands(template: Command): void {
  template
    .part('list', 'list the templates; "lanreach apply" creates and changes them')
    .run(({ request }) =>
      request('GET /templates', {}, ({ templates }) =>
        table(['TEMPLATE', 'TAGS', 'MAKES', 'CHANGED'], templates.map(row)),
      ),
    );

  template
    .part('show', 'show a template, the sites where it is not applied yet, and the settings that sites override')
    .argument('<template>')
    .run(async ({ request, note }, name: string) => {
      const { sites } = await request('GET /templates/{template}', { params: { template: name } }, (found) =>
        described(found, `${found.sites.made} of ${found.sites.count} are made`),
      );
      for (const { site, problem } of sites.others)
        note(`${site}: ${problem ?? 'not applied yet; LanReach retries within the hour'}`);
      for (const { site, settings } of sites.differing)
        for (const one of settings)
          note(`${site} has its own ${one.setting}: ${JSON.stringify(one.site)}, not ${JSON.stringify(one.template)}`);
    });

  template
    .part('remove', 'remove a template and the objects that it has created')
    .argument('<template>')
    .withYes()
    .run(async ({ client, confirm, request, note }, name: string) => {
      const params = { template: name };
      const { sites } = await client.ask('GET /templates/{template}', { params });
      await confirm(`Remove the template ${name}, with its objects at ${sites.count} sites?`);
      const { isComplete } = await request('DELETE /templates/{template}', { params });
      note(isComplete ? `The template ${name} is removed.` : 'LanReach removes its objects within the hour.');
    });
}

function row(template: Template): Cell[] {
  return [template.name, template.tags.join(' '), partsText(template), time(template.changedAt)];
}

function partsText({ settings, schedules, checks, hooks }: Template): string {
  const parts = Object.entries({ settings: Object.keys(settings), schedules, checks, hooks });
  return parts.flatMap(([what, { length }]) => (length > 0 ? [`${length} ${what}`] : [])).join(', ') || 'nothing';
}

/** @param sites how far it is applied, where that is shown */
export function described(template: Template, sites: string | null = null): Fields {
  const { name, tags, settings, schedules, checks, hooks, changedAt } = template;
  return fields({
    ...{ name, tags: tags.join(' ') },
    settings: Object.keys(settings).length === 0 ? '-' : JSON.stringify(settings),
    schedules: schedules.map((one) => one.name).join(', ') || '-',
    checks: checks.map(({ label }) => label).join(', ') || '-',
    hooks: hooks.map((one) => one.name).join(', ') || '-',
    changed: time(changedAt),
    sites,
  });
}
