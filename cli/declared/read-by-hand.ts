/** What sites have of their own, where a template of the file says something else: no step of a plan changes it. */
import pLimit from 'p-limit';
import type { DeclaredFile } from '../../shared/declared/file.ts';
import type { Present } from '../../shared/declared/plan.ts';
import type { SettingPath } from '../../shared/declared/settings.ts';
import { isSame, valuesOf } from '../../shared/declared/settings.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { Api } from '../client/api.ts';

/** Templates that are read at the same time. */
const AT_ONCE = 4;

export interface ByHand {
  site: SiteId;
  template: string;
  setting: SettingPath;
  own: unknown;
  /** What the template says. */
  other: unknown;
}

/** Nothing about a setting that the file itself gives the site, or that a template of another name decides. */
export async function readByHand(client: Api, { templates, sites }: DeclaredFile, present: Present): Promise<ByHand[]> {
  const there = templates.filter(({ name }) => present.templates.some((one) => one.name === name));
  const given = new Map(sites.map(({ id, settings }) => [id, valuesOf(settings)]));
  const limit = pLimit(AT_ONCE);
  const found = await Promise.all(
    there.map(({ name, settings }) =>
      limit(async (): Promise<ByHand[]> => {
        const says = valuesOf(settings);
        if (Object.keys(says).length === 0) return [];
        const { differing } = (await client.ask('GET /templates/{template}', { params: { template: name } })).sites;
        return differing.flatMap((one) =>
          one.settings
            .filter(({ setting, template }) => isSame(says[setting], template))
            .filter(({ setting }) => given.get(one.site)?.[setting] === undefined)
            .map(({ setting, site, template }) => ({
              site: one.site,
              template: name,
              setting,
              own: site,
              other: template,
            })),
        );
      }),
    ),
  );
  return found.flat();
}
