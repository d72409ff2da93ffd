/**
 * `GET /shared`: what anyone sees who has the link of a share.
 *
 * It costs, beside the token and its parents, the rows of its sites: of each the collection and the state, as the overview.
 */

import type { SharedContent, Site } from '../../shared/api/records.ts';
import {
  MAX_SHARED_DEVICES,
  MAX_SHARED_SITES,
  type shared as operations,
  type SharedDevice,
} from '../../shared/api/shares.ts';
import { type DeviceRecord, inCategory, statusOf, UNKNOWN_NAMES } from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';
import { startOf } from '../../shared/text.ts';
import type { SiteWatch } from '../devices/collection/coverage-row.ts';
import type { StoredDevice } from '../devices/collection/device-codec.ts';
import { compareTexts } from '../devices/sort-order.ts';
import type { Handlers } from '../http/call.ts';
import { callerOf, NOT_AUTHORIZED } from '../http/caller.ts';
import type { RequestContext } from '../http/context.ts';
import { etagOf } from '../http/etag.ts';
import { HandlerResult } from '../http/handler-result.ts';
import { openSemaphore } from '../http/semaphore.ts';
import { readSites } from '../sites/site-state.ts';

type SharedContext = RequestContext<'devices' | 'siteStates'>;

/** Strangers make these requests, and each may visit every device of several sites: so they wait for one another. */
const shares = openSemaphore({ atOnce: 2, waiting: 200, refusal: 'Too many shares are being read; try again later' });

/** A link that gets about: no search engine, no copy, no trace in the log of another site. */
const HEADERS = { 'X-Robots-Tag': 'noindex, nofollow, noarchive', 'Referrer-Policy': 'no-referrer' };

export const sharedHandlers: Handlers<typeof operations, SharedContext> = {
  async readShare(context, call) {
    const { name, expiresAt, share } = call.token;
    // Of a person's roles only one that may share still counts.
    const { reach } = callerOf(call, 'admin');
    const { sites, next } = await context.sites.page(reach, null, MAX_SHARED_SITES);
    if (share === undefined || sites.length === 0) throw new ServiceError('forbidden', NOT_AUTHORIZED);
    const shown = await shares.run(() => readSites(sites, (site) => sharedSite(context, site, share)));
    const body = { success: true as const, name, expiresAt, view: share.view, sites: shown, isCut: next !== null };
    return new HandlerResult(body, {
      headers: { ...HEADERS, ETag: etagOf(body), 'Cache-Control': 'private, no-cache' },
    });
  },
};

async function sharedSite({ devices, siteStates }: SharedContext, { id, name }: Site, share: SharedContent) {
  const [{ snapshot, watch }, { state }] = await Promise.all([devices.read(id), siteStates.read(id)]);
  const view = `shared ${share.view} ${share.devices} ${share.addresses}`;
  return {
    name: withoutAddresses(name),
    isMonitored: watch.coverage.watched.length > 0,
    hasInternet: state.internetLostSince === null,
    outages: state.outages.filter(({ overAt }) => overAt === null).length,
    ...snapshot.deriveFor(view, watch.tag, (all) => sharedDevices(all, watch, share)),
  };
}

/** The order in which devices are listed: what needs attention first. */
const ORDER: readonly SharedDevice['status'][] = ['down', 'offline', 'unmonitored', 'online'];

function sharedDevices(all: readonly StoredDevice[], watch: SiteWatch, { view, devices, addresses }: SharedContent) {
  const counts = { online: 0, offline: 0, down: 0, unmonitored: 0 };
  const parents = new Set(view === 'map' ? all.map(({ record }) => record.devParentMAC) : []);
  const found = all.flatMap((device) => {
    const { record } = device;
    const status = statusOf(record);
    if (status === 'archived') return [];
    const seen: SharedDevice['status'] = watch.of(device).state === 'watched' ? status : 'unmonitored';
    counts[seen]++;
    const isChosen = view === 'map' || devices === 'all' || seen === 'down' || inCategory('favorites', record);
    const rank = (parents.has(device.key) ? 0 : 10) + ORDER.indexOf(seen);
    return isChosen ? [{ device, seen, rank, name: nameOf(record) }] : [];
  });
  found.sort((a, b) => a.rank - b.rank || compareTexts(a.name, b.name));
  const listed = found.slice(0, MAX_SHARED_DEVICES);
  const places = new Map(listed.map(({ device }, place) => [device.key, place]));
  const rows = listed.map(({ device: { record }, seen, name }): SharedDevice => {
    const parent = view === 'map' ? places.get(record.devParentMAC) : undefined;
    return {
      name,
      type: withoutAddresses(record.devType),
      status: seen,
      ...(parent === undefined ? {} : { parent }),
      ...(addresses ? { ip: record.devLastIP, mac: record.devMac } : {}),
    };
  });
  return { counts, devices: rows, more: found.length - listed.length };
}

const nameOf = ({ devName }: DeviceRecord) => (UNKNOWN_NAMES.includes(devName) ? '' : withoutAddresses(devName));

/** In every notation that names contain: devices are often called after their address. */
const ADDRESSES = [
  // IPv6, also with an IPv4 address at its end; and MACs with colons.
  /(?<![0-9a-z:])(?:[0-9a-f]{0,4}:){2,8}(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4})(?![0-9a-z:])/gi,
  /(?<![0-9a-f])(?:[0-9a-f]{2}[._-]?){5}[0-9a-f]{2}(?![0-9a-f])/gi, // MACs; also bare.
  /(?<![0-9a-f])(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}(?![0-9a-f])/gi,
  /(?<!\d)\d{1,3}(?:[._-]\d{1,3}){3}(?!\d)/g, // IPv4; also as in `PC-192-168-1-20`.
];

export function withoutAddresses(text: string): string {
  return startOf(
    ADDRESSES.reduce((left, pattern) => left.replace(pattern, '…'), text).replace(/^[…\s.:_-]+$/, ''),
    100,
  );
}
