/** Shares: links that show the state of a site, or of the sites with a tag, to anyone who has one. */
import * as z from 'zod';
import { SiteRef } from '../identity.ts';
import { Addresses, exampleAddresses } from './addresses.ts';
import { Count } from './device-terms.ts';
import { answer, named, type Operations, route } from './operation.ts';
import { Label, SharedContent, Time, Token } from './records.ts';

export const SHARE_DAYS = 30;
export const MAX_SHARE_DAYS = 365;

/** What one answer has at most. */
export const MAX_SHARED_SITES = 50;
export const MAX_SHARED_DEVICES = 300;

const Share = z.object({
  ...Token.pick({ id: true, name: true, createdAt: true }).shape,
  expiresAt: Time,
  of: SiteRef,
  share: SharedContent,
});

export const shares = {
  createShare: {
    ...route('POST', '/shares', 'admin'),
    audit: 'share.create',
    status: 201,
    summary:
      'Create a share: a token that is valid for `GET /shared` alone. It ends with the token that creates it, or when the person loses the role there. `GET /tokens` lists it, `DELETE /tokens/{id}` revokes it',
    body: z.strictObject({
      name: Label.describe('For people: the heading of the page.'),
      of: SiteRef.describe('The site, or the tag of several.'),
      ...SharedContent.partial().shape,
      expiresAt: Time.optional().meta({
        'x-checked-further': true,
        description: `Within ${MAX_SHARE_DAYS} days, and not after your own token expires. Default: in ${SHARE_DAYS} days.`,
      }),
    }),
    response: answer({ token: z.string(), ...Share.shape, addresses: Addresses }),
    errors: ['site_forbidden', 'conflict'],
    example: {
      body: { name: 'Office', of: 'home' },
      response: {
        success: true,
        token: 'lr_0123456789abcdef.…',
        id: '0123456789abcdef',
        name: 'Office',
        createdAt: '2026-11-01T08:15:00.000Z',
        expiresAt: '2026-12-01T08:15:00.000Z',
        of: 'home',
        share: { view: 'status', devices: 'favorites', addresses: false },
        addresses: exampleAddresses,
      },
    },
  },
} as const satisfies Operations;

const SharedDevice = named('SharedDevice', {
  name: z.string().describe('Without MAC and IP addresses; empty if it has no other name.'),
  type: z.string(),
  status: z.enum(['down', 'offline', 'unmonitored', 'online']),
  parent: Count.optional().describe('Of a map: the place in this list of the device to which it is connected.'),
  ip: z.string().optional().describe('Only of a share with addresses, as `mac`.'),
  mac: z.string().optional(),
});
export type SharedDevice = z.infer<typeof SharedDevice>;

const SharedSite = named('SharedSite', {
  name: z.string(),
  isMonitored: z.boolean().describe('Whether an agent monitors devices now.'),
  hasInternet: z.boolean().describe('By the checks of the site.'),
  outages: Count,
  counts: z.object({ online: Count, offline: Count, down: Count, unmonitored: Count }),
  devices: z.array(SharedDevice).max(MAX_SHARED_DEVICES),
  more: Count.describe('Devices that are not listed because there are too many.'),
});
export type SharedSite = z.infer<typeof SharedSite>;

export const SharedPage = answer({
  name: Label,
  expiresAt: Time.nullable(),
  view: SharedContent.shape.view,
  sites: z.array(SharedSite).max(MAX_SHARED_SITES),
  isCut: z.boolean().describe('Whether there are more sites.'),
});
export type SharedPage = z.infer<typeof SharedPage>;

export const shared = {
  readShare: {
    ...route('GET', '/shared', 'any'),
    summary: 'What a share shows, with its secret as the token; every other token is rejected',
    response: SharedPage,
    hasEtag: true,
    example: {
      response: {
        success: true,
        name: 'Office',
        expiresAt: '2026-12-01T08:15:00.000Z',
        view: 'status',
        sites: [
          {
            ...{ name: 'Home', isMonitored: true, hasInternet: true, outages: 0 },
            counts: { online: 31, offline: 8, down: 1, unmonitored: 0 },
            devices: [{ name: 'nas', type: 'NAS', status: 'down' }],
            more: 0,
          },
        ],
        isCut: false,
      },
    },
  },
} as const satisfies Operations;
