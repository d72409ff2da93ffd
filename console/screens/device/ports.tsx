/** The ports that scans have found open. */
import { useState } from 'react';
import { Link } from 'wouter';
import type { ChangedPort, DevicePort, OneDevice } from '../../../shared/api/one-device.ts';
import { useAnswer } from '../../api/queries.ts';
import { dateTimeText, parseTime } from '../../text/format.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { Status } from '../../ui/status.tsx';
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

const HOUR_MS = 3_600_000;
const DIFF_MS = 30 * 24 * HOUR_MS;

export function Ports({ site, device, mayRun, onScan }: Props) {
  const [since] = useState(() => new Date(Math.floor((Date.now() - DIFF_MS) / HOUR_MS) * HOUR_MS).toISOString());
  const question = { site, params: { mac: device.key }, query: { diff: since } };
  const ports = useAnswer('GET /devices/{mac}/ports', question);
  const scan: Column<DevicePort> = {
    heading: texts.scan,
    cell: ({ scan: job, mode }) => (
      <Link href={`/sites/${site}/runs/${job}`} className={styles.nowrap}>
        {texts.scanLink(mode)}
      </Link>
    ),
  };
  return (
    <Card title={texts.ports}>
      <Answered of={ports}>
        {({ scannedAt, ports: open, diff }) => (
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
            {diff === undefined ? null : <Changed {...{ site, mayRun }} opened={diff.opened} closed={diff.closed} />}
          </>
        )}
      </Answered>
    </Card>
  );
}

interface ChangedProps {
  site: string;
  mayRun: boolean;
  opened: readonly ChangedPort[];
  closed: readonly ChangedPort[];
}

/** What scans found opened and closed, the latest first. */
function Changed({ site, mayRun, opened, closed }: ChangedProps) {
  const rows = [
    ...opened.map((change) => ({ ...change, isOpened: true })),
    ...closed.map((change) => ({ ...change, isOpened: false })),
  ].sort((a, b) => b.at.localeCompare(a.at));
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{texts.portChanges}</h3>
      <Table
        label={texts.portChanges}
        rows={rows}
        keyOf={({ port, protocol, at, isOpened }) => `${port}/${protocol} ${at} ${isOpened}`}
        columns={[
          { heading: texts.port, cell: ({ port, protocol }) => <code>{`${port}/${protocol}`}</code> },
          { heading: texts.service, cell: ({ service }) => <span data-foreign>{service ?? common.none}</span> },
          {
            heading: texts.portChange,
            cell: ({ isOpened }) => (
              <Status tone={isOpened ? 'warn' : 'calm'}>{isOpened ? texts.portOpened : texts.portClosed}</Status>
            ),
          },
          {
            heading: texts.sinceWhen,
            cell: ({ at, scan }) =>
              mayRun ? (
                <Link href={`/sites/${site}/runs/${scan}`}>
                  <Time at={at} />
                </Link>
              ) : (
                <TimeCell at={at} />
              ),
          },
        ]}
      />
    </>
  );
}

const COLUMNS: readonly Column<DevicePort>[] = [
  {
    heading: texts.port,
    cell: ({ port, protocol, state, new: isNew }) => (
      <>
        <code className={styles.nowrap}>{`${port}/${protocol}`}</code>
        {state === 'open' ? null : ` ${state}`}
        {isNew === true ? (
          <>
            {' '}
            <span className={styles.newPort}>{texts.portNew}</span>
          </>
        ) : null}
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
