/** Giving a device another parent: shown at once, and undone when the API refuses it or somebody wants it back. */
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { texts } from '../../texts.ts';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { INTERNET, type TopologyDevice, titleOf, withAllBehind } from './tree.ts';

interface Place {
  parent: string;
  parentPort: string;
}

export interface Moves {
  /** The devices as they will be when the changes that are under way are done. */
  devices: readonly TopologyDevice[];
  /** @param parent key of the new parent; empty for none */
  move(key: string, parent: string): void;
}

export function useMove(site: string, stored: readonly TopologyDevice[]): Moves {
  const [changes, setChanges] = useState<ReadonlyMap<string, Place>>(new Map());
  const { mutateAsync } = useChange('PATCH /devices/{mac}');
  const devices = changes.size === 0 ? stored : stored.map((device) => ({ ...device, ...changes.get(device.key) }));

  async function put(key: string, place: Place, before: Place): Promise<boolean> {
    setChanges((now) => new Map(now).set(key, place));
    try {
      await mutateAsync({
        site,
        params: { mac: key },
        body: {
          devParentMAC: place.parent,
          // A port belongs to the device that it is on.
          ...(place.parentPort === before.parentPort ? {} : { devParentPort: place.parentPort }),
        },
      });
      return true;
    } catch (error) {
      showProblem(error);
      return false;
    } finally {
      // The list has been read again by now. A later change of the same device stays.
      setChanges((now) => (now.get(key) === place ? new Map([...now].filter(([other]) => other !== key)) : now));
    }
  }

  function move(key: string, parent: string): void {
    const device = devices.find((one) => one.key === key);
    if (device === undefined || device.parent === parent) return;
    const name = titleOf(device);
    const parentName = nameOf(devices, parent);
    if (withAllBehind(devices, key).has(parent)) {
      showToast(parent === key ? texts.topology.onItself(name) : texts.topology.circle(name, parentName));
      return;
    }
    const before = { parent: device.parent, parentPort: device.parentPort };
    const place = { parent, parentPort: '' };
    void put(key, place, before).then((isDone) => {
      if (!isDone) return;
      const text = parent === '' ? texts.topology.movedAway(name) : texts.topology.moved(name, parentName);
      showToast(text, { label: texts.common.undo, run: () => void put(key, before, place) });
    });
  }

  return { devices, move };
}

function nameOf(devices: readonly TopologyDevice[], key: string): string {
  const device = devices.find((one) => one.key === key);
  if (device !== undefined) return titleOf(device);
  return key === INTERNET ? texts.topology.internet : key;
}
