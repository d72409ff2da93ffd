/** MikroTik RouterOS 7 by REST: leases, ARP, Wi-Fi and the ports of bridges. All values are texts. */
import * as z from 'zod';
import { DAY_MS } from '../../../shared/time.ts';
import { HttpUrl } from '../../config.ts';
import { below, observed, requestJson, rowsOf, StatusFailure, texts } from '../answers.ts';
import { defineSource, type SourceLink } from '../source.ts';

const Row = z.object({
  ...texts('mac-address active-mac-address address active-address host-name comment last-seen status'),
  ...texts('complete invalid disabled dynamic on-interface bridge local ssid'),
});
type Row = z.infer<typeof Row>;

/** The tables of Wi-Fi clients: since 7.13, of its two predecessors, and of CAPsMAN. A router has some of them. */
const WIFI = ['interface/wifi', 'interface/wifiwave2', 'interface/wireless', 'caps-man'].map(
  (menu) => `${menu}/registration-table`,
);

export const mikrotik = defineSource({
  kind: 'mikrotik',
  title: 'MikroTik RouterOS',
  settings: z.object({
    url: HttpUrl.describe('address of the router, such as https://192.168.88.1'),
    user: z.string().min(1).describe('user of a group with the policies read and rest-api'),
    password: z.string().describe('password of this user'),
  }),
  secrets: ['password'],
  rights:
    'A user in a group of its own with the policies "read" and "rest-api", allowed from the address of this host only. The service www-ssl has to be on.',
  async *read({ url, user, password }, request) {
    const table = (path: string) =>
      requestJson(request, { url: below(url, `rest/${path}`), basic: { user, password } }, rowsOf(Row));
    const now = request.now();
    for (const row of await table('ip/dhcp-server/lease').catch(withoutMenu)) yield* observed(leaseOf(row, now));
    for (const row of await table('ip/arp')) yield* observed(neighbourOf(row, now));
    const wireless = new Set<string | undefined>();
    for (const path of WIFI) {
      if (now - Number(request.memory.get(path) ?? 0) < DAY_MS) continue;
      const rows = await table(path).catch((error: unknown) => {
        const none = withoutMenu(error);
        request.memory.set(path, String(now));
        return none;
      });
      for (const row of rows) {
        wireless.add(row['mac-address']);
        const link = { medium: 'wireless', ssid: row.ssid } as const;
        yield* observed({ mac: row['mac-address'], givenName: row.comment, lastSeen: now, link });
      }
    }
    const ports = await table('interface/bridge/host').catch(withoutMenu);
    for (const host of wiredHosts(ports, wireless)) yield* observed(host);
  },
});

/** `last-seen`: when the client last sent DHCP. */
function leaseOf(row: Row, now: number) {
  const age = row.status === 'bound' ? durationMs(row['last-seen']) : null;
  return {
    mac: row['active-mac-address'] || row['mac-address'],
    addresses: [row['active-address'] || row.address],
    givenName: row.comment,
    hostName: row['host-name'],
    lastSeen: age === null ? undefined : now - age,
  };
}

/** States of an ARP entry that say nothing of now: RouterOS keeps stale entries of hosts that have left. */
const NOT_NOW: readonly (string | undefined)[] = ['stale', 'failed', 'incomplete', 'permanent', 'noarp'];

function neighbourOf(row: Row, now: number) {
  const isLive =
    row.dynamic === 'true' && row.complete !== 'false' && row.invalid !== 'true' && row.disabled !== 'true';
  return {
    mac: row['mac-address'],
    addresses: [row.address],
    givenName: row.comment,
    lastSeen: isLive && !NOT_NOW.includes(row.status) ? now : undefined,
  };
}

/** Hosts that are alone on their port: behind a port with several there is another switch, or an access point. */
function* wiredHosts(rows: readonly Row[], wireless: ReadonlySet<string | undefined>) {
  const own = new Map<string | undefined, string | undefined>();
  const onPort = new Map<string | undefined, Row[]>();
  for (const row of rows) {
    const port = row['on-interface'];
    if (row.local === 'true') {
      if (port === row.bridge) own.set(port, row['mac-address']);
      continue;
    }
    const hosts = onPort.get(port) ?? [];
    hosts.push(row);
    onPort.set(port, hosts);
  }
  for (const [port, hosts] of onPort) {
    const [host] = hosts;
    // One in several VLANs has several rows.
    const isAlone = new Set(hosts.map((each) => each['mac-address'])).size === 1;
    if (host === undefined || !isAlone || wireless.has(host['mac-address'])) continue;
    const link: SourceLink = { medium: 'wired', switch: own.get(host.bridge), port };
    yield { mac: host['mac-address'], link };
  }
}

/** The milliseconds of a duration such as `1w2d3h4m5s`, `170ms` or `2d01:02:03`; null for `never` and anything else. */
export function durationMs(text = ''): number | null {
  const parts = DURATION.exec(text);
  if (text === '' || parts === null) return null;
  const units = [7 * 86_400_000, 86_400_000, 3_600_000, 60_000, 1_000, 1, 3_600_000, 60_000, 1_000];
  return units.reduce((sum, unit, i) => sum + unit * Number(parts[i + 1] ?? 0), 0);
}
const DURATION =
  /^(?:(\d{1,6})w)?(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?(?:(\d{1,6})ms)?(?:(\d\d):(\d\d):(\d\d))?$/;

/** A table whose menu the router does not have, because a package is missing, is empty. @throws any other error */
function withoutMenu(error: unknown): Row[] {
  if (error instanceof StatusFailure && [400, 404].includes(error.status)) return [];
  throw error;
}
