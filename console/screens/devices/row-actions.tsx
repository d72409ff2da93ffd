/** What can be done with one device: at the end of its row, and in the side panel. */
import texts from 'messages:devices';
import {
  Archive,
  ArchiveRestore,
  Copy,
  ExternalLink,
  Pencil,
  Power,
  Radar,
  Route,
  Star,
  StarOff,
  Trash2,
} from 'lucide-react';
import { IconButton } from '../../ui/button.tsx';
import { copyAndTell } from '../../ui/copy-button.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { type Device, pathOf, titleOf } from './device.ts';
import { type Screen, useScreen } from './screen.ts';
import { canScan, canWake } from './use-tools.ts';

/** @param isShort the menu alone */
export function RowActions({ device, isShort = false }: { device: Device; isShort?: boolean }) {
  const screen = useScreen();
  const { canRun, tools } = screen;
  return (
    <>
      {canRun && !isShort && canWake(device) ? (
        <IconButton label={texts.actions.wake} tabIndex={-1} onClick={() => tools.start('wake', [device])}>
          <Power />
        </IconButton>
      ) : null}
      {canRun && !isShort && canScan(device) ? (
        <IconButton label={texts.actions.scan} tabIndex={-1} onClick={() => tools.start('scan', [device])}>
          <Radar />
        </IconButton>
      ) : null}
      <Menu label={texts.rowActions({ name: titleOf(device) })} items={itemsFor(device, screen)} />
    </>
  );
}

function itemsFor(device: Device, { site, canRun, canWrite, tools, actions, open }: Screen): MenuItem[] {
  const { key, devLastIP, devMac, devFavorite, devIsArchived } = device;
  const items: (MenuItem | false)[] = [
    { label: texts.actions.open, icon: <ExternalLink />, to: pathOf(site, device) },
    canRun &&
      canWake(device) && {
        label: texts.actions.wake,
        icon: <Power />,
        hint: 'w',
        run: () => tools.start('wake', [device]),
      },
    canRun &&
      canScan(device) && {
        label: texts.actions.scan,
        icon: <Radar />,
        hint: 's',
        run: () => tools.start('scan', [device]),
      },
    canRun && canScan(device) && { label: texts.actions.trace, icon: <Route />, run: () => void tools.trace(device) },
    devLastIP !== '' && {
      label: texts.actions.copyIp,
      icon: <Copy />,
      run: () => void copyAndTell(devLastIP, texts.copied({ text: devLastIP })),
    },
    devMac !== '' && {
      label: texts.actions.copyMac,
      icon: <Copy />,
      run: () => void copyAndTell(devMac, texts.copied({ text: devMac })),
    },
    canWrite && {
      label: devFavorite === 1 ? texts.actions.unfavourite : texts.actions.favourite,
      icon: devFavorite === 1 ? <StarOff /> : <Star />,
      hint: 'f',
      run: () => actions.favourite([key]),
    },
    canWrite && {
      label: texts.actions.edit,
      icon: <Pencil />,
      run: () => open({ what: 'edit', keys: [key] }),
    },
    canWrite && {
      label: devIsArchived === 1 ? texts.actions.unarchive : texts.actions.archive,
      icon: devIsArchived === 1 ? <ArchiveRestore /> : <Archive />,
      hint: 'a',
      run: () => actions.archive([key]),
    },
    canWrite && {
      label: texts.actions.delete,
      icon: <Trash2 />,
      isDanger: true,
      run: () => open({ what: 'delete', keys: [key] }),
    },
  ];
  return items.filter((item) => item !== false);
}
