/** `/search`: devices of all sites. */
import * as z from 'zod';
import { DeviceStatus } from '../device.ts';
import { SiteId } from '../identity.ts';
import { DeviceWatch, NodeId } from './device-list.ts';
import { OnlySites } from './list.ts';
import { answer, Cursor, named, type Operations, queryInteger, route, Unreadables } from './operation.ts';

/** The searched fields, the most relevant first. */
const SEARCHED_FIELDS = [
  ...(['name', 'ip', 'mac', 'dnsName', 'vendor', 'model', 'type', 'owner', 'group', 'location', 'comment'] as const),
  'port',
] as const;
export type SearchedField = (typeof SEARCHED_FIELDS)[number];

/** Sites that one request searches. */
export const SITES_PER_SEARCH = 100;

const FoundDevice = named('DeviceOfAnySite', {
  site: SiteId,
  siteName: z.string(),
  key: NodeId.describe('Its MAC, `Internet`, or `~<uuid>` for a device without MAC.'),
  devMac: z.string(),
  devName: z.string(),
  devLastIP: z.string(),
  devVendor: z.string(),
  devModel: z.string(),
  devType: z.string(),
  devOwner: z.string(),
  devGroup: z.string(),
  devFavorite: z.union([z.literal(0), z.literal(1)]),
  devIsNew: z.union([z.literal(0), z.literal(1)]),
  status: DeviceStatus,
  watch: DeviceWatch,
  match: z.enum(SEARCHED_FIELDS).describe('The field that matches best.'),
});
export type FoundDevice = z.infer<typeof FoundDevice>;

export const search = {
  searchEverywhere: {
    ...route('GET', '/search', 'devices:read'),
    summary: 'Devices of every site that the token may read, the best match first',
    query: z.object({
      sites: OnlySites,
      q: z
        .string()
        .min(1)
        .max(256)
        .describe(
          'Each word must occur in the name, the MAC (any notation), an IP address, the DNS name, vendor, model, type, owner, group, ' +
            'location or comment, ignoring letter case and accents. `:22`, `port:22` or `port:53/udp` finds devices on which a scan found that port open.',
        ),
      limit: queryInteger(1, 100).default(20),
      cursor: Cursor.optional(),
    }),
    response: answer({
      query: z.string(),
      devices: z
        .array(FoundDevice)
        .describe(
          'Of the sites that this request has searched. Exact matches first, then matches at the beginning, at the beginning of a word, and inside a word; among those, favourites and online devices first. Archived ones come last.',
        ),
      searched: z.int().min(0).describe('How many sites this request has searched.'),
      sites: z.int().min(0).describe('How many sites the token may read; up to a minute old.'),
      truncated: z
        .boolean()
        .describe('Whether more devices of these sites match, or, for a port, not all scans of a site were read.'),
      unreadable: Unreadables.describe('Sites whose devices are invalid or could not be read now; normally empty.'),
      nextCursor: z
        .string()
        .nullable()
        .describe(`For the next sites. One request searches at most ${SITES_PER_SEARCH}, and fewer large ones.`),
    }),
    mcp: {
      name: 'find_devices',
      title: 'Find devices at all sites',
      description:
        'Finds devices by words of their name, MAC, IP address, DNS name, vendor, model, type, owner, group, location or comment, at every site of the token. ' +
        '":22" finds devices with that open port. Use it when the site is not known. nextCursor is null once every site was searched.',
    },
    example: {
      query: { q: 'nas' },
      response: {
        success: true,
        query: 'nas',
        devices: [
          {
            site: 'home',
            siteName: 'Home',
            key: '00:1E:06:AA:BB:01',
            devMac: '00:1E:06:AA:BB:01',
            devName: 'nas',
            devLastIP: '192.168.1.20',
            devVendor: 'Synology',
            devModel: '',
            devType: 'NAS',
            devOwner: '',
            devGroup: '',
            devFavorite: 1,
            devIsNew: 0,
            status: 'online',
            watch: { state: 'watched', since: null },
            match: 'name',
          },
        ],
        searched: 1,
        sites: 1,
        truncated: false,
        unreadable: [],
        nextCursor: null,
      },
    },
  },
} as const satisfies Operations;
