/** Joins devices into one, and splits them again. */
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

  const joinMacs = (key: string, macs: readonly string[]) =>
    ask('POST /devices/{mac}/join', { site, params: { mac: key }, body: { macs: [...macs] } });
  const splitMacs = (key: string, body: { macs?: string[] }) =>
    ask('POST /devices/{mac}/split', { site, params: { mac: key }, body });

  const restore = (change: string) =>
    during(async () => {
      const { restored } = await ask('POST /devices/restore', { site, body: { change } });
      showToast(texts.takenApart({ count: restored }));
    });
  const joinAgain = (key: string, macs: readonly string[]) =>
    during(async () => {
      const { joined } = await joinMacs(key, macs);
      showToast(texts.joined({ name: key, others: joined }));
    });

  return {
    isBusy,
    join: (device: Named, others: readonly Named[]) =>
      during(async () => {
        const macs = others.map(({ key }) => key);
        const { joined, change } = await joinMacs(device.key, macs);
        const undo = { label: common.undo, run: () => void restore(change) };
        showToast(texts.joined({ name: titleOf(device), others: joined }), undo);
      }),
    split: (key: string, macs: readonly string[]) =>
      during(async () => {
        const { split } = await splitMacs(key, { macs: [...macs] });
        showToast(texts.wasSplit({ count: split }), { label: common.undo, run: () => void joinAgain(key, macs) });
      }),
    /** Records that they are different devices. */
    keepApart: (device: Named) =>
      during(async () => {
        await splitMacs(device.key, {});
        showToast(texts.apart({ name: titleOf(device) }));
      }),
  };
}

export function titleOf({ name, key }: Named): string {
  return name === '' ? key : name;
}
