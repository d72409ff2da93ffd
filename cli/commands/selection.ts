/** Commands that make something at several sites: at some once, and by a template at those that have a tag, now and later. */
import { Option } from 'commander';
import { ApiError } from '../../client/errors.ts';
import type { BodyOf } from '../../client/routes.ts';
import { tagOfRef } from '../../shared/site-ref.ts';
import type { Api } from '../client/api.ts';
import { Failure } from '../client/failure.ts';
import type { Session } from '../client/session.ts';
import { fields } from '../client/text.ts';
import { described } from './templates.ts';

export interface Place {
  site?: string;
  sites?: string[];
}

export function sitesOption(): Option {
  const what =
    'several sites, by ids separated by commas, or * for all of the token now; what is added to tags, such as tag:customers, is a template of that name';
  return new Option('--sites <sites>', what).argParser((text) => text.split(',').map((one) => one.trim()));
}

/** A request that names several sites is made at one of them, also with a token that has no default site. */
export async function placeOf(client: Api, { site, sites }: Place): Promise<{ site?: string; sites?: string }> {
  if (sites === undefined) return site === undefined ? {} : { site };
  const named = sites.join(',');
  if (site !== undefined) throw new Failure('usage', 'Use --site or --sites, not both');
  const byId = sites.find((one) => one !== '*' && !one.startsWith('tag:'));
  if (byId !== undefined) return { site: byId, sites: named };
  const first = (await client.ask('GET /sites', { query: { limit: '1', sites: named } })).sites[0];
  return { ...(first === undefined ? {} : { site: first.id }), sites: named };
}

/** The tags that are named; null for sites. */
export function tagsOf({ site, sites = [] }: Place): string[] | null {
  const tags = sites.flatMap((ref) => tagOfRef(ref) ?? []);
  if (tags.length === 0) return null;
  if (site !== undefined) throw new Failure('usage', 'Use --site or --sites, not both');
  if (tags.length === sites.length) return tags;
  throw new Failure('usage', 'Use tags or sites with --sites, not both: for tags, a template is made');
}

type Parts = Omit<BodyOf<'PUT /templates/{template}'>, 'tags'>;

/** Makes a template of one part, that is called as the part is. @returns the secrets of its hooks */
export async function addTemplate(
  { client, show, note }: Session,
  tags: string[],
  called: string,
  parts: Parts,
): Promise<Record<string, string>> {
  const words = called.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const template = words.join('-').slice(0, MAX_NAME).replace(/-$/, '');
  if (template === '')
    throw new Failure('usage', `No name of a template can be made of "${called}": use letters and digits`);
  const question = { params: { template }, body: { tags, ...parts }, ifMatch: NOT_THERE };
  const made = await client.ask('PUT /templates/{template}', question).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'precondition_failed') throw error;
    throw new Failure('failure', `There is a template "${template}" already: use another name, or lanreach apply`);
  });
  await show(made, () => fields(described(made)));
  const { count, made: done, others } = made.sites;
  for (const { site, problem } of others) note(`Not at ${site}${problem === null ? ' yet' : `: ${problem}`}`);
  note(`The template ${template} makes it at ${done} of ${count} sites, and at each that gets the tag.`);
  return made.secrets;
}

const MAX_NAME = 32;
/** The ETag of a template that is not there. */
const NOT_THERE = '"0"';

/** The place in a body. */
export function sitesOf({ sites }: { sites?: string }): { sites?: '*' | string[] } {
  if (sites === undefined) return {};
  return { sites: sites === '*' ? sites : sites.split(',') };
}

export function noteFailed({ note }: Session, failed: readonly { site: string; message: string }[] = []): void {
  for (const { site, message } of failed) note(`Not at ${site}: ${message}`);
}
