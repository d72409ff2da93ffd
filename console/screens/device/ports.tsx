/** The ports that scans have found open. */
import { Link } from 'wouter';
import type { DevicePort, OneDevice } from '../../../shared/api/one-device.ts';
import { useAnswer } from '../../api/queries.ts';
import { dateTimeText, parseTime } from '../../text/format.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './device.module.css';
import { texts } from './texts.ts';

interface Props {
  site: string;
  device: OneDevice;
  mayRun: boolean;
  /** Starts a fast scan; null when the device cannot be scanned, or is being scanned. */
  onScan: (() => void) | null;
}

export function Ports({ site, device, mayRun, onScan }: Props) {
  const ports = useAnswer('GET /devices/{mac}/ports', { site, params: { mac: device.key } });
  const scan: Column<DevicePort> = {
    heading: texts.scan,
    cell: ({ scan: job, mode }) => <Link href={`/sites/${site}/jobs/${job}`}>{texts.scanLink(mode)}</Link>,
  };
  return (
    <Card title={texts.ports}>
      <Answered of={ports}>
        {({ scannedAt, ports: open }) => (
          <>
            {scannedAt === null ? (
              <div className={styles.empty}>
                {texts.neverScanned}
                {mayRun && onScan !== null ? <Button onClick={onScan}>{texts.scanNow}</Button> : null}
              </div>
            ) : (
              <p className={styles.hint}>
                {texts.scannedAt} <Time at={scannedAt} />
                {open.length === 0 ? `. ${texts.noneOpen}` : null}
              </p>
            )}
            {open.length === 0 ? null : (
              <Table
                label={texts.portsTable}
                rows={open}
                keyOf={({ port, protocol }) => `${port}/${protocol}`}
                columns={mayRun ? [...COLUMNS, scan] : COLUMNS}
              />
            )}
          </>
        )}
      </Answered>
    </Card>
  );
}

const COLUMNS: readonly Column<DevicePort>[] = [
  {
    heading: texts.port,
    cell: ({ port, protocol, state }) => (
      <>
        <code className={styles.nowrap}>{`${port}/${protocol}`}</code>
        {state === 'open' ? null : ` ${state}`}
      </>
    ),
  },
  { heading: texts.service, cell: (port) => <Service {...port} /> },
  { heading: texts.firstSeen, cell: ({ firstSeenAt }) => <TimeCell at={firstSeenAt} /> },
  { heading: texts.lastSeen, cell: ({ seenAt }) => <TimeCell at={seenAt} /> },
];

function TimeCell({ at }: { at: string }) {
  return (
    <span className={styles.nowrap}>
      <Time at={at} />
    </span>
  );
}

function Service({ service, product, version, identifiedAt }: DevicePort) {
  const time = parseTime(identifiedAt);
  const what = [product, version].filter((text) => text !== null && text !== undefined && text !== '').join(' ');
  return (
    <>
      <span data-foreign>{service ?? common.none}</span>
      {what === '' ? null : (
        <div
          className={styles.hint}
          data-foreign
          title={time === null ? undefined : `${texts.identified}: ${dateTimeText(time)}`}
        >
          {what}
        </div>
      )}
    </>
  );
}
