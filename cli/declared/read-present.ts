/** Reads by the API what a file is about, and nothing else. */
import pLimit from 'p-limit';
import type { Site } from '../../shared/api/records.ts';
import type { DeclaredFile, DeclaredSite } from '../../shared/declared/file.ts';
import type { Present, PresentSite } from '../../shared/declared/plan.ts';
import type { DeviceRecord } from '../../shared/device.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { Api } from '../client/api.ts';
import { Failure } from '../client/failure.ts';

/** Sites that are read at the same time. */
const AT_ONCE = 4;
/** Sites that one request names. */
const NAMED = 200;
const PAGE = '10000';
/** A large collection takes a while. */
const DEVICES_TIMEOUT_MS = 120_000;

export async function readPresent(client: Api, { templates, sites, prune }: DeclaredFile): Promise<Present> {
  const isAboutTemplates = templates.length > 0 || prune.templates === true;
  const known = isAboutTemplates ? await client.ask('GET /templates') : { templates: [], unreadable: [] };
  requireReadable('template', known.unreadable);
  const there = await sitesNamed(
    client,
    sites.map(({ id }) => id),
  );
  const limit = pLimit(AT_ONCE);
  const read = await Promise.all(
    sites.map((declared) =>
      limit(async (): Promise<[SiteId, PresentSite] | null> => {
        const site = there.get(declared.id);
        return site === undefined ? null : [site.id, await readSite(client, site, declared)];
      }),
    ),
  );
  return { templates: known.templates, sites: new Map(read.filter((one) => one !== null)) };
}

/** Those that exist and that the token may use. */
async function sitesNamed(client: Api, ids: readonly SiteId[]): Promise<Map<SiteId, Site>> {
  const found = new Map<SiteId, Site>();
  for (let at = 0; at < ids.length; at += NAMED) {
    const { sites } = await client.ask('GET /sites', { query: { sites: ids.slice(at, at + NAMED).join(',') } });
    for (const site of sites) found.set(site.id, site);
  }
  return found;
}

async function readSite(client: Api, site: Site, declared: DeclaredSite): Promise<PresentSite> {
  const of = { site: site.id };
  const { schedules, checks, hooks, devices } = declared;
  const [known, asked, told] = await Promise.all([
    schedules === undefined ? { schedules: [], unreadable: [] } : client.ask('GET /schedules', of),
    checks === undefined ? { checks: [], unreadable: [] } : client.ask('GET /checks', of),
    hooks === undefined ? { hooks: [], unreadable: [] } : client.ask('GET /hooks', of),
  ]);
  requireReadable(`schedule of ${site.id}`, known.unreadable);
  requireReadable(`check of ${site.id}`, asked.unreadable);
  requireReadable(`hook of ${site.id}`, told.unreadable);
  return {
    site,
    schedules: known.schedules,
    checks: asked.checks,
    hooks: told.hooks,
    devices: devices === undefined || devices.length === 0 ? new Map() : await devicesOf(client, site.id),
  };
}

export async function devicesOf(client: Api, site: SiteId): Promise<Map<string, DeviceRecord>> {
  const found = new Map<string, DeviceRecord>();
  let cursor: string | null | undefined;
  do {
    const query = { fields: 'all' as const, limit: PAGE, ...(cursor ? { cursor } : {}) };
    const page = await client.ask('GET /devices', { site, query, timeoutMs: DEVICES_TIMEOUT_MS });
    for (const record of page.devices as DeviceRecord[]) if (record.devMac !== '') found.set(record.devMac, record);
    cursor = page.nextCursor;
  } while (cursor);
  return found;
}

/** What cannot be read cannot be compared: it would be made once more, or be missing in a file by which others are removed. */
export function requireReadable(what: string, unreadable: readonly { id: string; problem: string }[]): void {
  const [first] = unreadable;
  if (first !== undefined) throw new Failure('failure', `A ${what} cannot be read: ${first.id}: ${first.problem}`);
}
