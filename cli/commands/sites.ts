/** `lanreach site …` */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ListedAgent, ListedSite, Site, Updates } from '../../shared/api/records.ts';
import { UPDATE_MODES } from '../../shared/words.ts';
import { Failure, failureOf } from '../client/failure.ts';
import { confirm } from '../client/question.ts';
import { openSession, type Session } from '../client/session.ts';
import { untagged } from '../client/tagged-sites.ts';
import { type Cell, fields, table, time } from '../client/text.ts';
import { noteStrange } from './agents.ts';
import { addImportSitesCommand } from './import-sites.ts';
import { type OnlySites, onlySitesOption } from './site-option.ts';
import { type YesOption, yesOption } from './yes-option.ts';

interface DiscoverOptions {
  network?: string[];
  interval?: number;
  gateway?: string[];
  recognize?: boolean;
  acceptParents?: boolean;
  archiveRandomAfter?: number;
}

interface SetOptions {
  name?: string;
  timeZone?: string;
  reachableAt?: string;
  updates?: Updates['mode'];
  updateWindow?: string;
}

export function addSiteCommands(site: Command): void {
  site
    .command('add')
    .description('add a site')
    .argument('<id>', 'lower-case letters, digits and hyphens, such as home')
    .option('--name <name>', 'for people; default: the id')
    .option('--tag <tag...>', 'groups that it belongs to, such as customers')
    .action(async (id: string, { name, tag: tags }: { name?: string; tag?: string[] }, command: Command) => {
      const { client, show, note } = openSession(command);
      const added = await client.ask('POST /sites', { body: { id, name, tags } });
      await show(added, () => `${added.id}\n`);
      note(`The site has no agent yet: lanreach agent enrol --site ${added.id}`);
    });
  addImportSitesCommand(site);

  site
    .command('list')
    .description('list the sites that the token may use')
    .addOption(onlySitesOption())
    .option('--deleted', 'deleted sites, and until when each can be restored')
    .action(async ({ sites, deleted }: OnlySites & { deleted?: boolean }, command: Command) => {
      const { client, show, note } = openSession(command);
      const answer = await client.ask('GET /sites', { query: { sites, ...(deleted ? { deleted: 'true' } : {}) } });
      if (deleted) {
        const headings = ['SITE', 'NAME', 'TAGS', 'DELETED', 'BY', 'RESTORABLE UNTIL'];
        return show(answer, () => table(headings, answer.sites.map(deletedRow)));
      }
      const headings = ['SITE', 'NAME', 'TAGS', 'CREATED', 'DISCOVERY', 'STALE SINCE'];
      await show(answer, () => table(headings, answer.sites.map(row)));
      const problem = untagged(answer.sites, sites?.split(',') ?? []);
      if (problem !== null) note(problem);
    });

  site
    .command('tag')
    .description('add or remove tags of a site; tokens, roles and templates of a tag follow')
    .argument('<site>', 'the id of the site')
    .argument('<tag-change...>', 'such as +customers -test')
    .allowUnknownOption() // A tag that is taken looks like an option.
    .action(async (id: string, changes: string[], _options: object, command: Command) => {
      const { client, show } = openSession(command);
      const params = { site: id };
      const { answer, etag } = await client.tagged('GET /sites/{site}', { params });
      const tags = tagsAfter(answer.tags, changes);
      // Tags that another caller has added in between are kept.
      const changed = await client.ask('PATCH /sites/{site}', { params, body: { tags }, ifMatch: etag });
      await show(changed, () => fields(described(changed)));
    });

  site
    .command('show')
    .description('show a site and its settings')
    .argument('<site>', 'the id of the site')
    .action(async (id: string, _options: object, command: Command) => {
      const session = openSession(command);
      const params = { site: id };
      const found = await session.client.ask('GET /sites/{site}', { params });
      await session.show(found, () => fields(described(found)));
      if (found.discovery.enabled && !session.isJson) {
        noteStrange(session, await agentsSeen(session, id));
      }
    });

  site
    .command('set')
    .description(
      'change the name of a site, its time zone, where it can be reached from outside, and updates of its agents',
    )
    .argument('<site>', 'the id of the site')
    .option('--name <name>', 'for people')
    .option('--time-zone <zone>', 'the time zone of its schedules, such as Europe/Berlin')
    .option('--reachable-at <address>', 'the public address or name by which other sites check this one; "" for none')
    .addOption(
      new Option('--updates <mode>', 'whether agents replace themselves by newer releases').choices(UPDATE_MODES),
    )
    .option(
      '--update-window <from-to>',
      'when they may begin, such as 22:00-06:00, an hour or longer; "" for at any time',
    )
    .action(async (id: string, options: SetOptions, command: Command) => {
      const { name, timeZone, reachableAt, updates: mode, updateWindow } = options;
      const { client, show } = openSession(command);
      const window = updateWindow === undefined ? undefined : windowOf(updateWindow);
      const body = {
        ...{ name, timeZone, reachableAt: reachableAt === '' ? null : reachableAt },
        ...(mode === undefined && window === undefined ? {} : { updates: { mode, window } }),
      };
      const changed = await client.ask('PATCH /sites/{site}', { params: { site: id }, body });
      await show(changed, () => fields(described(changed)));
    });

  site
    .command('discover')
    .description('turn discovery on or off: the agents of a site scan its LAN for devices')
    .argument('<site>', 'the id of the site')
    .argument('<on|off>', 'on or off', onOrOff)
    .option(
      '--network <CIDR...>',
      'watch these IPv4 networks, or "auto" for those of the agents\' hosts; default: as before',
    )
    .option('--interval <seconds>', 'seconds between scans, 30 to 3600; default: unchanged', Number)
    .option(
      '--gateway <MAC...>',
      'confirm these gateways, for an agent that says "another-network", beside those confirmed before',
    )
    .option('--recognize <on|off>', 'whether agents query devices to identify them; initially on', onOrOff)
    .option(
      '--accept-parents <on|off>',
      'whether the map adopts the connections that switches and routes show',
      onOrOff,
    )
    .option(
      '--archive-random-after <days>',
      'archive phones that use another randomized MAC since; initially 7',
      Number,
    )
    .action(async (id: string, enabled: boolean, options: DiscoverOptions, command: Command) => {
      const { network, interval, gateway, recognize, acceptParents, archiveRandomAfter } = options;
      const { client, show, note } = openSession(command);
      const networks = network?.length === 1 && network[0] === 'auto' ? ('auto' as const) : network;
      const before = gateway === undefined ? null : await client.ask('GET /sites/{site}', { params: { site: id } });
      const gateways = gateway && [...new Set([...(before?.discovery.gateways ?? []), ...gateway])];
      const discovery = {
        ...{ enabled, networks, intervalSeconds: interval, gateways },
        ...{ recognize, acceptParents, archiveRandomAfterDays: archiveRandomAfter },
      };
      const changed = await client.ask('PATCH /sites/{site}', { params: { site: id }, body: { discovery } });
      await show(changed, () => fields(described(changed)));
      if (enabled && changed.staleSince !== null) {
        note(
          `No agent of ${id} is connected: the settings apply when one connects. See: lanreach agent list --site ${id}`,
        );
      }
    });

  site
    .command('remove')
    .description('delete a site with all its data; it can be restored for seven days')
    .argument('<site>', 'the id of the site')
    .argument('[name]', 'the name of the site, as a safeguard against the wrong one')
    .addOption(yesOption())
    .action(async (id: string, named: string | undefined, { yes }: YesOption, command: Command) => {
      const session = openSession(command);
      const { name } = await session.client.ask('GET /sites/{site}', { params: { site: id } });
      const what = `Remove the site ${id}, "${name}", with all its devices, runs and agents?`;
      await confirm(session.world, what, yes);
      const confirmedName = named ?? name;
      const question = { params: { site: id }, query: { confirm: confirmedName } };
      const answer = await session.client.ask('DELETE /sites/{site}', question);
      await session.show(answer, () => '');
      session.note(`The site ${id} is removed. Until ${answer.restorableUntil}: lanreach site restore ${id}`);
    });

  site
    .command('restore')
    .description('restore a deleted site; its agents reconnect')
    .argument('<site>', 'the id of the site, as "site list --deleted" shows it')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, show, note } = openSession(command);
      const restored = await client.ask('POST /sites/{site}/restore', { params: { site: id } });
      await show(restored, () => `${id}\n`);
      note(`The site ${id} is back. Its agents connect within two minutes.`);
    });
}

