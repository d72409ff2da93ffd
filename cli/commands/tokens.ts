/** `lanreach token …` */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ListedToken } from '../../shared/api/tokens.ts';
import type { Scope } from '../../shared/identity.ts';
import { SCOPES } from '../../shared/words.ts';
import { configPath } from '../client/config.ts';
import { Failure } from '../client/failure.ts';
import { type Profile, readProfiles, writeProfiles } from '../client/profiles.ts';
import { confirm } from '../client/question.ts';
import { openSession } from '../client/session.ts';
import { type Cell, muted, table, time } from '../client/text.ts';
import { type YesOption, yesOption } from './yes-option.ts';

interface CreateOptions {
  name: string;
  scope: Scope[];
  site?: string[];
  allSites?: boolean;
  defaultSite?: string;
  expires?: Date;
}

export function addTokenCommands(token: Command): void {
  token
    .command('create')
    .description('create a token; it is shown only once')
    .requiredOption('--name <name>', 'its purpose, for people')
    .addOption(new Option('--scope <scope...>', 'what it may do').choices(SCOPES).makeOptionMandatory())
    .option('--site <site...>', 'sites that it may use')
    .option('--all-sites', 'it may use every site, including future ones')
    .option('--default-site <site>', 'the site of requests that name none')
    .option(
      '--expires <when>',
      'a time from now such as 12h or 30d, or a date such as 2030-12-31 (UTC); default: as long as your own token',
      expiry,
    )
    .action(async (options: CreateOptions, command: Command) => {
      const body = requestFor(options);
      const { client, show, note } = openSession(command);
      const created = await client.ask('POST /tokens', { body });
      await show(created, () => `${created.token}\n`);
      note(`This is the token "${created.name}" with the id ${created.id}. It is not shown again: keep it safe.`);
    });

  token
    .command('list')
    .description('list the tokens that have not been revoked')
    .action(async (_options: object, command: Command) => {
      const { client, show } = openSession(command);
      const answer = await client.ask('GET /tokens');
      await show(answer, () =>
        table(['NAME', 'SCOPES', 'SITES', 'DEFAULT', 'MADE BY', 'EXPIRES', 'LAST USED', 'ID'], answer.tokens.map(row)),
      );
    });

  token
    .command('rotate')
    .description('replace the secret of a token; its id and rights stay')
    .argument('<id>', 'as "token list" shows it')
    .option(
      '--overlap <span>',
      'how long the secret of before stays valid, up to 7d: 1h, 2d; default: not at all',
      overlap,
    )
    .option('--expires <when>', 'another expiry, not after that of your own token: 30d, or a date', expiry)
    .action(async (id: string, { overlap: overlapHours, expires }: RotateOptions, command: Command) => {
      const { client, show, note, world } = openSession(command);
      const body = {
        ...(overlapHours === undefined ? {} : { overlapHours }),
        ...(expires === undefined ? {} : { expiresAt: expires.toISOString() }),
      };
      const rotated = await client.ask('POST /tokens/{id}/rotate', { params: { id }, body });
      const kept = keepInProfiles(configPath(world.env), client.url, rotated);
      await show(rotated, () => `${rotated.token}\n`);
      note(`This is the new secret of the token "${rotated.name}". It is not shown again: keep it safe.`);
      if (kept) note('The profile has it already.');
      const { formerValidUntil: until } = rotated;
      if (until !== null) note(`The one of before is valid until ${until}.`);
    });

  token
    .command('revoke')
    .description('revoke a token at once')
    .argument('<id>', 'as "token list" shows it')
    .addOption(yesOption())
    .action(async (id: string, { yes }: YesOption, command: Command) => {
      const { client, show, note, world } = openSession(command);
      await confirm(world, `Revoke the token ${id}?`, yes);
      const answer = await client.ask('DELETE /tokens/{id}', { params: { id } });
      await show(answer, () => '');
      note(`Token ${id} is revoked.`);
      if (answer.running.length > 0) note('Commands that it started are still running. To stop them:');
      for (const job of answer.running) note(`  lanreach runs cancel ${job}`);
      if (answer.truncated) {
        note('Not all commands could be checked. To see them all: lanreach runs list --site <site>');
      }
    });
}

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
  return {
    name,
    scopes: scope,
    sites: site ?? ('*' as const),
    ...(defaultSite === undefined ? {} : { defaultSite }),
    ...(expires === undefined ? {} : { expiresAt: expires.toISOString() }),
  };
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function expiry(text: string): Date {
  const [, count, unit] = /^([1-9]\d{0,4})([mhdw])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(Date.now() + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]);
  // JavaScript parses a time without a zone as local time, but a date alone as UTC.
  const isDate = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text);
  if (isDate && !Number.isNaN(Date.parse(text))) return new Date(text);
  throw new InvalidArgumentError('Expected 30m, 12h, 30d, 4w, or a date such as 2030-12-31 or 2030-12-31T18:00:00Z.');
}

function row({ id, name, scopes, sites, defaultSite, createdBy, expiresAt, lastUsedAt }: ListedToken): Cell[] {
  const where = sites === '*' ? '*' : sites.join(',');
  const times = [time(expiresAt, 'never'), time(lastUsedAt, 'never')];
  return [name, scopes.join(','), where, defaultSite ?? '-', createdBy ?? '-', ...times, muted(id)];
}
