/** The devices that were found last, by name. */
import type { DeviceSummary } from '../../../shared/device.ts';
import { texts } from '../../text/texts.ts';
import styles from './enrol.module.css';

export function Newcomers({ devices }: { devices: readonly (DeviceSummary | object)[] }) {
  return (
    <section aria-label={texts.addSite.firstDevices}>
      <h3>{texts.addSite.firstDevices}</h3>
      <ul className={styles.newcomers}>
        {devices.filter(isSummary).map(({ devMAC, devName, devIP }) => (
          <li key={devMAC}>
            <strong data-foreign title={devName}>
              {devName === '' ? texts.addSite.noName : devName}
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
