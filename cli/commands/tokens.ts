/** `lanreach token …` */
import { InvalidArgumentError, Option } from 'commander';
import type { ListedToken } from '../../shared/api/tokens.ts';
import type { Scope } from '../../shared/identity.ts';
import { SCOPES } from '../../shared/words.ts';
import { configPath } from '../client/config.ts';
import { Failure } from '../client/failure.ts';
import { type Profile, readProfiles, writeProfiles } from '../client/profiles.ts';
import { type Cell, muted, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';
import { toExpiry } from '../option-values.ts';

interface CreateOptions {
  name: string;
  scope: Scope[];
  site?: string[];
  allSites?: boolean;
  defaultSite?: string;
  expires?: Date;
}

export function addTokenCommands(token: Command): void {
  const ofOne = (name: string, description: string) =>
    token.part(name, description).argument('<id>', 'as "token list" shows it');

  token
    .part('create', 'create a token; it is shown only once')
    .requiredOption('--name <name>', 'its purpose, for people')
    .addOption(new Option('--scope <scope...>', 'what it may do').choices(SCOPES).makeOptionMandatory())
    .option('--site <site...>', 'sites that it may use')
    .option('--all-sites', 'it may use every site, including future ones')
    .option('--default-site <site>', 'the site of requests that name none')
    .option(
      '--expires <when>',
      'a time from now such as 12h or 30d, or a date such as 2030-12-31 (UTC); default: as long as your own token',
      toExpiry,
    )
    .run(async ({ request, note }, options: CreateOptions) => {
      const created = await request('POST /tokens', { body: requestFor(options) }, secretText);
      note(`This is the token "${created.name}" with the id ${created.id}. It is not shown again: keep it safe.`);
    });

  token.part('list', 'list the tokens that have not been revoked').run(({ request }) => {
    const headings = ['NAME', 'SCOPES', 'SITES', 'DEFAULT', 'MADE BY', 'EXPIRES', 'LAST USED', 'ID'];
    return request('GET /tokens', {}, ({ tokens }) => table(headings, tokens.map(row)));
  });

  ofOne('rotate', 'replace the secret of a token; its id and rights stay')
    .option(
      '--overlap <span>',
      'how long the secret of before stays valid, up to 7d: 1h, 2d; default: not at all',
      overlap,
    )
    .option('--expires <when>', 'another expiry, not after that of your own token: 30d, or a date', toExpiry)
    .run(async ({ client, show, note, world }, id: string, { overlap: overlapHours, expires }: RotateOptions) => {
      const body = { overlapHours, expiresAt: expires?.toISOString() };
      const rotated = await client.ask('POST /tokens/{id}/rotate', { params: { id }, body });
      const kept = keepInProfiles(configPath(world.env), client.url, rotated);
      await show(rotated, () => secretText(rotated));
      note(`This is the new secret of the token "${rotated.name}". It is not shown again: keep it safe.`);
      if (kept) note('The profile has it already.');
      const { formerValidUntil: until } = rotated;
      if (until !== null) note(`The one of before is valid until ${until}.`);
    });

  ofOne('revoke', 'revoke a token at once')
    .withYes()
    .run(async ({ confirm, request, note }, id: string) => {
      await confirm(`Revoke the token ${id}?`);
      const { running, truncated } = await request('DELETE /tokens/{id}', { params: { id } });
      note(`Token ${id} is revoked.`);
      if (running.length > 0) note('Commands that it started are still running. To stop them:');
      for (const job of running) note(`  lanreach runs cancel ${job}`);
      if (truncated) note('Not all commands could be checked. To see them all: lanreach runs list --site <site>');
    });
}

const secretText = ({ token }: { token: string }) => `${token}\n`;

interface RotateOptions {
  overlap?: number;
  expires?: Date;
}

/** A profile with a secret that is not valid any more would only fail. @returns whether there was one */
function keepInProfiles(path: string, url: string, { id, token }: { id: string; token: string }): boolean {
  const { current, profiles } = readProfiles(path);
  const isMeant = (profile: Profile) => profile.url === url && profile.token.startsWith(`lr_${id}.`);
  if (!Object.values(profiles).some(isMeant)) return false;
  const entries = Object.entries(profiles).map(
    ([name, one]) => [name, isMeant(one) ? { ...one, token } : one] as const,
  );
  writeProfiles(path, { current, profiles: Object.fromEntries(entries) });
  return true;
}

function overlap(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,2})([hd])$/.exec(text) ?? [];
  const hours = Number(count) * (unit === 'd' ? 24 : 1);
  if (count !== undefined && hours <= 168) return hours;
  throw new InvalidArgumentError('Expected hours or days up to a week, such as 1h or 2d.');
}

/** Sites have no default, because the reach of a token must be stated. */
function requestFor({ name, scope, site, allSites, defaultSite, expires }: CreateOptions) {
  if ((site === undefined) === (allSites === undefined)) {
    throw new Failure('usage', 'Specify the sites that the token may use: --site <site...> or --all-sites');
  }
  const sites = site ?? ('*' as const);
  return { name, scopes: scope, sites, defaultSite, expiresAt: expires?.toISOString() };
}

function row({ id, name, scopes, sites, defaultSite, createdBy, expiresAt, lastUsedAt }: ListedToken): Cell[] {
  const where = sites === '*' ? '*' : sites.join(',');
  const times = [time(expiresAt, 'never'), time(lastUsedAt, 'never')];
  return [name, scopes.join(','), where, defaultSite ?? '-', createdBy ?? '-', ...times, muted(id)];
}
