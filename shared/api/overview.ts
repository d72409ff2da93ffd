/** `/overview`: every site at a glance. */
import * as z from 'zod';
import { SiteId } from '../identity.ts';
import { OnlySites } from './list.ts';
import { answer, named, type Operations, Page, route, Unreadables } from './operation.ts';
import { DISCOVERY_OFF, ListedAgent, Site, Time } from './records.ts';
import { exampleSite } from './sites.ts';

const Count = z.int().min(0);

const DeviceCounts = named('DeviceCounts', {
  my: Count.describe('All that are not archived.'),
  online: Count.describe('Of the monitored devices.'),
  offline: Count.describe('All monitored devices that are neither archived nor online, including `down`.'),
  down: Count.describe('Of the monitored devices.'),
  new: Count,
  favorites: Count,
  archived: Count,
});

const AgentSummary = ListedAgent.pick({
  ...{ id: true, state: true, since: true, offlineReason: true, host: true, version: true, load: true },
  ...{ update: true, updateAvailable: true, ring: true },
}).meta({ id: 'AgentSummary' });

export const SiteOverview = named('SiteOverview', {
  ...Site.shape,
  devices: DeviceCounts.nullable().describe(
    'How many devices are in each category, as `GET /devices?fields=all` lists them: `my` is the sum of `online`, `offline` and `unknown`. If `unknown` is null, the last known status counts. null if they were not counted: `GET /devices/totals` then still counts them.',
  ),
  lastChangeAt: Time.nullable().describe(
    'When a device of the site last changed, also by discovery; null until the first change.',
  ),
  unknown: Count.nullable().describe(
    'How many of the devices that are not archived are unmonitored, so that their status is the last known one. null if that requires reading the devices: `GET /devices/facets` counts them.',
  ),
  agents: z.array(AgentSummary),
  darkSince: Time.nullable().describe('Since when no agent is connected, discovery or not.'),
  outages: z
    .object({
      open: Count,
      devices: Count.describe('How many devices they affect.'),
      since: Time.nullable().describe('The beginning of the first of them.'),
    })
    .describe('Ongoing outages: devices that went offline together.'),
  internet: z
    .object({
      lostSince: Time.nullable(),
      address: z.string().nullable().describe('The public address, if a check of the internet determines it.'),
      provider: z.string().nullable(),
      speed: z
        .object({
          at: Time,
          downMbps: z.number(),
          upMbps: z.number(),
          pingMs: z.number(),
          slowSince: Time.nullable().describe('Since when it is below half of the usual speed.'),
        })
        .nullable()
        .describe('The last speed test.'),
    })
    .describe('The results of internet checks and speed tests.'),
  checksDown: Count.describe('Checks that fail at each agent that runs them.'),
});
export type SiteOverview = z.infer<typeof SiteOverview>;

export const overview = {
  getOverview: {
    ...route('GET', '/overview', 'devices:read'),
    summary: 'The sites that the token may use, each with the numbers of its devices and the state of its agents',
    query: Page.extend({ site: SiteId.optional().describe('Only this site.'), sites: OnlySites }),
    response: answer({
      sites: z.array(SiteOverview).describe('Ordered by id. A page may have fewer than `limit`.'),
      unreadable: Unreadables,
      nextCursor: z.string().nullable(),
    }),
    errors: ['site_forbidden'],
    hasEtag: true,
    example: {
      response: {
        success: true,
        sites: [
          {
            ...exampleSite,
            discovery: { ...DISCOVERY_OFF, enabled: true },
            coverage: { watched: ['192.168.1.0/24'], unwatched: [] },
            devices: { my: 40, online: 31, offline: 9, down: 1, new: 2, favorites: 4, archived: 3 },
            lastChangeAt: '2026-11-01T09:41:12.000Z',
            unknown: 0,
            agents: [
              {
                id: 'home:main',
                state: 'online',
                since: '2026-11-01T08:15:00.000Z',
                offlineReason: null,
                host: null,
                version: '0.3.0',
                load: { running: 0, queued: 0 },
                update: null,
                updateAvailable: null,
                ring: null,
              },
            ],
            darkSince: null,
            outages: { open: 0, devices: 0, since: null },
            internet: {
              lostSince: null,
              address: '203.0.113.7',
              provider: 'AS64500 Example Networks',
              speed: { at: '2026-11-01T03:00:00.000Z', downMbps: 247.8, upMbps: 48.4, pingMs: 12.3, slowSince: null },
            },
            checksDown: 0,
          },
        ],
        unreadable: [],
        nextCursor: null,
      },
    },
  },
} as const satisfies Operations;
