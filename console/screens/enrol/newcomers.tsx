/** The devices that were found last, by name. */
import type { DeviceSummary } from '../../../shared/device.ts';
import styles from './enrol.module.css';
import { texts } from './texts.ts';

export function Newcomers({ devices }: { devices: readonly (DeviceSummary | object)[] }) {
  return (
    <section aria-label={texts.firstDevices}>
      <h3>{texts.firstDevices}</h3>
      <ul className={styles.newcomers}>
        {devices.filter(isSummary).map(({ devMAC, devName, devIP }) => (
          <li key={devMAC}>
            <strong data-foreign title={devName}>
              {devName === '' ? texts.noName : devName}
            </strong>
            <span className={styles.address} data-foreign>
              {[devIP, devMAC].filter((part) => part !== '').join(' · ')}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function isSummary(device: object): device is DeviceSummary {
  return 'devMAC' in device;
}
