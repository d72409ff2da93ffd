/** The line below the drawing: the pointed device and the legend. */
import texts from 'messages:map';
import statusTexts from 'messages:status';
import { StatusShape } from '../../ui/status.tsx';
import styles from './map.module.css';
import { portText, TONES } from './naming.ts';
import { type TopologyDevice, titleOf } from './tree.ts';

/** A touched device is not pointed at. A window as narrow as a phone counts as one. */
const isTouched = () => window.matchMedia('(max-width: 700px), (pointer: coarse)').matches;
const SHOWN = ['online', 'down', 'offline'] as const;

export function InfoBar({ devices, device }: { devices: readonly TopologyDevice[]; device: TopologyDevice | null }) {
  return (
    <div className="flex flex-wrap items-center gap-y-1 gap-x-4 min-h-6 text-muted text-sm">
      <div
        className={`${styles.about} flex flex-[1_1_280px] items-center gap-2 min-w-0 [&_svg]:flex-none [&_span]:truncate`}
      >
        {device === null ? isTouched() ? texts.touchHint : texts.hint : <About device={device} />}
      </div>
      <div className="flex flex-wrap gap-y-1 gap-x-4 ms-auto [&_span]:inline-flex [&_span]:items-center [&_span]:gap-1.5 [&_svg]:size-2.25">
        {SHOWN.map((status) => (
          <span key={status} data-status={status}>
            <StatusShape tone={TONES[status]} />
            {texts.inStatus({
              count: devices.filter((one) => one.status === status).length,
              status: statusTexts[status],
            })}
          </span>
        ))}
      </div>
    </div>
  );
}

function About({ device }: { device: TopologyDevice }) {
  const { key, ip, status } = device;
  const details = [ip, statusTexts[status], key, portText(device)].filter(
    (part) => part !== '' && part !== titleOf(device),
  );
  return (
    <>
      <StatusShape tone={TONES[status]} />
      <span className={styles.name} data-foreign>
        {titleOf(device)}
      </span>
      <span data-foreign>{details.join(' · ')}</span>
    </>
  );
}
