/** The actions on devices, defined once for the menu and buttons of a row, the side panel, the bar below and the keys. */
import texts from 'messages:devices';
import {
  Archive,
  ArchiveRestore,
  Check,
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
import type { ReactNode } from 'react';
import { canScan, canWake } from '../../commands/device-commands.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { copyAndTell } from '../../ui/copy-button.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { type Device, pathOf, titleOf } from './device.ts';
import { type Screen, useScreen } from './screen.ts';

interface Verb extends MenuItem {
  icon: ReactNode;
  run: () => void;
}

const { actions: labels } = texts;

/** @param flags those that all of the devices have */
export function verbsFor(
  { actions, tools, list, open }: Screen,
  keys: readonly string[],
  flags: { isFavourite?: boolean; isArchived?: boolean } = {},
) {
  const devices = () => keys.flatMap((key) => list.find(key) ?? []);
  return {
    wake: { label: labels.wake, icon: <Power />, hint: 'w', run: () => tools.start('wake', devices()) },
    scan: { label: labels.scan, icon: <Radar />, hint: 's', run: () => tools.start('scan', devices()) },
    favourite: {
      label: flags.isFavourite ? labels.unfavourite : labels.favourite,
      icon: flags.isFavourite ? <StarOff /> : <Star />,
      hint: 'f',
      run: () => actions.favourite(keys),
    },
    acknowledge: { label: labels.acknowledge, icon: <Check />, hint: 'y', run: () => actions.acknowledge(keys) },
    edit: { label: labels.edit, icon: <Pencil />, run: () => open({ what: 'edit', keys }) },
    archive: {
      label: flags.isArchived ? labels.unarchive : labels.archive,
      icon: flags.isArchived ? <ArchiveRestore /> : <Archive />,
      hint: 'a',
      run: () => actions.archive(keys),
    },
    delete: {
      label: labels.delete,
      icon: <Trash2 />,
      isDanger: true,
      run() {
        if (keys.length > 0) open({ what: 'delete', keys });
      },
    },
  } satisfies Record<string, Verb>;
}

/** The commands that the token and the addresses of the device allow. */
export function commandsFor(screen: Screen, device: Device): Verb[] {
  const { wake, scan } = verbsFor(screen, [device.key]);
  return screen.canRun ? [...(canWake(device) ? [wake] : []), ...(canScan(device) ? [scan] : [])] : [];
}

interface RowProps {
  device: Device;
  /** For a phone and a panel. */
  isShort?: boolean;
  /** Has to be named or marked as known first. */
  isUnnamed?: boolean;
}

export function RowActions({ device, isShort = false, isUnnamed = false }: RowProps) {
  const screen = useScreen();
  const { site, canRun, canWrite, tools } = screen;
  const { key, devLastIP, devMac } = device;
  const commands = commandsFor(screen, device);
  const flags = { isFavourite: device.devFavorite === 1, isArchived: device.devIsArchived === 1 };
  const { favourite, acknowledge, edit, archive, delete: remove } = verbsFor(screen, [key], flags);
  const copy = (label: string, text: string): false | Verb =>
    text !== '' && { label, icon: <Copy />, run: () => void copyAndTell(text, texts.copied({ text })) };
  const items: (MenuItem | false)[] = [
    { label: labels.open, icon: <ExternalLink />, to: pathOf(site, device) },
    ...commands,
    canRun && canScan(device) && { label: labels.trace, icon: <Route />, run: () => void tools.trace(device) },
    copy(labels.copyIp, devLastIP),
    copy(labels.copyMac, devMac),
    ...(canWrite ? [device.devIsNew === 1 && acknowledge, favourite, edit, archive, remove] : []),
  ];
  return (
    <>
      {isUnnamed ? (
        <Button
          look="quiet"
          className="px-1.5 text-xs"
          tabIndex={-1}
          data-does="name"
          aria-label={labels.giveName}
          title={labels.giveName}
        >
          {isShort ? <Pencil /> : labels.name}
        </Button>
      ) : null}
      {(isUnnamed ? [acknowledge] : isShort ? [] : commands).map(({ label, icon, run }) => (
        <IconButton key={label} label={label} icon={icon} tabIndex={-1} onClick={run} />
      ))}
      {isUnnamed && isShort ? null : (
        <Menu label={texts.rowActions({ name: titleOf(device) })} items={items.filter((item) => item !== false)} />
      )}
    </>
  );
}
