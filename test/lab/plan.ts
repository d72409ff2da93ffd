/**
 * The lab network as data: what the lab builds, and the truth that answers are checked against.
 *
 *     agent ─┐                                            (10.77.2.0/24)
 *     nas ───┤                        ┌─ router ───────── server
 *     …  ────┴─ switch (10.77.1.0/24) ┘    └─ provider ── internet
 */

export interface LabHost {
  name: string;
  mac: string;
  /** With prefix length; null on an IPv6-only host. */
  ipv4: string | null;
  ipv6: string | null;
  /** Open TCP ports. All others are closed. */
  tcp: readonly number[];
  /** Drops everything but ARP. */
  silent?: boolean;
  /** Says by mDNS, when it is asked directly, that this is its name. */
  mdns?: string;
  /** Tells this name in its NetBIOS node status. */
  netbios?: string;
}

/** Addresses in the first LAN, where the agent lives. */
export const LAN = { ipv4: '10.77.1.0/24', ipv6: 'fd77:1::/64' };
/** Addresses in the second LAN, behind the router. */
export const FAR_LAN = { ipv4: '10.77.2.0/24', ipv6: 'fd77:2::/64' };

export const AGENT: LabHost = {
  name: 'agent',
  mac: '00:1E:06:77:01:02',
  ipv4: '10.77.1.2/24',
  ipv6: 'fd77:1::2/64',
  tcp: [],
};

/** The router, as the first LAN sees it. */
export const ROUTER: LabHost = {
  name: 'router',
  mac: '00:0D:B9:77:01:01',
  ipv4: '10.77.1.1/24',
  ipv6: 'fd77:1::1/64',
  tcp: [],
};

/** Hosts in the first LAN beside the agent and the router. */
export const HOSTS = {
  nas: {
    name: 'nas',
    mac: '00:11:32:77:01:20',
    ipv4: '10.77.1.20/24',
    ipv6: 'fd77:1::20/64',
    tcp: [22, 80, 443, 5000],
  },
  printer: { name: 'printer', mac: '00:1B:A9:77:01:30', ipv4: '10.77.1.30/24', ipv6: null, tcp: [80, 515, 631] },
  desktop: { name: 'desktop', mac: '70:85:C2:77:01:40', ipv4: '10.77.1.40/24', ipv6: null, tcp: [22] },
  silent: { name: 'silent', mac: '00:17:88:77:01:50', ipv4: '10.77.1.50/24', ipv6: null, tcp: [], silent: true },
  dns: { name: 'dns', mac: 'B8:27:EB:77:01:53', ipv4: '10.77.1.53/24', ipv6: null, tcp: [53] },
  /** Listens for magic packets. */
  sleeper: { name: 'sleeper', mac: '00:1E:06:77:01:60', ipv4: '10.77.1.60/24', ipv6: 'fd77:1::60/64', tcp: [] },
  ipv6only: { name: 'ipv6only', mac: '00:1E:06:77:01:70', ipv4: null, ipv6: 'fd77:1::70/64', tcp: [22, 8080] },
  /** A phone with a random MAC, unknown to DNS. */
  phone: { name: 'phone', mac: '7A:5C:11:77:01:90', ipv4: '10.77.1.90/24', ipv6: null, tcp: [] },
  /** Unknown to DNS, as the next two: they tell their names themselves. */
  tv: { name: 'tv', mac: 'A4:77:33:77:01:61', ipv4: '10.77.1.61/24', ipv6: null, tcp: [], mdns: 'Küche-TV.local' },
  laptop: { name: 'laptop', mac: '00:50:F2:77:01:62', ipv4: '10.77.1.62/24', ipv6: null, tcp: [], netbios: 'LAPTOP-7' },
  /** Its name would clear a terminal, and go on in another line. */
  camera: {
    name: 'camera',
    mac: '00:40:8C:77:01:63',
    ipv4: '10.77.1.63/24',
    ipv6: null,
    tcp: [],
    mdns: 'cam\u001b[2J\nera\u202e.local',
  },
} as const satisfies Record<string, LabHost>;

/** Hosts of the first LAN that the name server does not know. */
export const NOT_IN_DNS: readonly string[] = ['phone', 'tv', 'laptop', 'camera'];

/** The one host of the second LAN. */
export const SERVER: LabHost = {
  name: 'server',
  mac: '00:25:90:77:02:20',
  ipv4: '10.77.2.20/24',
  ipv6: 'fd77:2::20/64',
  tcp: [22, 8443],
};

/** Addresses on which nobody answers: in the first LAN, in the second, and behind a router that drops silently. */
export const NOBODY = { lan: '10.77.1.99', farLan: '10.77.2.99', blackHole: '198.51.100.1' };

/** Where the router and the provider reach each other, and where the stand-ins for the internet's services are. */
export const PROVIDER = { router: '192.0.2.1/30', provider: '192.0.2.2/30', gateway: '203.0.113.1/24' };
export const INTERNET = {
  ipv4: '203.0.113.10/24',
  /** Has a path for each way in which such a service answers: see `services.ts`. */
  info: 'http://203.0.113.10:8080',
  /** Speaks the LibreSpeed dialect. */
  speedtest: 'http://203.0.113.10:8081',
};
export const PUBLIC_INFO = { ip: '203.0.113.77', city: 'Reykjavík', country: 'IS', org: 'AS64500 Example Networks' };

/** Rate of the link between provider and internet, in both directions. */
export const SHAPED_MBPS = 50;

export const DOMAIN = 'lab.test';
/** Names in the DNS of the lab beside the hosts' own ones. */
export const DNS_NAMES = {
  /** An alias of the NAS. */
  alias: `files.${DOMAIN}`,
  /** Two IPv4 addresses. */
  pair: `pair.${DOMAIN}`,
  pairAddresses: ['10.77.1.20', '10.77.1.30'],
  /** Exists, but has only a TXT record. */
  textOnly: `note.${DOMAIN}`,
  unknown: `nobody.${DOMAIN}`,
  /** Outside of what the name server knows; it refuses. */
  foreign: 'example.org',
  /** Only in the hosts file of the agent's host. */
  hostsFile: 'pantry',
  hostsFileAddress: '10.77.1.30',
};

/** The address without its prefix length. */
export function bare(cidr: string | null): string {
  if (cidr === null) throw new Error('the host has no such address');
  return cidr.slice(0, cidr.indexOf('/'));
}
