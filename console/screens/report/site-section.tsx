/** The report of one site: what was down, availability, new devices, opened ports, and speed. */
import texts from 'messages:report';
import type { ReactNode } from 'react';
import type { Availability, Downtime, SiteReport } from '../../../shared/api/reports.ts';
import { UNKNOWN_NAMES } from '../../../shared/device.ts';
import { lengthText, portText } from '../../../shared/event-text.ts';
import { dateTimeText, measuredText, numberText, percentText } from '../../text/format.ts';
import { reasonText, summarySentence } from '../../text/said-texts.ts';
import { type Column, Table } from '../../ui/table.tsx';

const { columns, causes } = texts;

export function SiteSection({ report }: { report: SiteReport }) {
  const { site, name, downtimes, downtimeCount, availability, newDevices, newCount, ports, portCount, speed } = report;
  return (
    <section
      className="grid gap-4 min-w-0 print:break-after-page print:last:break-after-auto"
      aria-labelledby={`report-${site}`}
    >
      <header className="grid gap-1">
        <h2 id={`report-${site}`} className="text-lg wrap-anywhere" data-foreign>
          {name}
        </h2>
        <p>{summarySentence(report)}</p>
      </header>
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(130px,1fr))] gap-3 m-0">
        <Figure label={texts.devices} value={numberText(report.devices)} />
        <Figure label={texts.newDevices} value={numberText(newCount)} />
        <Figure label={texts.downtimes} value={numberText(downtimeCount)} />
        <Figure label={texts.ports} value={numberText(portCount)} />
        {speed === null ? null : (
          <Figure
            label={texts.speed}
            value={`${measuredText(speed.downMbps)} / ${measuredText(speed.upMbps)} Mbit/s`}
            about={texts.speedAbout({
              tests: speed.tests,
              ping: measuredText(speed.pingMs),
              slowest: measuredText(speed.slowestMbps),
            })}
          />
        )}
      </dl>
      {report.isPartial ? <p className="note">{texts.partial}</p> : null}
      <Part
        title={texts.downtimes}
        none={texts.noDowntimes}
        rows={downtimes}
        count={downtimeCount}
        of={DOWNTIMES}
        keyOf={(one) => `${one.kind} ${one.id} ${one.since}`}
      />
      <Part
        title={texts.availability}
        none={texts.noAvailability}
        rows={availability}
        count={availability.length}
        of={AVAILABILITY}
        keyOf={(one) => `${one.kind} ${one.id}`}
      />
      <Part
        title={texts.newDevices}
        none={texts.noNewDevices}
        rows={newDevices}
        count={newCount}
        of={NEW_DEVICES}
        keyOf={({ key, at }) => `${key} ${at}`}
      />
      <Part
        title={texts.ports}
        none={texts.noPorts}
        rows={ports}
        count={portCount}
        of={PORTS}
        keyOf={({ device, port }) => `${device.key} ${portText(port)}`}
      />
    </section>
  );
}

function Figure({ label, value, about }: { label: string; value: string; about?: string }) {
  return (
    <div className="card p-3 min-w-0">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="m-0 text-lg font-semibold">{value}</dd>
      {about === undefined ? null : <dd className="m-0 text-xs text-muted">{about}</dd>}
    </div>
  );
}

interface PartProps<Row> {
  title: string;
  none: string;
  rows: readonly Row[];
  /** Of all, of which the answer has the first. */
  count: number;
  of: readonly Column<Row>[];
  keyOf: (row: Row) => string;
}

function Part<Row>({ title, none, rows, count, of, keyOf }: PartProps<Row>) {
  return (
    <div className="grid gap-2 min-w-0">
      <h3 className="text-md">{title}</h3>
      {rows.length === 0 ? (
        <p className="text-muted">{none}</p>
      ) : (
        <Table label={title} columns={of} rows={rows} keyOf={keyOf} />
      )}
      {count > rows.length ? <p className="text-muted">{texts.more({ count: count - rows.length })}</p> : null}
    </div>
  );
}

const foreign = (text: string): ReactNode => (
  <span className="wrap-anywhere" data-foreign>
    {text}
  </span>
);
const named = ({ name, mac = '' }: { name: string; mac?: string }) =>
  foreign(name === '' || UNKNOWN_NAMES.includes(name) ? mac || texts.noName : name);
const timeOf = (time: string) => <time dateTime={time}>{dateTimeText(new Date(time))}</time>;
const percentOf = (percent: number | null) => (percent === null ? texts.unmonitored : `${percentText(percent)} %`);

const DOWNTIMES: readonly Column<Downtime>[] = [
  { heading: columns.what, cell: (one) => whatWasDown(one) },
  { heading: columns.since, cell: ({ since }) => timeOf(since) },
  {
    heading: columns.length,
    cell: ({ seconds, until }) =>
      until === null ? texts.ongoing({ length: lengthText(seconds) }) : lengthText(seconds),
  },
  {
    heading: columns.why,
    cell: ({ why, cause, reasonCode }) =>
      foreign(reasonText(why, reasonCode) ?? causes[cause as keyof typeof causes] ?? '–'),
  },
];

function whatWasDown({ kind, name, count = 0 }: Downtime): ReactNode {
  if (kind === 'device') return named({ name });
  if (kind === 'agent' || kind === 'check') return foreign(texts.kinds[kind]({ name }));
  return kind === 'outage' ? texts.kinds.outage({ count }) : texts.kinds[kind];
}

const AVAILABILITY: readonly Column<Availability>[] = [
  {
    heading: columns.what,
    cell: ({ kind, name }) => (kind === 'check' ? foreign(texts.kinds.check({ name })) : named({ name })),
  },
  { heading: columns.available, cell: ({ uptimePercent }) => percentOf(uptimePercent) },
  { heading: columns.times, cell: ({ times }) => (times === null ? '–' : numberText(times)) },
  { heading: columns.known, cell: ({ kind, knownPercent }) => (kind === 'check' ? '–' : percentOf(knownPercent)) },
];

const NEW_DEVICES: readonly Column<SiteReport['newDevices'][number]>[] = [
  { heading: columns.device, cell: named },
  { heading: columns.vendor, cell: ({ vendor }) => foreign(vendor || '–') },
  { heading: columns.address, cell: ({ ip }) => ip || '–' },
  { heading: columns.first, cell: ({ at }) => timeOf(at) },
];

const PORTS: readonly Column<SiteReport['ports'][number]>[] = [
  { heading: columns.device, cell: ({ device }) => named(device) },
  { heading: columns.port, cell: ({ port }) => foreign(portText(port, texts.portAt)) },
  { heading: columns.opened, cell: ({ at }) => timeOf(at) },
  { heading: columns.now, cell: ({ isOpen }) => (isOpen ? texts.open : texts.closed) },
];
