/** The ports that scans have found: open now, and opened and closed since. */
import commandTexts from 'messages:commands';
import texts from 'messages:device';
import { Radar } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAnswer } from '../../api/queries.ts';
import { fileNameOf } from '../../commands/job-texts.ts';
import { Output } from '../../commands/output.tsx';
import { dateTimeText, parseTime } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './device.module.css';
import { DETAILS } from './evidence.tsx';
import { type PortRow, portRows } from './port-rows.ts';
import { useDeviceScreen } from './screen.ts';
import type { DeviceTools } from './use-tools.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Changes are shown since the last scan, or since so many days. */
const SINCE = { last: null, '1': 1, '7': 7, '30': 30, '90': 90 } as const;
type Since = keyof typeof SINCE;

export function PortsTab() {
  const { site, device, tools } = useDeviceScreen();
  const [since, setSince] = useState<Since>('30');
  const [openedAt] = useState(() => Math.floor(Date.now() / HOUR_MS) * HOUR_MS);
  const days = SINCE[since];
  const diff = days === null ? 'last' : new Date(openedAt - days * DAY_MS).toISOString();
  const ports = useAnswer('GET /devices/{mac}/ports', { site, params: { mac: device.key }, query: { diff } });
  return (
    <section className="grid gap-3 min-w-0" aria-label={texts.ports}>
      <Answered of={ports}>
        {(answer) =>
          answer.scannedAt === null ? (
            <Empty title={texts.neverScanned}>
              <p>{tools === null ? texts.mayNotScan : texts.neverScannedHint}</p>
              {tools === null ? null : <Scan tools={tools} />}
            </Empty>
          ) : (
            <>
              <div className="flex flex-wrap items-end justify-between gap-y-2 gap-x-4">
                <div className="me-auto">
                  <h2>{texts.openNow({ count: answer.ports.length })}</h2>
                  <p className="text-muted text-sm">
                    {texts.scannedAt} <Time at={answer.scannedAt} />
                  </p>
                </div>
                <SelectField
                  label={texts.changesSince}
                  value={since}
                  onChange={({ target }) => setSince(target.value as Since)}
                >
                  {(Object.keys(SINCE) as Since[]).map((name) => (
                    <option key={name} value={name}>
                      {texts.sinceNames[name]}
                    </option>
                  ))}
                </SelectField>
                {tools === null ? null : <Scan tools={tools} />}
              </div>
              <PortTable rows={portRows(answer)} />
              {tools === null ? null : (
                <RawOutput
                  job={answer.ports
                    .map(({ scan }) => scan)
                    .sort()
                    .at(-1)}
                />
              )}
            </>
          )
        }
      </Answered>
    </section>
  );
}

/** What nmap printed in the latest scan, folded. The ids of jobs grow with time. */
function RawOutput({ job: id }: { job: string | undefined }) {
  const { site } = useDeviceScreen();
  const [isOpen, setOpen] = useState(false);
  const job = useAnswer(
    'GET /jobs/{id}',
    { site, params: { id: id ?? '' } },
    { everyMs: 0, when: isOpen && id !== undefined },
  );
  if (id === undefined) return null;
  return (
    <details className={DETAILS} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{commandTexts.rawOutput}</summary>
      {isOpen ? (
        <Answered of={job}>
          {(known) => <Output text={known.output ?? ''} fileName={fileNameOf(known)} isRunning={false} />}
        </Answered>
      ) : null}
    </details>
  );
}

function Scan({ tools }: { tools: DeviceTools }) {
  const [kind, setKind] = useState<keyof typeof texts.modes>('fast');
  if (!tools.hasAddress) return <p className="text-muted text-sm">{texts.needsAddress}</p>;
  return (
    <div className="flex flex-wrap gap-2 items-end [&>:first-child]:min-w-50">
      <SelectField
        label={texts.mode}
        isLabelHidden
        value={kind}
        onChange={({ target }) => setKind(target.value as typeof kind)}
      >
        {Object.entries(texts.modes).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <Button
        onClick={() => tools.startScan(kind === 'udp' ? { mode: 'fast', protocol: kind } : { mode: kind })}
        disabled={tools.scan.isRunning}
        icon={<Radar />}
      >
        {texts.scanNow}
      </Button>
    </div>
  );
}

function PortTable({ rows }: { rows: readonly PortRow[] }) {
  const { site, tools } = useDeviceScreen();
  if (rows.length === 0) return <p className="text-muted text-sm">{texts.noneOpen}</p>;
  const columns: Column<PortRow>[] = [
    { heading: texts.port, cell: (row) => <Port row={row} /> },
    { heading: texts.service, cell: (row) => <Service row={row} /> },
    { heading: texts.sinceWhen, cell: ({ since }) => <Time at={since} /> },
    {
      heading: texts.seenInScan,
      cell: ({ scan, seenAt }) =>
        tools === null ? (
          <Time at={seenAt} />
        ) : (
          <Link href={`/sites/${site}/runs/${scan}`} title={texts.toScan}>
            <Time at={seenAt} />
          </Link>
        ),
    },
  ];
  return (
    <div className={styles.ports}>
      <Table
        label={texts.portsTable}
        rows={rows}
        keyOf={({ port, protocol, address, mark, seenAt }) => `${port}/${protocol} ${address} ${mark} ${seenAt}`}
        columns={columns}
        isInLine
      />
    </div>
  );
}

function Port({ row: { port, protocol, address, state, mark } }: { row: PortRow }) {
  return (
    <span
      className="inline-flex items-center gap-2 whitespace-nowrap data-[mark=closed]:[&_code]:text-muted data-[mark=closed]:[&_code]:line-through"
      data-mark={mark ?? undefined}
    >
      <code>{`${port}/${protocol}`}</code>
      {address === null ? null : <span className="text-muted text-sm">{address}</span>}
      {state === 'open' ? null : <span className="text-muted text-sm">{state}</span>}
      {mark === null ? null : <Chip tone={mark === 'new' ? 'new' : undefined}>{texts.marks[mark]}</Chip>}
    </span>
  );
}

function Service({ row: { service, product, identifiedAt } }: { row: PortRow }) {
  const time = parseTime(identifiedAt);
  return (
    <>
      <span data-foreign>{service ?? texts.noService}</span>
      {product === '' ? null : (
        <div
          className={`${styles.product} text-muted text-sm`}
          data-foreign
          title={time === null ? undefined : `${texts.identified}: ${dateTimeText(time)}`}
        >
          {product}
        </div>
      )}
    </>
  );
}
