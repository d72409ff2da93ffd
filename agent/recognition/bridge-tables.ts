/** Locates devices at the ports of switches, by the switches' LLDP neighbours and learned MACs. Pure. */
import { multimap } from '../discovery/evidence.ts';

/** The tables of one switch. MACs are canonical. */
export interface Switch {
  /** As discovery knows it. */
  mac: string;
  /** Its other MACs, such as those of its ports. */
  otherMacs: readonly string[];
  /** Its forwarding table. */
  learned: readonly { mac: string; port: string }[];
  /** Its LLDP neighbours: whether each forwards packets, and whether it does so by radio. */
  neighbours: readonly { mac: string; port: string; isBridge: boolean; isAccessPoint?: boolean }[];
}

interface FoundPlace {
  parent: string;
  /** Empty at an access point. */
  port: string;
  by: 'lldp' | 'bridge';
}

/**
 * The place of each device at a switch, or at an access point on a port of one: where it announces itself by LLDP, else the
 * port with the fewest learned MACs among those that learned its MAC and lead to no other switch. Switches have no place: the
 * tables do not show which of two is upstream.
 */
export function placesOf(switches: readonly Switch[]): Map<string, FoundPlace> {
  const own = new Map(
    switches.flatMap(({ mac, otherMacs }) => [mac, ...otherMacs].map((each) => [each, mac] as const)),
  );
  const places = new Map<string, FoundPlace & { others: number }>();
  for (const { mac: parent, learned, neighbours } of switches) {
    const leadsToSwitch = ({ mac }: { mac: string }) => own.has(mac) && own.get(mac) !== parent;
    const uplinks = new Set([
      ...neighbours.filter((each) => each.isBridge || leadsToSwitch(each)).map(({ port }) => port),
      ...learned.filter(leadsToSwitch).map(({ port }) => port),
    ]);
    const macsAt = multimap(learned.map(({ mac, port }) => [port, mac]));
    const accessPoints = new Map(
      neighbours.flatMap(({ mac, port, isAccessPoint }) => (isAccessPoint === true ? [[port, mac] as const] : [])),
    );
    const offers = [
      ...neighbours.map(({ mac, port }) => ({ mac, port, by: 'lldp' as const, others: 0 })),
      ...learned.map(({ mac, port }) => ({ mac, port, by: 'bridge' as const, others: macsAt.get(port)?.size ?? 0 })),
    ].filter(({ mac, port }) => !own.has(mac) && !uplinks.has(port));
    for (const { mac, ...offer } of offers) {
      const known = places.get(mac);
      if (known !== undefined && offer.others >= known.others) continue;
      const accessPoint = offer.by === 'bridge' ? accessPoints.get(offer.port) : undefined;
      const isBehind = accessPoint !== undefined && accessPoint !== mac;
      places.set(mac, isBehind ? { ...offer, parent: accessPoint, port: '' } : { ...offer, parent });
    }
  }
  return new Map([...places].map(([mac, { others: _, ...place }]) => [mac, place]));
}
