/** The ports that scans have found open. */
import { Link } from 'wouter';
import type { DevicePort, OneDevice } from '../../../shared/api/one-device.ts';
import { useAnswer } from '../../api/queries.ts';
import { dateTimeText, parseTime } from '../../text/format.ts';
import { texts } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './device.module.css';

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
    heading: texts.device.scan,
    cell: ({ scan: job, mode }) => <Link href={`/sites/${site}/jobs/${job}`}>{texts.device.scanLink(mode)}</Link>,
  };
  return (
    <Card title={texts.device.ports}>
      <Answered of={ports}>
        {({ scannedAt, ports: open }) => (
          <>
            {scannedAt === null ? (
              <div className={styles.empty}>
                {texts.device.neverScanned}
                {mayRun && onScan !== null ? <Button onClick={onScan}>{texts.device.scanNow}</Button> : null}
              </div>
            ) : (
              <p className={styles.hint}>
                {texts.device.scannedAt} <Time at={scannedAt} />
                {open.length === 0 ? `. ${texts.device.noneOpen}` : null}
              </p>
            )}
            {open.length === 0 ? null : (
              <Table
                label={texts.device.portsTable}
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
    heading: texts.device.port,
    cell: ({ port, protocol, state }) => (
      <>
        <code className={styles.nowrap}>{`${port}/${protocol}`}</code>
        {state === 'open' ? null : ` ${state}`}
      </>
    ),
  },
  { heading: texts.device.service, cell: (port) => <Service {...port} /> },
  { heading: texts.device.firstSeen, cell: ({ firstSeenAt }) => <TimeCell at={firstSeenAt} /> },
  { heading: texts.device.lastSeen, cell: ({ seenAt }) => <TimeCell at={seenAt} /> },
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
      <span data-foreign>{service ?? texts.common.none}</span>
      {what === '' ? null : (
        <div
          className={styles.hint}
          data-foreign
          title={time === null ? undefined : `${texts.device.identified}: ${dateTimeText(time)}`}
        >
          {what}
        </div>
      )}
    </>
  );
}
