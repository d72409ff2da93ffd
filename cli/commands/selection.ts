/** Commands that make something at several sites at once. */
import { Option } from 'commander';
import type { Api } from '../client/api.ts';
import { Failure } from '../client/failure.ts';
import type { Session } from '../client/session.ts';

export interface Place {
  site?: string;
  sites?: string[];
}

export function sitesOption(): Option {
  const what =
    'several sites, by ids and tags such as tag:customers, separated by commas, or * for all of the token: those that there are now';
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

/** The same in a body. */
export function sitesOf({ sites }: { sites?: string }): { sites?: '*' | string[] } {
  if (sites === undefined) return {};
  return { sites: sites === '*' ? sites : sites.split(',') };
}

export function noteFailed({ note }: Session, failed: readonly { site: string; message: string }[] = []): void {
  for (const { site, message } of failed) note(`Not at ${site}: ${message}`);
}
