/** Results of a few facts, or a short list. */
import commandTexts from 'messages:commands';
import type { ToolResult } from '../../../shared/tools/list.ts';
import { durationText, measuredText, numberText } from '../../text/format.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Tile, Tiles } from '../../ui/tile.tsx';
import { hopRows } from './hops.ts';
import styles from './results.module.css';

const RESULT = 'grid gap-3 justify-items-stretch min-w-0';
const BIG = 'inline-flex items-center gap-1.5 text-xl font-semibold tracking-[-0.01em]';

export function SpeedResult({ result }: { result: ToolResult<'speedtest'> }) {
  const { downloadMbps, uploadMbps, pingMs, server } = result;
  const texts = commandTexts.speed;
  const figures = [
    [texts.download, downloadMbps, texts.unit],
    [texts.upload, uploadMbps, texts.unit],
    [texts.ping, pingMs, texts.ms],
  ] as const;
  return (
    <div className={RESULT}>
      <Tiles>
        {figures.map(([label, value, unit]) => (
          <Tile
            key={label}
            label={label}
            value={
              <>
                {measuredText(value)} <small>{unit}</small>
              </>
            }
          />
        ))}
      </Tiles>
      <p className="text-muted" data-foreign>
        {texts.server} {server}
      </p>
    </div>
  );
}

export function LookupResult({ result }: { result: ToolResult<'nslookup'> }) {
  const { server, addresses, names } = result;
  const texts = commandTexts.lookup;
  const records = [
    ...addresses.map((value) => ({ type: value.includes(':') ? 'AAAA' : 'A', value })),
    ...names.map((value) => ({ type: 'PTR', value })),
  ];
  return (
    <div className={RESULT}>
      {records.length === 0 ? (
        <p className="text-muted">{texts.none}</p>
      ) : (
        <Table
          label={texts.records}
          columns={[
            { heading: texts.type, cell: ({ type }) => type },
            { heading: texts.value, cell: ({ value }) => <code>{value}</code> },
          ]}
          rows={records}
          keyOf={({ type, value }) => `${type} ${value}`}
        />
      )}
      <p className="text-muted" data-foreign>
        {texts.answeredBy} {server ?? texts.byHost}
      </p>
    </div>
  );
}

export function InternetResult({ result }: { result: ToolResult<'internetinfo'> }) {
  const { ip, city, country, organisation } = result;
  const texts = commandTexts.internet;
  const facts: Fact[] = [
    [
      texts.ip,
      <span key="ip" className={BIG}>
        {ip} <CopyButton label={texts.copy} text={ip} />
      </span>,
    ],
    [texts.provider, organisation],
    [texts.place, [city, country].filter((part) => part !== '').join(', ')],
  ];
  return <Facts facts={facts} isInLine />;
}

export function DevicesResult({ result }: { result: ToolResult<'arpscan'> }) {
  const { networks, online, accuracy } = result;
  const texts = commandTexts.found;
  return (
    <div className={RESULT}>
      <p className={BIG}>{commandTexts.results.devices({ count: online })}</p>
      {networks.length > 0 && (
        <Table
          label={texts.networks}
          columns={[
            { heading: texts.network, cell: ({ network }) => <code>{network}</code> },
            { heading: texts.devices, cell: ({ devices }) => numberText(devices) },
          ]}
          rows={networks}
          keyOf={({ network }) => network}
        />
      )}
      {accuracy === 'reduced' ? <p className="text-muted">{texts.reduced}</p> : null}
    </div>
  );
}

