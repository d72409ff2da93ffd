/** The graph that devices and their parents form. It need not be a tree. */
import type { views } from '../../shared/api/device-views.ts';
import type { Output } from '../../shared/api/operation.ts';
import { INTERNET, statusOf } from '../../shared/device.ts';
import type { DeviceKey, StoredDevice } from './collection/device-codec.ts';

type Topology = Omit<Output<typeof views.networkTopology>, 'nextCursor'>;

interface Wanted {
  /** Whether nodes also have address, type and status. */
  isFull?: boolean;
  /** Finds parents outside of the devices, when these are one page of the collection. */
  find?: (key: DeviceKey) => StoredDevice | undefined;
}

/**
 * One node per device, one link per device with a parent. A parent outside the collection becomes a node of its own, so
 * that both ends of every link exist.
 */
export function topologyOf(
  devices: readonly StoredDevice[],
  { isFull = false, find = () => undefined }: Wanted = {},
): Topology {
  const nodes = devices.map((device) => nodeOf(device, isFull));
  const known = new Set(nodes.map(({ id }) => id));
  const links: Topology['links'] = [];
  for (const { key, record } of devices) {
    const parent = record.devParentMAC;
    if (parent === '') continue;
    if (!known.has(parent)) {
      known.add(parent);
      const device = find(parent);
      nodes.push(
        device ? nodeOf(device, isFull) : { id: parent, name: parent === INTERNET ? INTERNET : '', vendor: '' },
      );
    }
    links.push({ source: parent, target: key, port: record.devParentPort });
  }
  return { nodes, links };
}

function nodeOf({ key, record }: StoredDevice, isFull: boolean): Topology['nodes'][number] {
  const { devName: name, devVendor: vendor, devLastIP: ip, devType: type } = record;
  return { id: key, name, vendor, ...(isFull ? { ip, type, status: statusOf(record) } : {}) };
}
