/** The tree that the devices of a map form. */
import type { SharedDevice } from '../../shared/api/shares.ts';

export interface Branch {
  /** Null: those without a connection, which end the map. */
  device: SharedDevice | null;
  branches: Branch[];
  /** Devices to which nothing is connected. */
  leaves: SharedDevice[];
}

/** Each device is in it once, also where parents form a circle. */
export function branchesOf(devices: readonly SharedDevice[]): Branch[] {
  const children = new Map<number | undefined, number[]>();
  for (const [place, { parent }] of devices.entries()) {
    const known = parent !== undefined && parent !== place && parent < devices.length ? parent : undefined;
    children.set(known, [...(children.get(known) ?? []), place]);
  }
  const drawn = new Set<number>();
  function branchOf(place: number): Branch {
    drawn.add(place);
    const branch: Branch = { device: devices[place]!, branches: [], leaves: [] };
    for (const child of children.get(place) ?? []) {
      if (drawn.has(child)) continue;
      if (children.has(child)) branch.branches.push(branchOf(child));
      else {
        drawn.add(child);
        branch.leaves.push(devices[child]!);
      }
    }
    return branch;
  }
  const single: SharedDevice[] = [];
  const roots = [...(children.get(undefined) ?? []), ...devices.keys()].flatMap((place) => {
    if (drawn.has(place)) return [];
    if (children.has(place)) return [branchOf(place)];
    drawn.add(place);
    single.push(devices[place]!);
    return [];
  });
  return single.length === 0 ? roots : [...roots, { device: null, branches: [], leaves: single }];
}
