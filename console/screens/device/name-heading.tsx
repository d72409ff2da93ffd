/** The name of the device as the heading of the screen, edited in place. */
import texts from 'messages:device';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { calledText } from '../../text/called.ts';
import { IconButton } from '../../ui/button.tsx';
import { useShortcut } from '../../ui/keys.ts';
import { InPlace, useReturnOfFocus } from './in-place.tsx';
import styles from './profile.module.css';
import { useDeviceScreen } from './screen.ts';

export function NameHeading() {
  const { device, mayEdit } = useDeviceScreen();
  const [isOpen, setOpen] = useState(false);
  const pencil = useReturnOfFocus(isOpen);
  useShortcut('n', texts.rename, () => setOpen(true), { when: mayEdit && !isOpen });
  if (isOpen) {
    return (
      <div className="col-span-full">
        <h1 className="visually-hidden">{nameOf(device)}</h1>
        <InPlace field="devName" onEnd={() => setOpen(false)} />
      </div>
    );
  }
  return (
    <div
      className={`${styles.name} flex items-center gap-0.5 min-w-0 [&_h1]:min-w-0 [&_h1]:max-h-[3.75em] [&_h1]:overflow-hidden [&_h1]:wrap-anywhere`}
    >
      <h1 data-foreign>{nameOf(device)}</h1>
      {mayEdit ? (
        <IconButton ref={pencil} label={texts.rename} onClick={() => setOpen(true)}>
          <Pencil />
        </IconButton>
      ) : null}
    </div>
  );
}

export function nameOf(device: Pick<OneDevice, 'devName' | 'devVendor' | 'devType' | 'devMac'>): string {
  return calledText(device) || texts.noName;
}
