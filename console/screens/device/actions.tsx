/** What can be done with the record of the device. */

import { Archive, BellRing, Check, Pencil, Star, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { DeviceEdit } from '../../../shared/api/device-edits.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { useShortcut } from '../../ui/keys.ts';
import { showProblem } from '../../ui/toast.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import styles from './device.module.css';
import { EditDialog } from './edit-dialog.tsx';
import { texts } from './texts.ts';
import { useDeviceEditor } from './use-device.ts';

export function DeviceActions({ site, device }: { site: string; device: OneDevice }) {
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const editor = useDeviceEditor(site, device.key);
  const set = (edit: DeviceEdit) => void editor.set(edit).catch(showProblem);
  const toggleFavourite = () => set({ devFavorite: device.devFavorite === 1 ? 0 : 1 });
  useShortcut('e', texts.edit, () => setOpen('edit'));
  useShortcut('f', texts.favourite, toggleFavourite);
  return (
    <>
      {device.devIsNew === 1 ? (
        <Button look="primary" onClick={() => set({ devIsNew: 0 })}>
          <Check aria-hidden="true" />
          {texts.acknowledge}
        </Button>
      ) : null}
      <Toggle isOn={device.devFavorite === 1} onClick={toggleFavourite}>
        <Star aria-hidden="true" />
        {texts.favourite}
      </Toggle>
      <Toggle isOn={device.devAlertDown === 1} onClick={() => set({ devAlertDown: device.devAlertDown === 1 ? 0 : 1 })}>
        <BellRing aria-hidden="true" />
        {texts.alertDown}
      </Toggle>
      <Toggle
        isOn={device.devIsArchived === 1}
        onClick={() => set({ devIsArchived: device.devIsArchived === 1 ? 0 : 1 })}
      >
        <Archive aria-hidden="true" />
        {texts.archive}
      </Toggle>
      <Button onClick={() => setOpen('edit')}>
        <Pencil aria-hidden="true" />
        {common.edit}
      </Button>
      <Button onClick={() => setOpen('delete')}>
        <Trash2 aria-hidden="true" />
        {common.delete}
      </Button>
      {open === 'edit' ? <EditDialog site={site} device={device} onClose={() => setOpen(null)} /> : null}
      {open === 'delete' ? <DeleteDialog site={site} device={device} onClose={() => setOpen(null)} /> : null}
    </>
  );
}

function Toggle({ isOn, onClick, children }: { isOn: boolean; onClick: () => void; children: ReactNode }) {
  return (
    <Button aria-pressed={isOn} onClick={onClick} className={isOn ? (styles.pressed ?? '') : ''}>
      {children}
    </Button>
  );
}
