/** The device itself: its icon, name, status and model. */
import texts from 'messages:device';
import { BellRing, Pencil } from 'lucide-react';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { brandOf } from '../../../shared/called.ts';
import { calledText } from '../../text/called.ts';
import { IconButton } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { DeviceStateLine } from '../../ui/device-state.tsx';
import { useShortcut } from '../../ui/keys.ts';
import { KindIcon } from '../../ui/kind-icon.tsx';
import { Moment } from '../../ui/time.tsx';
import { FavouriteMark } from './actions.tsx';
import { statusSince } from './history.ts';
import styles from './profile.module.css';
import { useDeviceScreen } from './screen.ts';

export function Profile() {
  const { device, history } = useDeviceScreen();
  const since = statusSince(device, history.data?.events ?? []);
  const { watch, devStatus, devVendor, devModel, seenBy } = device;
  const what = [brandOf(devVendor), devModel].filter((part) => part !== '').join(' ');
  return (
    <div
      className={`${styles.head} grid flex-1 grid-cols-[auto_minmax(0,1fr)] gap-x-3 items-center min-w-0 max-700:basis-full`}
    >
      <span className="grid place-items-center size-12 rounded-card bg-sunken text-text [&_svg]:size-7">
        <KindIcon type={device.devType} isAlone />
      </span>
      <div className="min-w-0">
        <NameHeading />
        <div className="flex flex-wrap items-center gap-y-0.5 gap-x-3 text-muted text-sm">
          <div className="flex flex-wrap items-center gap-y-0.5 gap-x-2 [&>:first-child]:text-text [&>:first-child]:font-medium">
            <DeviceStateLine status={devStatus} watch={watch} />
            {since === null || watch.state !== 'watched' ? null : (
              <span>
                {texts.since} <Moment at={since} />
              </span>
            )}
          </div>
          {device.devAlertDown === 1 ? (
            <span className="inline-flex [&_svg]:size-3.5" title={texts.alertDownHint}>
              <BellRing role="img" aria-label={texts.alertDownHint} />
            </span>
          ) : null}
          {what === '' ? null : (
            <span className="wrap-anywhere" data-foreign title={devVendor}>
              {what}
            </span>
          )}
        </div>
        {/* Why the status may be stale. */}
        {watch.state === 'watched' || devStatus === 'archived' ? null : (
          <p className="text-muted text-sm wrap-anywhere">{seenBy.length === 0 ? texts.imported : texts.stale}</p>
        )}
      </div>
    </div>
  );
}

function NameHeading() {
  const { device, mayEdit, edit } = useDeviceScreen();
  const rename = () => edit('devName');
  useShortcut('F2', texts.rename, rename, { when: mayEdit });
  return (
    <div
      className={`${styles.name} flex items-center gap-0.5 min-w-0 [&_h1]:min-w-0 [&_h1]:max-h-[3.75em] [&_h1]:overflow-hidden [&_h1]:wrap-anywhere`}
    >
      <h1 data-foreign>{nameOf(device)}</h1>
      <FavouriteMark />
      {device.devIsNew === 1 ? <Chip tone="new">{texts.isNew}</Chip> : null}
      {mayEdit ? <IconButton label={texts.rename} icon={<Pencil />} onClick={rename} /> : null}
    </div>
  );
}

export function nameOf(device: Pick<OneDevice, 'devName' | 'devVendor' | 'devType' | 'devMac'>): string {
  return calledText(device) || texts.noName;
}
