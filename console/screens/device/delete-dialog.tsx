/** Deletes the device, and offers to bring it back. */
import common from 'messages:common';
import texts from 'messages:device';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { ask } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useRestore } from './use-restore.ts';

export function DeleteDialog({ site, device, onClose }: { site: string; device: OneDevice; onClose: () => void }) {
  const [problem, setProblem] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const restore = useRestore(site);
  const { key } = device;
  const name = device.devName === '' ? key : device.devName;

  async function remove(): Promise<void> {
    setBusy(true);
    try {
      const { change } = await ask('DELETE /devices/{mac}', { site, params: { mac: key } });
      navigate(`/sites/${site}/devices`);
      void queries.invalidateQueries();
      showToast(texts.deleted({ name }), { label: common.undo, run: () => void restore({ key, name, change }) });
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  }

  return (
    <Dialog title={texts.deleteTitle} onClose={onClose}>
      <p data-foreign>{texts.deleteText({ name })}</p>
      <p>{texts.deleteHint}</p>
      {problem === null ? null : <ProblemBox error={problem} />}
      <DialogActions>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button look="danger" disabled={isBusy} onClick={() => void remove()}>
          {texts.deleteYes}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
