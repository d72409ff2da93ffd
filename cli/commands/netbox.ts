/** `lanreach netbox sync`: the devices of sites as an inventory in NetBox. */
import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { Site } from '../../shared/api/records.ts';
import type { DeviceFields } from '../../shared/device.ts';
import { tagOfRef } from '../../shared/identity.ts';
import { checkedToken, netboxTokenOf } from '../client/config.ts';
import { Failure, unreadableFile } from '../client/failure.ts';
import { progressLine } from '../client/progress-line.ts';
import { openSession, type Session } from '../client/session.ts';
import { requireTagged } from '../client/tagged-sites.ts';
import { table } from '../client/text.ts';
import { prepare } from '../netbox/marks.ts';
import { type NetBoxAccess, openNetBox } from '../netbox/netbox-client.ts';
import { syncSite } from '../netbox/sync.ts';
import { type Wanted, wantedOf } from '../netbox/wanted.ts';
import { type Report, Writer } from '../netbox/writer.ts';
import { toSeconds } from './duration-option.ts';

interface SyncOptions {
  netboxTokenFile?: string;
  sites: string[];
  vrf?: string;
  takeOver?: boolean;
  dryRun?: boolean;
  within: number;
}

const PAGE = '500';
/** Lines of a report on standard error. */
const MOST_NOTED = 20;

export function addNetboxCommands(netbox: Command): void {
  netbox
    .command('sync')
    .description('make what is missing in NetBox, and bring up to date what was made; deletes nothing')
    .argument('<url>', 'of NetBox, such as https://netbox.example.com')
    .option('--netbox-token-file <file>', 'its API token; default: NETBOX_TOKEN')
    .requiredOption('--sites <sites...>', 'ids, or tag:<tag> for all sites with a tag, or "*"')
    .option('--vrf <name>', 'the VRF of the addresses, in which {site} is the id of the site; default: none')
    .option('--take-over', 'overwrite also what people have entered in NetBox')
    .option('--dry-run', 'only say what would be done')
    .addOption(new Option('--within <time>', 'give up after this time').argParser(toSeconds).default(3_600, '1h'))
    .action(async (url: string, options: SyncOptions, command: Command) => {
      const session = openSession(command);
      const { netboxTokenFile, within } = options;
      const token = await tokenOf(netboxTokenFile, session.world.env);
      const signal = AbortSignal.timeout(within * 1000);
      const report = await syncAll(session, { url: urlOf(session, url), token, signal }, options);
      await session.show({ success: report.refused.length === 0, dryRun: options.dryRun === true, ...report }, () =>
        table(
          ['IN NETBOX', options.dryRun ? 'TO MAKE' : 'MADE', options.dryRun ? 'TO CHANGE' : 'CHANGED'],
          rowsOf(report),
        ),
      );
      note(session, 'left as a person has entered it', report.kept);
      note(session, 'refused by NetBox', report.refused);
      if (report.refused.length > 0)
        throw new Failure('failure', `NetBox does not take ${report.refused.length} objects`);
    });
}

/** @param access without `fetch`, that of Node.js */
export async function syncAll(
  session: Pick<Session, 'client' | 'world'>,
  access: NetBoxAccess,
  { sites: refs, vrf, takeOver = false, dryRun = false }: Pick<SyncOptions, 'sites' | 'vrf' | 'takeOver' | 'dryRun'>,
): Promise<Report> {
  const sites = await sitesMeant(session, refs);
  const netbox = openNetBox(access);
  const writer = new Writer(netbox, dryRun);
  const progress = progressLine(session.world.stderr);
  try {
    await prepare(netbox, writer);
    for (const [i, site] of sites.entries()) {
      progress.show(site.id, (i / sites.length) * 100);
      const wanted = await devicesOf(session, site);
      await syncSite(netbox, writer, site, wanted, {
        takesOver: takeOver,
        vrf: vrf?.replaceAll('{site}', site.id) ?? null,
      });
    }
  } finally {
    progress.clear();
  }
  return writer.report;
}

async function sitesMeant({ client }: Pick<Session, 'client'>, refs: readonly string[]): Promise<Site[]> {
  const { sites } = await client.ask('GET /sites');
  const isMeant = ({ id, tags }: Site, ref: string) => {
    const tag = tagOfRef(ref);
    return ref === '*' || (tag === null ? ref === id : tags.includes(tag));
  };
  const named = refs.flatMap((ref) => ref.split(','));
  requireTagged(sites, named);
  for (const ref of named) {
    if (!sites.some((site) => isMeant(site, ref))) throw new Failure('notFound', `There is no site "${ref}"`);
  }
  return sites.filter((site) => named.some((ref) => isMeant(site, ref)));
}

async function devicesOf({ client }: Pick<Session, 'client'>, { id, coverage }: Site): Promise<Wanted[]> {
  const networks = [...coverage.watched, ...coverage.unwatched.map(({ network }) => network)];
  const wanted: Wanted[] = [];
  let cursor: string | undefined;
  do {
    const query = { fields: 'all' as const, limit: PAGE, cursor };
    const page = await client.ask('GET /devices', { site: id, query });
    for (const device of page.devices as DeviceFields[]) {
      const one = wantedOf(id, device, networks);
      if (one !== null) wanted.push(one);
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return wanted;
}

/** Never an argument, because every user of the host can read those. */
async function tokenOf(file: string | undefined, environment: NodeJS.ProcessEnv): Promise<string> {
  const text =
    file === undefined
      ? netboxTokenOf(environment)
      : await readFile(file, 'utf8').catch((error: Error) => {
          throw unreadableFile(file, error);
        });
  if (!text) throw new Failure('auth', 'There is no token for NetBox: use --netbox-token-file or NETBOX_TOKEN');
  return checkedToken(text);
}

function urlOf({ note }: Session, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    throw new Failure('usage', `Expected the URL of NetBox, such as https://netbox.example.com, not "${text}"`);
  }
  if (url.protocol === 'http:') note('The token travels unencrypted: NetBox is asked over http, and not https.');
  return url.href.replace(/\/+$/, '').replace(/\/api$/, '');
}

function rowsOf({ created, updated }: Report): string[][] {
  const lists = [...new Set([...Object.keys(created), ...Object.keys(updated)])];
  return lists.map((list) => [list, String(created[list] ?? 0), String(updated[list] ?? 0)]);
}

function note({ note: say }: Session, what: string, lines: readonly string[]): void {
  for (const text of lines.slice(0, MOST_NOTED)) say(`${what}: ${text}`);
  if (lines.length > MOST_NOTED) say(`and ${lines.length - MOST_NOTED} more ${what}; --json has all`);
}