function onOrOff(word: string): boolean {
  if (word === 'on') return true;
  if (word === 'off') return false;
  throw new InvalidArgumentError('Expected on or off.');
}

/** What is no window, the schema of the API refuses. */
function windowOf(text: string): Updates['window'] {
  if (text === '') return null;
  const [from = '', to = ''] = text.split('-');
  return { from, to };
}

/** None for a token that may not see them. */
async function agentsSeen({ client }: Session, site: string): Promise<ListedAgent[]> {
  try {
    return (await client.ask('GET /sites/{site}/agents', { params: { site } })).agents;
  } catch (error) {
    if (failureOf(error) === null) throw error;
    return [];
  }
}

/** @throws {Failure} `usage` for a word that is neither +tag nor -tag */
function tagsAfter(before: readonly string[], changes: readonly string[]): string[] {
  const after = new Set(before);
  for (const change of changes) {
    const [, sign, tag = ''] = /^([+-])(?!-)(.+)$/.exec(change) ?? [];
    if (sign === undefined) throw new Failure('usage', `"${change}": expected +tag or -tag, such as +customers`);
    if (sign === '+') after.add(tag);
    else after.delete(tag);
  }
  return [...after];
}

function row({ id, name, tags, createdAt, discovery, staleSince }: Site): Cell[] {
  const watched = discovery.enabled ? networksOf({ discovery }) : 'off';
  return [id, name, tags.join(' ') || '-', time(createdAt), watched, time(staleSince)];
}

