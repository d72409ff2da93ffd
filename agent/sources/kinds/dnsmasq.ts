/** The file of leases of dnsmasq: of Debian, OpenWrt, Pi-hole, OPNsense, ASUS-Merlin. */
import * as z from 'zod';
import { parseMac } from '../../../shared/network.ts';
import { defineSource, type SourceObservation } from '../source.ts';
import { bytesIn, macOfDuid, wholeLines } from './leases.ts';

export const dnsmasq = defineSource({
  kind: 'dnsmasq',
  title: 'dnsmasq',
  settings: z.object({
    file: z.string().min(1).default('/var/lib/misc/dnsmasq.leases').describe('its leases, as dhcp-leasefile sets them'),
  }),
  secrets: [],
  rights: 'The user of the agent may read the file, as everybody may by default.',
  async *read({ file }, request) {
    yield* leasesIn(await request.readFile(file), request.now());
  },
});

/** Times below are durations: a dnsmasq for hosts without a clock writes them. */
const FIRST_TIME_S = 1_000_000_000;

export function* leasesIn(text: string, now: number): Generator<SourceObservation> {
  for (const line of wholeLines(text)) {
    // `duid <DUID of the server>` has two fields, and the form of odhcpd begins with `#`.
    const [expiry = '', card = '', address = '', name, id = ''] = line.trim().split(/\s+/);
    if (!/^\d+$/.test(expiry) || name === undefined) continue;
    const isOver = Number(expiry) >= FIRST_TIME_S && Number(expiry) * 1000 < now;
    // By IPv6, the second field is the IAID, a number, or T and a number: no MAC.
    const mac = address.includes(':') ? macOfDuid(bytesIn(id)) : parseMac(withoutType(card));
    if (mac !== null && !isOver) yield { mac, addresses: [address], hostName: name };
  }
}

/** Of networks other than Ethernet, the hardware type precedes the address: `06-aa:bb:cc:00:00:01`. */
function withoutType(card: string): string {
  return card.replace(/^[0-9a-f]{2}-(?=[0-9a-f]{2}:)/i, '');
}
