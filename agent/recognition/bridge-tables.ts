/** Where devices hang, by what the switches of a LAN have learned of each other and of the MACs at their ports. Pure. */

/** What one switch says. MACs are canonical. */
export interface Switch {
  /** As discovery knows it. */
  mac: string;
  /** Its other MACs, such as those of its ports. */
  otherMacs: readonly string[];
  /** The MACs at each port, as it has learned them. */
  learned: readonly { mac: string; port: string }[];
  /** Who says by LLDP to be at a port, whether that passes packets on, and whether it does so by radio. */
  neighbours: readonly { mac: string; port: string; isBridge: boolean; isAccessPoint?: boolean }[];
}

interface FoundPlace {
  parent: string;
  /** Empty at an access point. */
  port: string;
  by: 'lldp' | 'bridge';
}

/**
 * The place of each device that hangs on one of the switches, or on an access point at one of their ports: what says so itself by LLDP, else the port of all that have
 * learned its MAC that leads to no other switch, and has learned the fewest. Switches themselves have none: which of two is
 * above the other, their tables do not say.
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
    const macsAt = new Map<string, Set<string>>();
    for (const { mac, port } of learned) macsAt.set(port, (macsAt.get(port) ?? new Set()).add(mac));
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
