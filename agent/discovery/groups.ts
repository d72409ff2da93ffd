/**
 * The groups to which hosts speak that arrive. A card passes on only what is said to groups that this host has joined, and to
 * join them is less than to receive everything (promiscuous mode).
 */
import { createSocket } from 'node:dgram';

/** All routers, MLDv2-capable routers, mDNS, and DHCPv6 servers and relays. */
const IPV6_GROUPS = ['ff02::2', 'ff02::16', 'ff02::fb', 'ff02::1:2'];

/** Joins the groups on an interface, as far as that goes. @returns leaves them */
export function joinGroups(interfaceName: string): () => void {
  const socket = createSocket({ type: 'udp6', ipv6Only: true });
  // Without IPv6 there is nobody to be heard.
  socket.on('error', () => {});
  for (const group of IPV6_GROUPS) {
    try {
      socket.addMembership(group, `::%${interfaceName}`);
    } catch {
      // The others are joined all the same.
    }
  }
  socket.unref();
  return () => socket.close();
}
