/** The graph that devices and their parents form. It need not be a tree. */
import { INTERNET } from '../../shared/device.ts';
import type { DeviceKey, StoredDevice } from './collection/device-codec.ts';

interface Topology {
  nodes: { id: string; name: string; vendor: string }[];
  links: { source: string; target: string; port: string }[];
}

/**
 * One node per device, one link per device with a parent. A parent outside the collection becomes a node of its own, so
 * that both ends of every link exist.
 * @param find finds parents outside of `devices`, when these are one page of the collection
 */
export function topologyOf(
  devices: readonly StoredDevice[],
  find: (key: DeviceKey) => StoredDevice | undefined = () => undefined,
): Topology {
  const nodes = devices.map(nodeOf);
  const known = new Set(nodes.map(({ id }) => id));
  const links: Topology['links'] = [];
  for (const { key, record } of devices) {
    const parent = record.devParentMAC;
    if (parent === '') continue;
    if (!known.has(parent)) {
      known.add(parent);
      const device = find(parent);
      nodes.push(device ? nodeOf(device) : { id: parent, name: parent === INTERNET ? INTERNET : '', vendor: '' });
    }
    links.push({ source: parent, target: key, port: record.devParentPort });
  }
  return { nodes, links };
}

function nodeOf({ key, record }: StoredDevice): Topology['nodes'][number] {
  return { id: key, name: record.devName, vendor: record.devVendor };
}