function deletedRow({ id, name, tags, deletion }: ListedSite): Cell[] {
  const { deletedAt = null, deletedBy = '-', restorableUntil = null } = deletion ?? {};
  return [id, name, tags.join(' ') || '-', time(deletedAt), deletedBy, time(restorableUntil)];
}

function described(site: Site): Record<string, Cell> {
  const { id, name, tags, createdAt, timeZone, reachableAt, updates, policy, discovery, staleSince, coverage } = site;
  return {
    id,
    name,
    ...(tags.length === 0 ? {} : { tags: tags.join(' ') }),
    created: time(createdAt),
    'time zone': timeZone,
    ...(reachableAt === null ? {} : { 'reachable at': reachableAt }),
    updates: updates.mode + (updates.window === null ? '' : `, ${updates.window.from}-${updates.window.to}`),
    ...(policy === undefined ? {} : { 'not allowed': policyText(policy) }),
    discovery: discovery.enabled ? `on, every ${discovery.intervalSeconds} s` : 'off',
    networks: networksOf(site),
    ...(discovery.gateways === undefined ? {} : { gateways: discovery.gateways.join(' ') }),
    ...(discovery.recognize === false ? { recognition: 'off' } : {}),
    ...(discovery.acceptParents === true ? { parents: 'taken over by themselves' } : {}),
    ...(discovery.archiveRandomAfterDays === undefined
      ? {}
      : { 'made-up MACs': `archived after ${discovery.archiveRandomAfterDays} days` }),
    'stale since': time(staleSince),
    watched: coverage.watched.join(' ') || '-',
    ...(coverage.unwatched.length === 0
      ? {}
      : {
          'not watched': coverage.unwatched.flatMap(({ network, since }, i): Cell[] => [
            ...[i === 0 ? '' : ', ', `${network} since `],
            time(since),
          ]),
        }),
  };
}

function policyText({ deny, maxScanAddresses }: NonNullable<Site['policy']>): string {
  const size = maxScanAddresses === null ? [] : [`scans of more than ${maxScanAddresses} addresses`];
  return [...deny, ...size].join(', ') || 'nothing';
}

function networksOf({ discovery: { networks } }: Pick<Site, 'discovery'>): string {
  return networks === 'auto' ? networks : networks.join(' ');
}
