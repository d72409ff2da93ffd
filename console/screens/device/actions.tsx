/** What a person can do with the device: the usual commands as buttons, the rest in a menu. */
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
import { Button, IconButton } from '../../ui/button.tsx';
import { KEYS, useShortcut } from '../../ui/keys.ts';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { useDeviceScreen } from './screen.ts';

/** @param onScan shows where the result of a scan appears */
export function DeviceActions({ onScan }: { onScan: () => void }) {
  const { device, mayEdit, tools, editor, edit } = useDeviceScreen();
  const openEdit = () => edit('devName');
  const deletion = (close: () => void) => <DeleteDialog onClose={close} />;
  useShortcut(KEYS.edit, texts.edit, openEdit, { when: mayEdit });
  const isThere = device.devStatus === 'online';
  const items: (MenuItem | false)[] = [
    ...(tools?.hasAddress
      ? [
          { label: commandTexts.tools.traceroute, icon: <Route />, run: tools.startTrace },
          { label: commandTexts.tools.nslookup, icon: <SearchCheck />, run: tools.startResolve },
        ]
      : []),
    ...(mayEdit
      ? [
          device.devIsNew === 1 && {
            label: texts.acknowledge,
            icon: <Check />,
            run: () => editor.set({ devIsNew: 0 }),
          },
          { label: texts.edit, icon: <Pencil />, hint: KEYS.edit, run: openEdit },
          device.devAlertDown === 1
            ? { label: texts.alertDownOff, icon: <BellOff />, run: () => editor.set({ devAlertDown: 0 }) }
            : { label: texts.alertDown, icon: <BellRing />, run: () => editor.set({ devAlertDown: 1 }) },
          device.devIsArchived === 1
            ? { label: texts.unarchive, icon: <ArchiveRestore />, run: () => editor.set({ devIsArchived: 0 }) }
            : { label: texts.archive, icon: <Archive />, run: () => editor.set({ devIsArchived: 1 }) },
          { label: texts.delete, icon: <Trash2 />, isDanger: true, dialog: deletion },
        ]
      : []),
  ];
  const shown = items.filter((item) => item !== false);
  return (
    <div className="flex flex-wrap gap-2 [&>button[aria-haspopup]]:border-edge">
      {tools?.canWake ? (
        <Button
          look={isThere ? 'plain' : 'primary'}
          onClick={tools.startWake}
          disabled={tools.wake.isRunning}
          title={texts.wakeHint}
          icon={<Power />}
        >
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
          icon={<Radar />}
        >
          {commandTexts.tools.nmap}
        </Button>
      ) : null}
      {shown.length === 0 ? null : <Menu label={texts.moreActions} items={shown} />}
    </div>
  );
}

/** The mark beside the name, which a person sets and removes. */
export function FavouriteMark() {
  const { device, mayEdit, editor } = useDeviceScreen();
  const isOn = device.devFavorite === 1;
  const toggle = () => editor.set({ devFavorite: isOn ? 0 : 1 });
  useShortcut(KEYS.favourite, texts.favourite, toggle, { when: mayEdit });
  if (!mayEdit) {
    return isOn ? (
      <Star className="size-4 text-accent" role="img" aria-label={texts.favourite} fill="currentcolor" />
    ) : null;
  }
  return (
    <IconButton
      label={texts.favourite}
      icon={<Star fill={isOn ? 'currentcolor' : 'none'} />}
      aria-pressed={isOn}
      className="aria-pressed:text-accent aria-[pressed=false]:text-muted"
      onClick={toggle}
    />
  );
}
