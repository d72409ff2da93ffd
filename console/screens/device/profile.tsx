/** The device itself: its icon, name, status, actions and facts. */
import texts from 'messages:device';
import { BellRing } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { arrive } from '../../ui/arrival.ts';
import { Chip } from '../../ui/chip.tsx';
import { DeviceStateLine } from '../../ui/device-state.tsx';
import { KindIcon } from '../../ui/kind-icon.tsx';
import { Moment } from '../../ui/time.tsx';
import { DeviceActions, FavouriteMark } from './actions.tsx';
import { Facts } from './facts.tsx';
import { statusSince } from './history.ts';
import { NameHeading } from './name-heading.tsx';
import styles from './profile.module.css';
import { useDeviceScreen } from './screen.ts';

const WHAT = 'text-muted text-sm wrap-anywhere';

/** @param onScan shows where the result of a scan appears */
export function Profile({ onScan }: { onScan: () => void }) {
  const { device } = useDeviceScreen();
  const { devVendor, devModel } = device;
  const head = useRef<HTMLElement>(null);
  useLayoutEffect(() => arrive(head.current?.querySelector('h1') ?? null), []);
  const what = [devVendor, devModel].filter((part) => part !== '').join(' ');
  return (
    <section className="card grid grid-cols-1 gap-3 min-w-0 p-4 max-900:gap-2 max-900:p-3" aria-label={texts.profile}>
      <header ref={head} className={`${styles.head} grid grid-cols-[auto_minmax(0,1fr)_auto] gap-3 items-center`}>
        <span className="grid place-items-center size-12 rounded-card bg-sunken text-text [&_svg]:size-7">
          <KindIcon type={device.devType} isAlone />
        </span>
        <div className="min-w-0">
          <NameHeading />
          {what === '' ? null : (
            <p className={WHAT} data-foreign>
              {what}
            </p>
          )}
        </div>
        <FavouriteMark />
      </header>
      <div className="flex flex-wrap items-center gap-y-1 gap-x-2 text-sm">
        <StateLine />
        {device.devIsNew === 1 ? <Chip tone="new">{texts.isNew}</Chip> : null}
        {device.devAlertDown === 1 ? (
          <span className="inline-flex text-muted [&_svg]:size-3.5" title={texts.alertDownHint}>
            <BellRing role="img" aria-label={texts.alertDownHint} />
          </span>
        ) : null}
      </div>
      <Doubt />
      <DeviceActions onScan={onScan} />
      <Facts />
    </section>
  );
}

function StateLine() {
  const { device, history } = useDeviceScreen();
  const since = statusSince(device, history.data?.events ?? []);
  return (
    <div className="flex flex-wrap items-center gap-y-0.5 gap-x-2 text-muted [&>:first-child]:text-text [&>:first-child]:font-medium">
      <DeviceStateLine status={device.devStatus} watch={device.watch} />
      {since === null || device.watch.state !== 'watched' ? null : (
        <span>
          {texts.since} <Moment at={since} />
        </span>
      )}
    </div>
  );
}

/** Why the status may be stale. */
function Doubt() {
  const { watch, devStatus, seenBy } = useDeviceScreen().device;
  if (watch.state === 'watched' || devStatus === 'archived') return null;
  return <p className={WHAT}>{seenBy.length === 0 ? texts.imported : texts.stale}</p>;
}
