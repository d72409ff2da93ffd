/** The list of the mesh of a FRITZ!Box: where its hosts are attached. */
import * as z from 'zod';
import { parseJson } from '../../../shared/json.ts';
import { parseMac } from '../../../shared/network.ts';
import { Flag, rowsOf, texts } from '../answers.ts';
import type { SourceLink } from '../source.ts';

const Uid = z.string();
const Link = z.object({ state: z.literal('CONNECTED'), node_interface_1_uid: Uid, node_interface_2_uid: Uid });
const Interface = z.object({
  uid: Uid,
  ...texts('name type mac_address ssid'),
  node_links: rowsOf(Link).catch([]),
});
const Node = z.object({
  ...texts('device_mac_address mesh_role'),
  is_meshed: Flag,
  node_interfaces: rowsOf(Interface),
});
const Mesh = z.object({ nodes: rowsOf(Node) });
type End = z.infer<typeof Interface> & { node: z.infer<typeof Node> };

/** The links of hosts and repeaters, by their MAC; none of anything but such a list. Never throws. */
export function linksOfMesh(json: string): Map<string, SourceLink> {
  const { nodes } = Mesh.safeParse(parseJson(json)).data ?? { nodes: [] };
  const ends = new Map<string, End>();
  for (const node of nodes) for (const each of node.node_interfaces) ends.set(each.uid, { ...each, node });
  const links = new Map<string, SourceLink>();
  for (const { node_links } of ends.values()) {
    for (const { node_interface_1_uid, node_interface_2_uid } of node_links) {
      const [upper, lower] = inOrder(ends.get(node_interface_1_uid), ends.get(node_interface_2_uid));
      if (upper === undefined || lower === undefined) continue;
      // A repeater is known by one MAC, whichever of its radios it uses.
      const mac = parseMac((lower.node.is_meshed ? lower.node.device_mac_address : lower.mac_address) ?? '');
      if (mac !== null) links.set(mac, linkTo(upper));
    }
  }
  return links;
}

/** The end that is nearer to the router, and the other. Mostly that is the first, not with a host at a switch. */
function inOrder(first: End | undefined, second: End | undefined): (End | undefined)[] {
  const isReversed = second?.node.mesh_role === 'master' || (second?.node.is_meshed && !first?.node.is_meshed);
  const [upper, lower] = isReversed ? [second, first] : [first, second];
  return upper?.node.is_meshed ? [upper, lower] : [];
}

function linkTo({ type, name, ssid, node }: End): SourceLink {
  const mac = node.device_mac_address;
  if (type === 'WLAN') return { medium: 'wireless', ssid, accessPoint: mac };
  return { medium: 'wired', switch: mac, port: portName(name) };
}

/** `LAN:2` is the socket LAN 2. */
function portName(name = ''): string | undefined {
  return /^LAN:\d{1,2}$/.test(name) ? name.replace(':', ' ') : undefined;
}
