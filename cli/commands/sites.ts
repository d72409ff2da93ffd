/** `lanreach site …` */
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { admin } from '../../shared/api/admin.ts';
import { type ListedAgent, type Site, Updates } from '../../shared/api/records.ts';
import { shellWord } from '../../shared/install-line.ts';
import { Failure, failureOf } from '../client/failure.ts';
import { openSession, type Session } from '../client/session.ts';
import { fields, table } from '../client/text.ts';
import { noteStrange } from './agents.ts';

/** Requests that remove a site; each does as much as fits into it. */
const MOST_TRIES = 600;

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

export function addSiteCommands(program: Command): void {
  const site = program.command('site').description('sites: one for each LAN');

  site
    .command('add')
    .description('add a site')
    .argument('<id>', 'lower-case letters, digits and hyphens, such as home')
    .option('--name <name>', 'for people; default: the id')
    .action(async (id: string, { name }: { name?: string }, command: Command) => {
      const { client, show, note } = openSession(command);
      const added = await client.ask(admin.addSite, { body: { id, name } });
      show(added, () => `${added.id}\n`);
      note(`The site has no agent yet: lanreach agent enrol --site ${added.id}`);
    });

  site
    .command('list')
    .description('list the sites that the token may use')
    .action(async (_options: object, command: Command) => {
      const { client, show } = openSession(command);
      const answer = await client.ask(admin.listSites);
      show(answer, () => table(['ID', 'NAME', 'CREATED', 'DISCOVERY', 'STALE SINCE'], answer.sites.map(row)));
    });

  site
    .command('show')
    .description('show a site and its settings')
    .argument('<site>', 'the id of the site')
    .action(async (id: string, _options: object, command: Command) => {
      const session = openSession(command);
      const params = { site: id };
      const found = await session.client.ask(admin.getSite, { params });
      session.show(found, () => fields(described(found)));
      if (found.discovery.enabled && command.optsWithGlobals().json !== true) {
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
    .option('--time-zone <zone>', 'by whose clock its schedules run, such as Europe/Berlin')
    .option('--reachable-at <address>', 'at which address or name other sites can check this one; "" for none')
    .addOption(
      new Option('--updates <mode>', 'whether agents replace themselves by newer releases').choices(
        Updates.shape.mode.options,
      ),
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
      const changed = await client.ask(admin.changeSite, { params: { site: id }, body });
      show(changed, () => fields(described(changed)));
    });

  site
    .command('discover')
    .description('turn on or off that the agents of a site watch its LAN for devices')
    .argument('<site>', 'the id of the site')
    .argument('<on|off>', 'whether they do', onOrOff)
    .option(
      '--network <CIDR...>',
      'watch these IPv4 networks, or "auto" for those of the agents\' hosts; default: as before',
    )
    .option('--interval <seconds>', 'how often they look, 30 to 3600; default: as before', Number)
    .option(
      '--gateway <MAC...>',
      'confirm these gateways, for an agent that says "another-network", beside those confirmed before',
    )
    .option('--recognize <on|off>', 'whether agents ask devices what they are; at first they do', onOrOff)
    .option('--accept-parents <on|off>', 'whether the map takes over what switches and routes show', onOrOff)
    .option('--archive-random-after <days>', 'archive phones that made up another MAC since; at first 7', Number)
    .action(async (id: string, enabled: boolean, options: DiscoverOptions, command: Command) => {
      const { network, interval, gateway, recognize, acceptParents, archiveRandomAfter } = options;
      const { client, show, note } = openSession(command);
      const networks = network?.length === 1 && network[0] === 'auto' ? ('auto' as const) : network;
      const before = gateway === undefined ? null : await client.ask(admin.getSite, { params: { site: id } });
      const gateways = gateway && [...new Set([...(before?.discovery.gateways ?? []), ...gateway])];
      const discovery = {
        ...{ enabled, networks, intervalSeconds: interval, gateways },
        ...{ recognize, acceptParents, archiveRandomAfterDays: archiveRandomAfter },
      };
      const changed = await client.ask(admin.changeSite, { params: { site: id }, body: { discovery } });
      show(changed, () => fields(described(changed)));
      if (enabled && changed.staleSince !== null) {
        note(
          `No agent of ${id} is connected. It is told when it comes; what they see: lanreach agent list --site ${id}`,
        );
      }
    });

  site
    .command('remove')
    .description('remove a site and all that is in it: devices, jobs and agents')
    .argument('<site>', 'the id of the site')
    .option('--yes <name>', 'the name of the site, so that it is not asked for')
    .action(async (id: string, { yes }: { yes?: string }, command: Command) => {
      const session = openSession(command);
      const confirm = yes ?? (await askForName(session, id));
      const question = { params: { site: id }, query: { confirm } };
      let answer = await session.client.ask(admin.removeSite, question);
      for (let tries = 1; !answer.isComplete; tries++) {
        if (tries > MOST_TRIES)
          throw new Failure('failure', `The site ${id} is not gone yet; the same command goes on`);
        await sleep(1_000);
        answer = await session.client.ask(admin.removeSite, question);
      }
      session.show(answer, () => '');
      session.note(`The site ${id} is removed, with its devices, jobs and agents.`);
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
    return (await client.ask(admin.listAgents, { params: { site } })).agents;
  } catch (error) {
    if (failureOf(error) === null) throw error;
    return [];
  }
}

async function askForName({ note }: Session, id: string): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new Failure(
      'usage',
      `Nobody can be asked here: confirm it with --yes and the name of the site ${shellWord(id)}`,
    );
  }
  note(`All devices, jobs and agents of the site ${id} will be deleted. This cannot be undone.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question('The name of the site, to confirm: ');
  } finally {
    terminal.close();
  }
}

function row({ id, name, createdAt, discovery, staleSince }: Site): string[] {
  return [id, name, createdAt, discovery.enabled ? networksOf({ discovery }) : 'off', staleSince ?? '-'];
}

function described(site: Site): Record<string, string> {
  const { id, name, createdAt, timeZone, reachableAt, updates, discovery, staleSince, coverage } = site;
  return {
    id,
    name,
    created: createdAt,
    'time zone': timeZone,
    ...(reachableAt === null ? {} : { 'reachable at': reachableAt }),
    updates: updates.mode + (updates.window === null ? '' : `, ${updates.window.from}-${updates.window.to}`),
    discovery: discovery.enabled ? `on, every ${discovery.intervalSeconds} s` : 'off',
    networks: networksOf(site),
    ...(discovery.gateways === undefined ? {} : { gateways: discovery.gateways.join(' ') }),
    ...(discovery.recognize === false ? { recognition: 'off' } : {}),
    ...(discovery.acceptParents === true ? { parents: 'taken over by themselves' } : {}),
    ...(discovery.archiveRandomAfterDays === undefined
      ? {}
      : { 'made-up MACs': `archived after ${discovery.archiveRandomAfterDays} days` }),
    'stale since': staleSince ?? '-',
    watched: coverage.watched.join(' ') || '-',
    ...(coverage.unwatched.length === 0
      ? {}
      : { 'not watched': coverage.unwatched.map(({ network, since }) => `${network} since ${since}`).join(', ') }),
  };
}

function networksOf({ discovery: { networks } }: Pick<Site, 'discovery'>): string {
  return networks === 'auto' ? networks : networks.join(' ');
}
