/** `/sites`: the sites and their settings. */
import * as z from 'zod';
import { DiscoverySettings, GatewayMac, WatchedNetwork } from '../agent/discovery.ts';
import { SitePolicy } from '../agent/site-policy.ts';
import { SiteId, Tag } from '../identity.ts';
import { TimeZone } from '../schedule-terms.ts';
import { TOOLS, Tool } from '../tools/list.ts';
import { list, OnlySites } from './list.ts';
import { answer, type Operations, Page, queryFlag, route } from './operation.ts';
import {
  DISCOVERY_OFF,
  Label,
  ListedSite,
  MAX_TAGS,
  ReachableAt,
  SITE_RESTORABLE_DAYS,
  Site,
  SiteDeletion,
  Updates,
  USUAL_UPDATES,
} from './records.ts';

const Tags = list(Tag, { max: MAX_TAGS }).describe('Only a token for all sites may set them.');
const SiteAnswer = answer(Site.shape).meta({ id: 'SiteAnswer' });
export const exampleSite = {
  id: 'home',
  name: 'Home',
  tags: [],
  createdAt: '2026-11-01T08:15:00.000Z',
  discovery: DISCOVERY_OFF,
  timeZone: 'UTC',
  reachableAt: null,
  updates: USUAL_UPDATES,
  revision: 1793520900000,
  staleSince: null,
  coverage: { watched: [], unwatched: [] },
};

const NETWORKS_EXPECTED = 'expected "auto" or a list of 1 to 32 IPv4 networks such as 192.168.1.0/24, /20 or longer';

/** The settings of discovery that a site and a template can set. */
export const discoveryFields = {
  enabled: z.boolean().optional(),
  networks: z
    .union([z.literal('auto'), list(WatchedNetwork, { min: 1, max: 32 })], { error: NETWORKS_EXPECTED })
    .optional(),
  intervalSeconds: DiscoverySettings.shape.intervalSeconds.unwrap().optional(),
  recognize: DiscoverySettings.shape.recognize,
  archiveRandomAfterDays: DiscoverySettings.shape.archiveRandomAfterDays,
  acceptParents: DiscoverySettings.shape.acceptParents,
};

export const policyFields = {
  deny: list(Tool, { max: TOOLS.length }).default([]),
  maxScanAddresses: SitePolicy.shape.maxScanAddresses.default(null),
};

export const settingFields = {
  timeZone: TimeZone.optional(),
  updates: z.strictObject({ mode: Updates.shape.mode.optional(), window: Updates.shape.window.optional() }).optional(),
  policy: z.strictObject(policyFields).meta({ id: 'WantedPolicy' }).nullable().optional().describe('null: none.'),
  discovery: z
    .strictObject({ ...discoveryFields, gateways: list(GatewayMac, { max: 64 }).optional() })
    .meta({ id: 'WantedDiscovery' })
    .optional(),
};

export const sites = {
  listSites: {
    ...route('GET', '/sites', 'devices:read'),
    summary: 'The sites that the token may use',
    query: z.object({
      sites: OnlySites,
      deleted: queryFlag.describe(
        'Instead of the others, the deleted sites that can still be restored. Only with the scope `admin`, and for all sites.',
      ),
      limit: Page.shape.limit.unwrap().optional().describe('Default: all sites in one page.'),
      cursor: Page.shape.cursor,
    }),
    response: answer({
      sites: z.array(ListedSite).describe('Ordered by id. A page may have fewer than `limit`.'),
      nextCursor: z.string().nullable(),
    }),
    errors: ['site_forbidden'],
    mcp: {
      name: 'list_sites',
      title: 'List sites',
      description:
        'The sites (LANs) that you may use, with their ids, which other tools take as `site`, and their tags: in `sites`, `tag:customers` stands for all sites with that tag. ' +
        '`staleSince` is the time since which no agent monitors a site, so that the status of its devices is old; ' +
        '`coverage` lists which of its networks are monitored.',
    },
    example: { response: { success: true, sites: [exampleSite], nextCursor: null } },
  },
  addSite: {
    ...route('POST', '/sites', 'admin'),
    audit: 'site.add',
    status: 201,
    summary: 'Add a site',
    body: z.strictObject({ id: SiteId, name: Label.optional(), tags: Tags.optional() }),
    response: SiteAnswer,
    errors: ['site_forbidden', 'conflict'],
    example: { body: { id: 'home', name: 'Home' }, response: { success: true, ...exampleSite } },
  },
  getSite: {
    ...route('GET', '/sites/{site}', 'devices:read'),
    summary: 'One site, with its settings; its ETag is for `If-Match`',
    params: z.object({ site: SiteId }),
    response: SiteAnswer,
    hasEtag: true,
    errors: ['site_forbidden'],
    example: { params: { site: 'home' }, response: { success: true, ...exampleSite } },
  },
  changeSite: {
    ...route('PATCH', '/sites/{site}', 'admin'),
    audit: 'site.change',
    summary:
      'Change the name or the settings of a site; omitted fields stay as they are. Its agents are notified at once. With `If-Match` only if its settings are unchanged since they were read',
    params: z.object({ site: SiteId }),
    body: z
      .strictObject({
        name: Label.optional(),
        tags: Tags.optional(),
        ...settingFields,
        reachableAt: ReachableAt.nullable().optional(),
      })
      .refine((wanted) => Object.keys(wanted).length > 0, {
        error: 'expected name, tags, timeZone, reachableAt, updates, policy or discovery',
      }),
    response: SiteAnswer,
    hasEtag: true,
    errors: ['site_forbidden', 'conflict', 'precondition_failed'],
    example: {
      params: { site: 'home' },
      body: { discovery: { enabled: true } },
      response: {
        success: true,
        ...exampleSite,
        discovery: { ...DISCOVERY_OFF, enabled: true },
        revision: 1793521000000,
      },
    },
  },
  removeSite: {
    ...route('DELETE', '/sites/{site}', 'admin'),
    audit: 'site.remove',
    summary: `Delete a site with all its data, and disconnect its agents. It can be restored for ${SITE_RESTORABLE_DAYS} days`,
    params: z.object({ site: SiteId }),
    query: z.object({
      confirm: Label.meta({
        'x-checked-further': true,
        description: 'The name of the site, to prevent the deletion of another one by mistake.',
      }),
    }),
    response: answer(SiteDeletion.shape),
    errors: ['site_forbidden'],
    example: {
      params: { site: 'home' },
      query: { confirm: 'Home' },
      response: {
        success: true,
        deletedAt: '2026-11-26T08:15:00.000Z',
        deletedBy: '0123456789abcdef',
        restorableUntil: '2026-12-03T08:15:00.000Z',
      },
    },
  },
  restoreSite: {
    ...route('POST', '/sites/{site}/restore', 'admin'),
    audit: 'site.restore',
    summary: 'Restore a deleted site, as it was. Its agents reconnect on their own',
    params: z.object({ site: SiteId }),
    response: SiteAnswer,
    errors: ['site_forbidden', 'conflict'],
    example: { params: { site: 'home' }, response: { success: true, ...exampleSite } },
  },
} as const satisfies Operations;
