/** The status of the device in a line, since when, and its marks. */
import { BellRing, Star } from 'lucide-react';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { DeviceStateLine } from '../../ui/device-state.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './device.module.css';
import { statusSince } from './history.ts';
import { texts } from './texts.ts';

interface Props {
  device: OneDevice;
  events: readonly DeviceEvent[];
  showsMarks: boolean;
}

/**
 * @param events the newest first
 * @param showsMarks whether to show the marks that people set; where they can be changed, the buttons show them
 */
export function StateLine({ device, events, showsMarks }: Props) {
  const since = statusSince(device, events);
  return (
    <div className={styles.state}>
      <DeviceStateLine status={device.devStatus} watch={device.watch} />
      {since === null || device.watch.state !== 'watched' ? null : (
        <span>
          {texts.since} <Time at={since} />
        </span>
      )}
      {device.devIsNew === 1 ? <span className={styles.chip}>{texts.isNew}</span> : null}
      {showsMarks && device.devFavorite === 1 ? (
        <span className={styles.chip}>
          <Star aria-hidden="true" fill="currentcolor" />
          {texts.favourite}
        </span>
      ) : null}
      {showsMarks && device.devAlertDown === 1 ? (
        <span className={styles.chip}>
          <BellRing aria-hidden="true" />
          {texts.alertDown}
        </span>
      ) : null}
    </div>
  );
}
