/** `lanreach site …` */
import { Option } from 'commander';
import type { ListedAgent, ListedSite, Site, Updates } from '../../shared/api/records.ts';
import { UPDATE_MODES } from '../../shared/words.ts';
import { Failure, failureOf } from '../client/failure.ts';
import type { Session } from '../client/session.ts';
import { noteUntagged } from '../client/tagged-sites.ts';
import { type Cell, type Fields, fields, joined, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';
import { flag, onOrOff } from '../option-values.ts';
import { noteStrange } from './agents.ts';
import { addImportSitesCommand } from './import-sites.ts';

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
  const ofOne = (name: string, description: string) =>
    site.part(name, description).argument('<site>', 'the id of the site');

  site
    .part('add', 'add a site')
    .argument('<id>', 'lower-case letters, digits and hyphens, such as home')
    .option('--name <name>', 'for people; default: the id')
    .option('--tag <tag...>', 'groups that it belongs to, such as customers')
    .run(async ({ request, note }, id: string, { name, tag: tags }: { name?: string; tag?: string[] }) => {
      const added = await request('POST /sites', { body: { id, name, tags } }, (made) => `${made.id}\n`);
      note(`The site has no agent yet: lanreach agent enrol --site ${added.id}`);
    });
  addImportSitesCommand(site);

  site
    .part('list', 'list the sites that the token may use')
    .withOnlySites()
    .option('--deleted', 'deleted sites, and until when each can be restored')
    .run(async (session, { sites: selection, deleted }: { sites?: string; deleted?: boolean }) => {
      const query = { sites: selection, deleted: flag(deleted) };
      const { sites } = await session.request('GET /sites', { query }, (answer) =>
        deleted
          ? table(['SITE', 'NAME', 'TAGS', 'DELETED', 'BY', 'RESTORABLE UNTIL'], answer.sites.map(deletedRow))
          : table(['SITE', 'NAME', 'TAGS', 'CREATED', 'DISCOVERY', 'STALE SINCE'], answer.sites.map(row)),
      );
      if (!deleted) noteUntagged(session, sites, selection);
    });

  ofOne('tag', 'add or remove tags of a site; tokens, roles and templates of a tag follow')
    .argument('<tag-change...>', 'such as +customers -test')
    .allowUnknownOption() // A tag that is taken looks like an option.
    .run(async ({ client, request }, id: string, changes: string[]) => {
      const params = { site: id };
      const { answer, etag } = await client.tagged('GET /sites/{site}', { params });
      const tags = tagsAfter(answer.tags, changes);
      // Tags that another caller has added in between are kept.
      await request('PATCH /sites/{site}', { params, body: { tags }, ifMatch: etag }, described);
    });

  ofOne('show', 'show a site and its settings').run(async (session, id: string) => {
    const { discovery } = await session.request('GET /sites/{site}', { params: { site: id } }, described);
    if (discovery.enabled && !session.isJson) noteStrange(session, await agentsSeen(session, id));
  });

  ofOne(
    'set',
    'change the name of a site, its time zone, where it can be reached from outside, and updates of its agents',
  )
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
    .run(({ request }, id: string, { name, timeZone, reachableAt, updates: mode, updateWindow }: SetOptions) => {
      const window = updateWindow === undefined ? undefined : windowOf(updateWindow);
      const updates = mode === undefined && window === undefined ? undefined : { mode, window };
      const body = { name, timeZone, reachableAt: reachableAt === '' ? null : reachableAt, updates };
      return request('PATCH /sites/{site}', { params: { site: id }, body }, described);
    });

  ofOne('discover', 'turn discovery on or off: the agents of a site scan its LAN for devices')
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
    .run(async ({ client, request, note }, id: string, enabled: boolean, options: DiscoverOptions) => {
      const { network, interval, gateway, recognize, acceptParents, archiveRandomAfter } = options;
      const params = { site: id };
      const networks = network?.length === 1 && network[0] === 'auto' ? ('auto' as const) : network;
      const before = gateway && (await client.ask('GET /sites/{site}', { params }));
      const gateways = gateway && [...new Set([...(before?.discovery.gateways ?? []), ...gateway])];
      const discovery = {
        ...{ enabled, networks, intervalSeconds: interval, gateways },
        ...{ recognize, acceptParents, archiveRandomAfterDays: archiveRandomAfter },
      };
      const { staleSince } = await request('PATCH /sites/{site}', { params, body: { discovery } }, described);
      if (!enabled || staleSince === null) return;
      note(
        `No agent of ${id} is connected: the settings apply when one connects. See: lanreach agent list --site ${id}`,
      );
    });

  ofOne('remove', 'delete a site with all its data; it can be restored for seven days')
    .argument('[name]', 'the name of the site, as a safeguard against the wrong one')
    .withYes()
    .run(async ({ client, confirm, request, note }, id: string, named: string | undefined) => {
      const params = { site: id };
      const { name } = await client.ask('GET /sites/{site}', { params });
      await confirm(`Remove the site ${id}, "${name}", with all its devices, runs and agents?`);
      const { restorableUntil } = await request('DELETE /sites/{site}', { params, query: { confirm: named ?? name } });
      note(`The site ${id} is removed. Until ${restorableUntil}: lanreach site restore ${id}`);
    });

  site
    .part('restore', 'restore a deleted site; its agents reconnect')
    .argument('<site>', 'the id of the site, as "site list --deleted" shows it')
    .run(async ({ request, note }, id: string) => {
      await request('POST /sites/{site}/restore', { params: { site: id } }, () => `${id}\n`);
      note(`The site ${id} is back. Its agents connect within two minutes.`);
    });
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

function described(site: Site): Fields {
  const { id, name, tags, createdAt, timeZone, reachableAt, updates, policy, discovery, staleSince, coverage } = site;
  const { archiveRandomAfterDays: days } = discovery;
  const unwatched = coverage.unwatched.map(({ network, since }): Cell => [`${network} since `, time(since)]);
  return fields({
    id,
    name,
    tags: tags.join(' ') || null,
    created: time(createdAt),
    'time zone': timeZone,
    'reachable at': reachableAt,
    updates: updates.mode + (updates.window === null ? '' : `, ${updates.window.from}-${updates.window.to}`),
    'not allowed': policy && policyText(policy),
    discovery: discovery.enabled ? `on, every ${discovery.intervalSeconds} s` : 'off',
    networks: networksOf(site),
    gateways: discovery.gateways?.join(' '),
    recognition: discovery.recognize === false ? 'off' : null,
    parents: discovery.acceptParents === true ? 'taken over by themselves' : null,
    'made-up MACs': days === undefined ? null : `archived after ${days} days`,
    'stale since': time(staleSince),
    watched: coverage.watched.join(' ') || '-',
    'not watched': unwatched.length === 0 ? null : joined(unwatched, ', '),
  });
}

function policyText({ deny, maxScanAddresses }: NonNullable<Site['policy']>): string {
  const size = maxScanAddresses === null ? [] : [`scans of more than ${maxScanAddresses} addresses`];
  return [...deny, ...size].join(', ') || 'nothing';
}

function networksOf({ discovery: { networks } }: Pick<Site, 'discovery'>): string {
  return networks === 'auto' ? networks : networks.join(' ');
}
