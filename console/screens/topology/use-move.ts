/** Giving a device another parent: shown at once, and undone when the API refuses it or somebody wants it back. */
import { useMemo, useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { common } from '../../text/texts.ts';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { texts } from './texts.ts';
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

interface Change extends Place {
  /** The API has made it. It is shown until the list has been read again. */
  isMade: boolean;
}

export function useMove(site: string, stored: readonly TopologyDevice[]): Moves {
  const [changes, setChanges] = useState<ReadonlyMap<string, Change>>(new Map());
  const [seen, setSeen] = useState(stored);
  if (seen !== stored) {
    setSeen(stored);
    setChanges(new Map([...changes].filter(([, { isMade }]) => !isMade)));
  }
  const { mutateAsync } = useChange('PATCH /devices/{mac}');
  const devices = useMemo(
    () => (changes.size === 0 ? stored : stored.map((device) => changed(device, changes.get(device.key)))),
    [stored, changes],
  );

  async function put(key: string, place: Place, before: Place): Promise<boolean> {
    const change: Change = { ...place, isMade: false };
    setChanges((now) => new Map(now).set(key, change));
    const settle = (made: Change | null) => setChanges((now) => settled(now, key, change, made));
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
      settle({ ...change, isMade: true });
      return true;
    } catch (error) {
      settle(null);
      showProblem(error);
      return false;
    }
  }

  function move(key: string, parent: string): void {
    const device = devices.find((one) => one.key === key);
    if (device === undefined || device.parent === parent) return;
    const name = titleOf(device);
    const parentName = nameOf(devices, parent);
    if (withAllBehind(devices, key).has(parent)) {
      showToast(parent === key ? texts.onItself(name) : texts.circle(name, parentName));
      return;
    }
    const before = { parent: device.parent, parentPort: device.parentPort };
    const place = { parent, parentPort: '' };
    void put(key, place, before).then((isDone) => {
      if (!isDone) return;
      const text = parent === '' ? texts.movedAway(name) : texts.moved(name, parentName);
      showToast(text, { label: common.undo, run: () => void put(key, before, place) });
    });
  }

  return { devices, move };
}

function changed(device: TopologyDevice, change: Place | undefined): TopologyDevice {
  return change === undefined ? device : { ...device, parent: change.parent, parentPort: change.parentPort };
}

/** With the change made, or taken back; a later change of the same device stays as it is. */
function settled(
  changes: ReadonlyMap<string, Change>,
  key: string,
  change: Change,
  made: Change | null,
): ReadonlyMap<string, Change> {
  if (changes.get(key) !== change) return changes;
  const next = new Map(changes);
  if (made === null) next.delete(key);
  else next.set(key, made);
  return next;
}

function nameOf(devices: readonly TopologyDevice[], key: string): string {
  const device = devices.find((one) => one.key === key);
  if (device !== undefined) return titleOf(device);
  return key === INTERNET ? texts.internet : key;
}
