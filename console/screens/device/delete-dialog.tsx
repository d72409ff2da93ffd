/** Deletes the device, and restores it. */
import common from 'messages:common';
import texts from 'messages:device';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { ask } from '../../api/client.ts';
import { keyOf } from '../../api/queries.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { pathOf } from '../devices/device.ts';
import { useDeviceScreen } from './screen.ts';

export function DeleteDialog({ onClose }: { onClose: () => void }) {
  const { site, device } = useDeviceScreen();
  const [, navigate] = useLocation();
  const restore = useRestore(site);
  const { key } = device;
  const name = device.devName === '' ? key : device.devName;
  async function send(): Promise<void> {
    const { change } = await ask('DELETE /devices/{mac}', { site, params: { mac: key } });
    // Before the queries are invalidated: this screen would show for a moment that there is no such device.
    navigate(`/sites/${site}/devices`);
    showToast(texts.deleted({ name }), { label: common.undo, run: () => void restore({ key, name, change }) });
  }
  return (
    <ConfirmDialog title={texts.deleteTitle} submit={texts.deleteYes} send={send} onClose={onClose}>
      <p data-foreign>{texts.deleteText({ name })}</p>
      <p>{texts.deleteHint}</p>
    </ConfirmDialog>
  );
}

interface Deleted {
  key: string;
  name: string;
  /** The id of the deletion. */
  change: string;
}

/** Restores a deleted device and opens it. */
export function useRestore(site: string): (deleted: Deleted) => Promise<void> {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  return async ({ key, name, change }) => {
    try {
      await ask('POST /devices/restore', { site, body: { change, macs: [key] } });
      // The answer "not found" that was read in between must go, also where this screen stays open.
      void queries.resetQueries({ queryKey: keyOf('GET /devices/{mac}', { site, params: { mac: key } }) });
      navigate(pathOf(site, { key }));
      void queries.invalidateQueries();
      showToast(texts.restored({ name }));
    } catch (error) {
      showProblem(error);
    }
  };
}
