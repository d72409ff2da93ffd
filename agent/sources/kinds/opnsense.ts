/** OPNsense: leases, neighbours and discovered hosts. */
import * as z from 'zod';
import { HttpUrl } from '../../config.ts';
import {
  allPages,
  below,
  Count,
  countedRows,
  Flag,
  fields,
  JSON_BODY,
  observed,
  requestJson,
  StatusFailure,
  texts,
} from '../answers.ts';
import { defineSource, SourceFailure, type SourceRequest } from '../source.ts';

/** All that may exist; ISC is a plug-in since 26.1. First those that say who is there, as what exceeds MAX_ROWS is left out. */
const LISTS = [
  'hostdiscovery/service/search',
  'diagnostics/interface/search_arp',
  'diagnostics/interface/search_ndp',
  'dnsmasq/leases/search',
  'kea/leases4/search',
  'kea/leases6/search',
  'dhcpv4/leases/searchLease',
];
const PAGE = 1_000;
/** How long an entry of the ARP table lives in FreeBSD (`net.link.ether.inet.max_age`). */
const ARP_LIFE_S = 1_200;

/** Of any of the lists: each has its own names. */
const Row = z.object({
  ...texts('mac hwaddr ether_address ip address ip_address hostname descr'),
  ...texts('manufacturer mac_info man organization_name intf last_seen'),
  ...fields('expired permanent', Flag),
  expires: Count,
});

const Answer = z
  .object({ total: z.number(), rows: countedRows(Row) })
  .transform(({ total, rows }) => ({ total, ...rows }));

export const opnsense = defineSource({
  kind: 'opnsense',
  title: 'OPNsense',
  settings: z.object({
    url: HttpUrl.describe('address of the firewall, such as https://192.168.1.1'),
    key: z.string().min(1).describe('key of an API key of its user'),
    secret: z.string().min(1).describe('secret of that API key'),
  }),
  secrets: ['secret'],
  rights:
    '"Diagnostics: ARP Table" and "Diagnostics: NDP Table", which only read. Names come with "Services: DHCP: Kea(v4)" or the page of dnsmasq, which may also write.',
  async *read({ url, key, secret }, request) {
    let readable = 0;
    let failure = new SourceFailure('OPNsense has none of the known lists of hosts');
    for (const list of LISTS) {
      try {
        for await (const row of rows(below(url, `api/${list}`), { user: key, password: secret }, request)) {
          yield* observed(hostOf(row, request.now()));
        }
        readable++;
      } catch (error) {
        // Not installed; or not among the rights of the key, of which one list may be enough.
        if (!(error instanceof StatusFailure) || ![403, 404].includes(error.status)) throw error;
        if (error.status === 403) failure = error;
      }
    }
    if (readable === 0) throw failure;
  },
});

function rows(url: URL, basic: { user: string; password: string }, request: SourceRequest) {
  return allPages((offset) => {
    const body = JSON.stringify({ current: Math.floor(offset / PAGE) + 1, rowCount: PAGE, searchPhrase: '' });
    return requestJson(request, { url, method: 'POST', headers: JSON_BODY, body, basic }, Answer);
  });
}

function hostOf(row: z.infer<typeof Row>, now: number) {
  return {
    mac: row.mac || row.hwaddr || row.ether_address,
    addresses: [row.ip || row.address || row.ip_address],
    givenName: row.descr,
    hostName: row.hostname,
    vendor: row.manufacturer || row.mac_info || row.man || row.organization_name,
    lastSeen: lastSeen(row, now),
  };
}

/** By host discovery, or by the time that is left to an ARP entry. Leases and NDP entries outlive their host. */
function lastSeen({ last_seen, intf, expired, expires = -1, permanent }: z.infer<typeof Row>, now: number) {
  const discovered = Date.parse(last_seen ?? '');
  if (!Number.isNaN(discovered)) return discovered;
  const isEntry = intf !== undefined && permanent === false && expired === false && expires >= 0;
  return isEntry ? now - Math.max(0, ARP_LIFE_S - expires) * 1_000 : undefined;
}
