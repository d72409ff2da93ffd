/** The devices that were found last, by name. */
import texts from 'messages:enrol';
import { type DeviceSummary, UNKNOWN_NAMES } from '../../../shared/device.ts';
import styles from './enrol.module.css';

export function Newcomers({ devices }: { devices: readonly (DeviceSummary | object)[] }) {
  return (
    <section aria-label={texts.firstDevices}>
      <h3>{texts.firstDevices}</h3>
      <ul className={`${styles.newcomers} grid grid-cols-[repeat(auto-fill,minmax(min(260px,100%),1fr))] gap-2 mt-2`}>
        {devices.filter(isSummary).map((device) => {
          const [title = '', ...about] = knownOf(device);
          return (
            <li key={device.devMAC}>
              <strong data-foreign title={title}>
                {title}
              </strong>
              <span className="text-muted text-sm tabular-nums" data-foreign>
                {about.join(' · ')}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** What it is called by first: its name, else its address, and its MAC last. */
function knownOf({ devName, devIP, devMAC }: DeviceSummary): string[] {
  return [UNKNOWN_NAMES.includes(devName) ? '' : devName, devIP, devMAC].filter((part) => part !== '');
}

function isSummary(device: object): device is DeviceSummary {
  return 'devMAC' in device;
}