export function WakeResult({ result }: { result: ToolResult<'wakeonlan'> }) {
  const { packets, verified } = result;
  const texts = commandTexts.wake;
  return (
    <div className={RESULT}>
      <p className="text-lg">
        {verified === undefined
          ? texts.sent
          : verified.already
            ? texts.already({ ip: verified.ip })
            : texts.after({ ip: verified.ip, duration: durationText(verified.afterMs) })}
      </p>
      {packets.length > 0 && (
        <details className={`${styles.fold} [&[open]]:[&_summary]:mb-1.5`}>
          <summary>
            {commandTexts.results.packets({ count: packets.filter(({ error }) => error === null).length })}
          </summary>
          <ul>
            {packets.map(({ interface: name, address, port, error }) => (
              <li key={`${name} ${address} ${port}`} data-foreign>
                {name} <code>{`${address}:${port}`}</code> {error === null ? '' : `${texts.failed}: ${error}`}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

export function InterfacesResult({ result }: { result: ToolResult<'interfaces'> }) {
  const texts = commandTexts.interfaces;
  const rows = Object.values(result).toSorted((a, b) => Number(b.state === 'up') - Number(a.state === 'up'));
  return (
    <Table
      label={texts.list}
      columns={[
        { heading: texts.name, cell: ({ name }) => name },
        { heading: texts.state, cell: ({ state }) => texts[state] },
        {
          heading: texts.addresses,
          cell: ({ ipv4, ipv6 }) =>
            [...ipv4, ...ipv6].map((address) => (
              <div key={address}>
                <code>{address}</code>
              </div>
            )),
        },
        { heading: texts.mac, cell: ({ mac }) => (mac === null ? commandTexts.nothing : <code>{mac}</code>) },
        { heading: texts.mtu, cell: ({ mtu }) => numberText(mtu) },
      ]}
      rows={rows}
      keyOf={({ name }) => name}
    />
  );
}

const texts = commandTexts.trace;

/** The path to an address: each hop with its addresses and times. */
export function TraceResult({ result }: { result: ToolResult<'traceroute'> }) {
  const rows = hopRows(result);
  const most = Math.max(1, ...rows.map(({ averageMs }) => averageMs ?? 0));
  return (
    <div className="grid gap-3 justify-items-stretch min-w-0">
      <ol className="grid max-w-180" aria-label={texts.hops}>
        {rows.map(({ hop, addresses, bestMs, averageMs, notes }) => (
          <li
            key={hop}
            data-silent={addresses.length === 0 || undefined}
            // The line leads from one hop to the next.
            className="group relative grid grid-cols-[28px_minmax(0,1fr)_minmax(200px,300px)] gap-3 items-center min-h-9 data-silent:text-muted max-600:grid-cols-[28px_minmax(0,1fr)_auto] not-last:before:absolute not-last:before:top-7.5 not-last:before:left-[13.5px] not-last:before:h-3 not-last:before:border-l not-last:before:border-control-line"
          >
            <span
              className={`grid group-data-silent:border-dashed place-items-center size-6 ms-0.5 border border-control-line rounded-[50%] bg-surface text-xs`}
            >
              {hop}
            </span>
            <span className="flex flex-wrap gap-y-0.5 gap-x-2.5 wrap-anywhere" data-foreign>
              {addresses.length === 0 ? texts.silent : addresses.map((address) => <code key={address}>{address}</code>)}
              {notes.length > 0 && <span className="text-muted">{notes.join(' ')}</span>}
            </span>
            <span className="grid grid-cols-[minmax(0,1fr)_64px_76px] gap-2.5 items-center text-sm text-end whitespace-nowrap max-600:grid-cols-[56px_70px]">
              {bestMs === null || averageMs === null ? null : (
                <>
                  <span
                    className="h-1 rounded-[2px] bg-sunken max-600:hidden [&_i]:block [&_i]:h-1 [&_i]:rounded-[2px] [&_i]:bg-series-1"
                    aria-hidden="true"
                  >
                    <i style={{ inlineSize: `${Math.max(2, (averageMs / most) * 100)}%` }} />
                  </span>
                  <span title={texts.best}>
                    <span className="visually-hidden">{texts.best} </span>
                    {commandTexts.results.ms({ value: measuredText(bestMs) })}
                  </span>
                  <span className="text-muted" title={texts.average}>
                    <span className="visually-hidden">{texts.average} </span>
                    {`⌀ ${commandTexts.results.ms({ value: measuredText(averageMs) })}`}
                  </span>
                </>
              )}
            </span>
          </li>
        ))}
      </ol>
      {result.reached ? null : <Status tone="warn">{texts.notReached}</Status>}
    </div>
  );
}
