/** Who the device is: its picture, its name, how it is, what can be done with it, and what is known of it. */
import texts from 'messages:device';
import { BellRing } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { arrive } from '../../ui/arrival.ts';
import { Chip } from '../../ui/chip.tsx';
import { KindIcon } from '../../ui/kind-icon.tsx';
import { DeviceActions, FavouriteMark } from './actions.tsx';
import { Facts } from './facts.tsx';
import { NameHeading } from './name-heading.tsx';
import styles from './profile.module.css';
import { StateLine } from './state-line.tsx';
import type { DeviceTools } from './use-tools.ts';

const WHAT = 'text-muted text-sm wrap-anywhere';

interface Props {
  site: string;
  device: OneDevice;
  mayEdit: boolean;
  tools: DeviceTools | null;
  /** The newest first. */
  events: readonly DeviceEvent[];
  onScan: () => void;
}

export function Profile({ site, device, mayEdit, tools, events, onScan }: Props) {
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
          <NameHeading {...{ site, device, mayEdit }} />
          {what === '' ? null : (
            <p className={WHAT} data-foreign>
              {what}
            </p>
          )}
        </div>
        <FavouriteMark {...{ site, device, mayEdit }} />
      </header>
      <div className="flex flex-wrap items-center gap-y-1 gap-x-2 text-sm">
        <StateLine device={device} events={events} />
        {device.devIsNew === 1 ? <Chip tone="new">{texts.isNew}</Chip> : null}
        {device.devAlertDown === 1 ? (
          <span className="inline-flex text-muted [&_svg]:size-3.5" title={texts.alertDownHint}>
            <BellRing role="img" aria-label={texts.alertDownHint} />
          </span>
        ) : null}
      </div>
      <Doubt device={device} />
      <DeviceActions {...{ site, device, mayEdit, tools, onScan }} />
      <Facts {...{ site, device, mayEdit }} />
    </section>
  );
}

/** Why its status may not be true now. */
function Doubt({ device: { watch, devStatus, seenBy } }: { device: OneDevice }) {
  if (watch.state === 'watched' || devStatus === 'archived') return null;
  return <p className={WHAT}>{seenBy.length === 0 ? texts.imported : texts.stale}</p>;
}
