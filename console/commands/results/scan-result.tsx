/** The result of a port scan: the ports of one host, or a table of hosts. */
import commandTexts from 'messages:commands';
import { useState } from 'react';
import type { ToolResult } from '../../../shared/tools/list.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { numberText } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { countOfPorts } from './ports.ts';
import styles from './results.module.css';

const FOLD = `${styles.fold} [&[open]]:[&_summary]:mb-1.5`;

type Scan = ToolResult<'nmap'>;
type Host = Scan['hosts'][number];
type Port = Host['ports'][number];

const texts = commandTexts.scan;
const ROWS_AT_ONCE = 100;

interface Props {
  site: string;
  /** The id of the job, by which ports name the scan that found them open. */
  job: string;
  result: Scan;
}

export function ScanResult({ site, job, result }: Props) {
  const { hosts, hostsUp, hostsTotal, triedTcpPorts, triedUdpPorts } = result;
  const [only] = hosts;
  return (
    <div className="grid gap-3 justify-items-stretch min-w-0">
      {only === undefined ? (
        <p className="text-muted">{texts.noHosts}</p>
      ) : hosts.length === 1 ? (
        <OneHost {...{ site, job }} host={only} />
      ) : (
        <ManyHosts hosts={hosts} />
      )}
      {hostsTotal > 1 ? (
        <p className="text-muted">{texts.ofAll({ up: numberText(hostsUp), all: numberText(hostsTotal) })}</p>
      ) : null}
      <TriedPorts tcp={triedTcpPorts} udp={triedUdpPorts ?? null} />
    </div>
  );
}

function OneHost({ site, job, host }: { site: string; job: string; host: Host }) {
  const isNew = useNewPorts(site, job, host.mac);
  const hasVersions = host.ports.some(({ product }) => product !== null);
  const hasStates = host.ports.some(({ state }) => state !== 'open');
  const columns: Column<Port>[] = [
    {
      heading: texts.port,
      cell: (port) => (
        <span className="inline-flex items-center gap-2">
          <code>{nameOf(port)}</code>
          {isNew(port) ? <Chip tone="new">{texts.isNew}</Chip> : null}
        </span>
      ),
    },
    { heading: texts.service, cell: ({ service }) => service ?? commandTexts.nothing },
    ...(hasVersions ? [{ heading: texts.version, cell: (port: Port) => versionOf(port) || commandTexts.nothing }] : []),
    ...(hasStates
      ? [{ heading: texts.state, cell: ({ state }: Port) => (state === 'open' ? texts.open : state) }]
      : []),
  ];
  return (
    <>
      <p className="flex flex-wrap gap-y-0.5 gap-x-3 text-muted wrap-anywhere [&_code]:text-text" data-foreign>
        <code>{host.address}</code>
        {aboutHost(host)}
      </p>
      {host.ports.length === 0 ? (
        <p className="text-muted">{texts.none}</p>
      ) : (
        <Table label={texts.ports} columns={columns} rows={host.ports} keyOf={nameOf} isInLine />
      )}
      {host.unclearPorts !== undefined && (
        <p className="text-muted">
          {texts.unclear}: {breakable(host.unclearPorts)}
        </p>
      )}
      {host.banners === undefined || host.banners.length === 0 ? null : (
        <details className={FOLD}>
          <summary>{texts.banners}</summary>
          <ul>
            {host.banners.map(({ source, value }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two may be equal, and their order never changes
              <li key={i} className="wrap-anywhere">
                <span className="text-muted">{source}</span> <span data-foreign>{value}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function ManyHosts({ hosts }: { hosts: readonly Host[] }) {
  const [shown, setShown] = useState(ROWS_AT_ONCE);
  const sorted = hosts.toSorted((a, b) => openOf(b).length - openOf(a).length);
  const columns: Column<Host>[] = [
    {
      heading: texts.host,
      cell: (host) => (
        <span data-foreign>
          <code>{host.address}</code>
          <span className="ms-2.5 text-muted">{aboutHost(host)}</span>
        </span>
      ),
    },
    {
      heading: texts.ports,
      cell: (host) => (
        <span className="flex flex-wrap gap-1" data-foreign>
          {openOf(host).length === 0 ? (
            <span className="text-muted">{commandTexts.results.openPorts({ count: 0 })}</span>
          ) : null}
          {openOf(host).map((open) => (
            <span
              key={nameOf(open)}
              className="px-1.5 py-0 rounded-[4px] bg-sunken text-muted text-xs leading-5 [&_code]:text-text"
            >
              <code>{open.port}</code>
              {open.protocol === 'tcp' ? '' : open.protocol} {open.service}
            </span>
          ))}
        </span>
      ),
    },
  ];
  return (
    <>
      <Table label={texts.hosts} columns={columns} rows={sorted.slice(0, shown)} keyOf={({ address }) => address} />
      {sorted.length > shown ? (
        <Button onClick={() => setShown(shown + ROWS_AT_ONCE)}>
          {commandTexts.moreRows({ count: numberText(sorted.length - shown) })}
        </Button>
      ) : null}
    </>
  );
}

/** Folded, because they may be thousands of numbers. */
function TriedPorts({ tcp, udp }: { tcp: string | null; udp: string | null }) {
  const tried = [tcp, udp].filter((ports) => ports !== null && ports !== '');
  if (tried.length === 0) return null;
  const count = tried.reduce((sum, ports) => sum + countOfPorts(ports ?? ''), 0);
  return (
    <details className={FOLD}>
      <summary>{texts.tried({ count })}</summary>
      <p className="max-h-40 overflow-y-auto text-muted font-mono text-xs wrap-anywhere" data-foreign>
        {breakable(tried.join(' · '))}
      </p>
    </details>
  );
}

/** The browser breaks lines at blanks only. */
function breakable(ports: string): string {
  return ports.replaceAll(',', ', ');
}

/** Whether a port was opened since an earlier scan. */
function useNewPorts(site: string, job: string, mac: string | null): (port: Port) => boolean {
  const when = useRights().may('devices:read') && mac !== null;
  const { data } = useAnswer('GET /devices/{mac}/ports', { site, params: { mac: mac ?? '' } }, { everyMs: 0, when });
  const found = new Set(data?.ports.filter((port) => port.new === true && port.scan === job).map(nameOf));
  return (port) => found.has(nameOf(port));
}

function nameOf({ port, protocol }: Pick<Port, 'port' | 'protocol'>): string {
  return `${port}/${protocol}`;
}

function openOf({ ports }: Host): Port[] {
  return ports.filter(({ state }) => state === 'open');
}

function versionOf({ product, version }: Port): string {
  return [product, version].filter((part) => part !== null && part !== '').join(' ');
}

function aboutHost({ names, vendor, mac, os, timedOut }: Host): string {
  const parts = [...names, vendor, mac, os, timedOut ? texts.timedOut : null];
  return parts.filter((part) => part !== null && part !== '').join(' · ');
}
