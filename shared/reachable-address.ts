/** The addresses at which other hosts reach this one. */
import { parseIp } from './addresses.ts';

/** An address of this host, as Node.js reports it. */
interface OwnAddress {
  address: string;
  internal: boolean;
}

/** Networks of this host's own containers and virtual machines. */
const OF_GUESTS = /^(?:docker|br-|veth|virbr|cni|flannel|lxc|podman)/;

/** The addresses by which others reach this host: IPv4 first, guest networks last, none link-local. */
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
