/** What stands in the place of the rows until they are here: as high as they are, so that nothing jumps. */
import common from 'messages:common';
import styles from './devices.module.css';

const ROWS = Array.from({ length: 12 }, (_, row) => row);

export function Waiting() {
  return (
    <div className={styles.waiting} role="status" aria-label={common.loading}>
      {ROWS.map((row) => (
        <div
          key={row}
          className="flex items-center gap-2.5 h-row px-3 border-b border-line [&_span:first-child]:size-6 [&_span:first-child]:rounded-control [&_span]:h-2.5 [&_span]:rounded-[5px] [&_span]:bg-sunken"
        >
          <span />
          <span style={{ inlineSize: `${22 + ((row * 7) % 18)}%` }} />
        </div>
      ))}
    </div>
  );
}
