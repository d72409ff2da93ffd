/** Commands that make something at all sites with a tag, now and later: by a template. */
import { ApiError } from '../../client/errors.ts';
import type { BodyOf } from '../../client/routes.ts';
import { tagOfRef } from '../../shared/site-ref.ts';
import { Failure } from '../client/failure.ts';
import type { Session } from '../client/session.ts';
import { described } from './templates.ts';

export interface Place {
  site?: string;
  sites?: string[];
}

/** The tags that are named; null without. */
export function tagsOf({ site, sites }: Place): string[] | null {
  if (sites === undefined) return null;
  if (site !== undefined) throw new Failure('usage', 'Use --site or --sites, not both');
  return sites.map((ref) => {
    const tag = tagOfRef(ref);
    if (tag !== null) return tag;
    throw new Failure('usage', `Expected tags such as tag:customers, not "${ref}": for one site, use --site`);
  });
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
  await show(made, () => described(made));
  const { count, made: done, others } = made.sites;
  for (const { site, problem } of others) note(`Not at ${site}${problem === null ? ' yet' : `: ${problem}`}`);
  note(`The template ${template} makes it at ${done} of ${count} sites, and at each that gets the tag.`);
  return made.secrets;
}

const MAX_NAME = 32;
/** The ETag of a template that is not there. */
const NOT_THERE = '"0"';
