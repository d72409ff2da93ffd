/** Moves a device to another parent: shown at once, undone when the API rejects it or the user chooses "undo". */
import common from 'messages:common';
import texts from 'messages:map';
import { useQueryClient } from '@tanstack/react-query';
import { ask } from '../../api/client.ts';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { INTERNET, type TopologyDevice, titleOf, withAllBehind } from './tree.ts';
import { moved, type Topology, topologyKey } from './use-devices.ts';

interface Place {
  devParentMAC: string;
  devParentPort: string;
}

/** @returns a function; an empty parent: none */
export function useMove(site: string, devices: readonly TopologyDevice[]): (key: string, parent: string) => void {
  const queries = useQueryClient();
  const queryKey = topologyKey(site);
  const show = (key: string, { devParentMAC, devParentPort }: Place) =>
    queries.setQueryData<Topology>(queryKey, (before) => moved(before, key, devParentMAC, devParentPort));

  async function put(key: string, place: Place, before: Place): Promise<boolean> {
    show(key, place); // At once, so that the focus can follow the device.
    await queries.cancelQueries({ queryKey }); // A pending response is older than the change.
    show(key, place);
    // A port belongs to its parent.
    const { devParentMAC, devParentPort } = place;
    const body = devParentPort === before.devParentPort ? { devParentMAC } : place;
    try {
      await ask('PATCH /devices/{mac}', { site, params: { mac: key }, body });
      return true;
    } catch (error) {
      show(key, before);
      showProblem(error);
      return false;
    } finally {
      void queries.invalidateQueries();
    }
  }

  return (key, parent) => {
    const device = devices.find((one) => one.key === key);
    if (device === undefined || device.parent === parent) return;
    const name = titleOf(device);
    const parentName = nameOf(devices, parent);
    if (withAllBehind(devices, key).has(parent)) {
      showToast(parent === key ? texts.onItself({ name }) : texts.circle({ name, parent: parentName }));
      return;
    }
    const before = { devParentMAC: device.parent, devParentPort: device.parentPort };
    const place = { devParentMAC: parent, devParentPort: '' };
    void put(key, place, before).then((isDone) => {
      if (!isDone) return;
      const text = parent === '' ? texts.movedAway({ name }) : texts.moved({ name, parent: parentName });
      showToast(text, { label: common.undo, run: () => void put(key, before, place) });
    });
  };
}

function nameOf(devices: readonly TopologyDevice[], key: string): string {
  const device = devices.find((one) => one.key === key);
  if (device !== undefined) return titleOf(device);
  return key === INTERNET ? texts.internet : key;
}
