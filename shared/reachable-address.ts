/** By which addresses other hosts reach this one. */
import { parseIp } from './addresses.ts';

/** What Node.js tells of an address of this host. */
interface OwnAddress {
  address: string;
  internal: boolean;
}

/** Networks of containers and virtual machines of this host, where nobody else is. */
const OF_GUESTS = /^(?:docker|br-|veth|virbr|cni|flannel|lxc|podman)/;

/**
 * The addresses of this host that others can use, IPv4 first, those of networks of guests last. Link-local ones mean
 * something else on every link, and are left out.
 * @param interfaces what `networkInterfaces` of Node.js returns
 */
export function reachableAddresses(interfaces: Readonly<Record<string, readonly OwnAddress[] | undefined>>): string[] {
  const all = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ internal, address }) => !internal && !/^(?:169\.254\.|fe[89ab])/i.test(address))
      .flatMap(({ address }) => {
        const ip = parseIp(address);
        return ip === null ? [] : [{ address, rank: (OF_GUESTS.test(name) ? 2 : 0) + (ip.family === 4 ? 0 : 1) }];
      }),
  );
  return [...new Set(all.sort((a, b) => a.rank - b.rank).map(({ address }) => address))];
}

export function hostInUrl(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
