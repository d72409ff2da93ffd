/** What can be done with the device: what people want of it most, and the rest in a menu. */
import commandTexts from 'messages:commands';
import texts from 'messages:device';
import {
  Archive,
  ArchiveRestore,
  BellOff,
  BellRing,
  Check,
  Pencil,
  Power,
  Radar,
  Route,
  SearchCheck,
  Star,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import type { DeviceEdit } from '../../../shared/api/device-edits.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { useShortcut } from '../../ui/keys.ts';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { showProblem } from '../../ui/toast.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { EditDialog } from './edit-dialog.tsx';
import styles from './profile.module.css';
import { useDeviceEditor } from './use-device.ts';
import type { DeviceTools } from './use-tools.ts';

interface Props {
  site: string;
  device: OneDevice;
  mayEdit: boolean;
  /** Null where the token may run nothing. */
  tools: DeviceTools | null;
  /** Shows where the result of a scan appears. */
  onScan: () => void;
}

export function DeviceActions({ site, device, mayEdit, tools, onScan }: Props) {
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const editor = useDeviceEditor(site, device.key);
  const set = (edit: DeviceEdit) => void editor.set(edit).catch(showProblem);
  useShortcut('e', texts.edit, () => setOpen('edit'), { when: mayEdit });
  const isThere = device.devStatus === 'online';
  const items: MenuItem[] = [
    ...(tools?.hasAddress
      ? [
          { label: commandTexts.tools.traceroute, icon: <Route aria-hidden="true" />, run: tools.startTrace },
          { label: commandTexts.tools.nslookup, icon: <SearchCheck aria-hidden="true" />, run: tools.startResolve },
        ]
      : []),
    ...(mayEdit
      ? [
          ...(device.devIsNew === 1
            ? [{ label: texts.acknowledge, icon: <Check aria-hidden="true" />, run: () => set({ devIsNew: 0 }) }]
            : []),
          { label: texts.edit, icon: <Pencil aria-hidden="true" />, hint: 'E', run: () => setOpen('edit') },
          device.devAlertDown === 1
            ? { label: texts.alertDownOff, icon: <BellOff aria-hidden="true" />, run: () => set({ devAlertDown: 0 }) }
            : { label: texts.alertDown, icon: <BellRing aria-hidden="true" />, run: () => set({ devAlertDown: 1 }) },
          device.devIsArchived === 1
            ? {
                label: texts.unarchive,
                icon: <ArchiveRestore aria-hidden="true" />,
                run: () => set({ devIsArchived: 0 }),
              }
            : { label: texts.archive, icon: <Archive aria-hidden="true" />, run: () => set({ devIsArchived: 1 }) },
          { label: texts.delete, icon: <Trash2 aria-hidden="true" />, isDanger: true, run: () => setOpen('delete') },
        ]
      : []),
  ];
  return (
    <div className={`${styles.actions} flex flex-wrap gap-1 [&>button[aria-haspopup]]:border-edge`}>
      {tools?.canWake ? (
        <Button
          look={isThere ? 'plain' : 'primary'}
          onClick={tools.startWake}
          disabled={tools.wake.isRunning}
          title={texts.wakeHint}
        >
          <Power aria-hidden="true" />
          {commandTexts.tools.wakeonlan}
        </Button>
      ) : null}
      {tools?.hasAddress ? (
        <Button
          look={isThere ? 'primary' : 'plain'}
          onClick={() => {
            tools.startScan({ mode: 'fast' });
            onScan();
          }}
          disabled={tools.scan.isRunning}
        >
          <Radar aria-hidden="true" />
          {commandTexts.tools.nmap}
        </Button>
      ) : null}
      {items.length === 0 ? null : <Menu label={texts.moreActions} items={items} />}
      {open === 'edit' ? <EditDialog site={site} device={device} onClose={() => setOpen(null)} /> : null}
      {open === 'delete' ? <DeleteDialog site={site} device={device} onClose={() => setOpen(null)} /> : null}
    </div>
  );
}

/** A mark beside the name, which a person sets and takes back. */
export function FavouriteMark({ site, device, mayEdit }: Pick<Props, 'site' | 'device' | 'mayEdit'>) {
  const editor = useDeviceEditor(site, device.key);
  const isOn = device.devFavorite === 1;
  const toggle = () => void editor.set({ devFavorite: isOn ? 0 : 1 }).catch(showProblem);
  useShortcut('f', texts.favourite, toggle, { when: mayEdit });
  if (!mayEdit) {
    return isOn ? (
      <Star className="size-4 text-accent" role="img" aria-label={texts.favourite} fill="currentcolor" />
    ) : null;
  }
  return (
    <IconButton
      label={texts.favourite}
      aria-pressed={isOn}
      className="aria-pressed:text-accent aria-[pressed=false]:text-muted"
      onClick={toggle}
    >
      <Star fill={isOn ? 'currentcolor' : 'none'} />
    </IconButton>
  );
}
