/** Makes one device of several, and several of one again. */
import common from 'messages:common';
import texts from 'messages:same';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/client.ts';
import { showProblem, showToast } from '../../ui/toast.tsx';

interface Named {
  key: string;
  name: string;
}

export function useJoin(site: string) {
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);

  async function during(act: () => Promise<void>): Promise<void> {
    setBusy(true);
    try {
      await act();
    } catch (error) {
      showProblem(error);
    } finally {
      setBusy(false);
      void queries.invalidateQueries();
    }
  }

  const restore = (change: string) =>
    during(async () => {
      const { restored } = await ask('POST /devices/restore', { site, body: { change } });
      showToast(texts.takenApart({ count: restored }));
    });

  return {
    isBusy,
    join: (device: Named, others: readonly Named[]) =>
      during(async () => {
        const body = { macs: others.map(({ key }) => key) };
        const { joined, change } = await ask('POST /devices/{mac}/join', { site, params: { mac: device.key }, body });
        showToast(texts.joined({ name: titleOf(device), others: joined }), {
          label: common.undo,
          run: () => void restore(change),
        });
      }),
    split: (key: string, macs: readonly string[]) =>
      during(async () => {
        const body = { macs: [...macs] };
        const { split } = await ask('POST /devices/{mac}/split', { site, params: { mac: key }, body });
        showToast(texts.wasSplit({ count: split }), { label: common.undo, run: () => void joinAgain(key, macs) });
      }),
    /** They are different devices, whatever it looks like. */
    keepApart: (device: Named) =>
      during(async () => {
        await ask('POST /devices/{mac}/split', { site, params: { mac: device.key }, body: {} });
        showToast(texts.apart({ name: titleOf(device) }));
      }),
  };

  function joinAgain(key: string, macs: readonly string[]): Promise<void> {
    return during(async () => {
      const { joined } = await ask('POST /devices/{mac}/join', {
        site,
        params: { mac: key },
        body: { macs: [...macs] },
      });
      showToast(texts.joined({ name: key, others: joined }));
    });
  }
}

export function titleOf({ name, key }: Named): string {
  return name === '' ? key : name;
}
