/**
 * A LAN as people have it, as data: what each of its devices says of itself, and what it is. What they say is what the
 * makers' devices are known to say, and not what the judge of LanReach looks for.
 *
 *     router, agent, nas, … ── core (a managed switch) ── ap ── phones, tablets, …
 */
import { PERSONAL } from './people.ts';
import { ASKS, at, type HomeHost, host, PREFIX } from './terms.ts';
import { HOUSE, OFFICE } from './things.ts';

export const AGENT = { mac: '00:1E:06:78:00:02', ipv4: `${PREFIX}.2` };
/** Whoever sends packets only to do harm. */
export const HOSTILE = { name: 'hostile', mac: '00:E0:4C:66:66:66', ipv4: `${PREFIX}.66` };
export const METADATA = '169.254.169.254';

export const ROUTER = host('router', 1, '2C:91:AB', {
  dns: 'fritz.box',
  web: 'FRITZ!Box 7590',
  upnp: {
    server: 'fritz.box UPnP/1.0 AVM FRITZ!Box 7590 154.07.57',
    types: [
      'urn:schemas-upnp-org:device:InternetGatewayDevice:1',
      'urn:schemas-upnp-org:device:WANConnectionDevice:1',
      'urn:schemas-upnp-org:service:WANIPConnection:1',
    ],
    port: 49000,
    path: '/igddesc.xml',
    name: 'FRITZ!Box 7590',
    maker: 'AVM Berlin',
    model: 'FRITZ!Box 7590',
    number: 'avm',
  },
  truth: { kind: 'router', name: /^fritz\.box$|FRITZ!Box/i, model: /7590/ },
});

/** The switch itself, which is no host beside it but the bridge. */
export const CORE: HomeHost = {
  name: 'core',
  mac: '00:1B:54:78:01:C0',
  ipv4: at(3),
  snmp: {
    name: 'core-switch-1',
    description:
      'Cisco IOS Software, C2960X Software (C2960X-UNIVERSALK9-M), Version 15.2(2)E7, RELEASE SOFTWARE (fc3)\r\nTechnical Support: http://www.cisco.com/techsupport\r\nCopyright (c) 1986-2017 by Cisco Systems, Inc.\r\nCompiled Wed 12-Jul-17 13:06 by prod_rel_team',
    object: '1.3.6.1.4.1.9.1.1208',
  },
  truth: { kind: 'switch', name: /core-switch-1/, model: /2960X/i },
};

/** The access point, a bridge too. The switch knows it by LLDP. */
export const AP: HomeHost = {
  name: 'ap',
  mac: '78:8A:20:78:01:A0',
  ipv4: at(4),
  dhcp: { name: 'UAP-Hall', class: 'ubnt', options: ASKS.embedded },
  truth: { kind: 'access-point', name: /UAP-Hall/, model: /UAP-AC-Pro/ },
};
/** What it tells its neighbours (IEEE 802.1AB); capabilities as in lldpRemSysCapEnabled: bridge, WLAN, router. */
export const AP_LLDP = { name: 'UAP-Hall', description: 'UAP-AC-Pro-Gen2, 6.6.55.15189', capabilities: 0x38 };
/** The desk phone tells that it is one. */
export const VOIP_LLDP = { name: 'SIP-T46S', description: '66.86.0.15', capabilities: 0x24 };

export const HOSTS: readonly HomeHost[] = [...OFFICE, ...PERSONAL, ...HOUSE];

export const EVERYBODY: readonly HomeHost[] = [ROUTER, CORE, AP, ...HOSTS];

/** The number and the name of the port of the core switch behind which a host is. */
export function portOf(name: string): { number: number; label: string } {
  const ports = [
    'router',
    'agent',
    'ap',
    ...HOSTS.filter(({ behind }) => behind === undefined).map((host) => host.name),
    HOSTILE.name,
  ];
  const number = ports.indexOf(name) + 1;
  if (number === 0) throw new Error(`${name} is not plugged into the core switch`);
  return { number, label: `Gi1/0/${number}` };
}
