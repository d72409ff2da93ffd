/** The open and the closed ports of a device as one list. */
import type { DevicePorts } from '../../../shared/api/one-device.ts';

export interface PortRow {
  port: number;
  protocol: string;
  /** Null for the main address of the device. */
  address: string | null;
  /** As nmap calls it. */
  state: string;
  service: string | null;
  /** The program and its version; empty when no scan has identified it. */
  product: string;
  identifiedAt: string | null;
  /** When it was opened, or closed. */
  since: string;
  /** When a scan last found it in this state. */
  seenAt: string;
  /** The id of that job. */
  scan: string;
  /** The change within the chosen time; null for none. */
  mark: 'new' | 'closed' | null;
}

const keyOf = ({ port, protocol, address }: { port: number; protocol: string; address?: string | undefined }) =>
  `${port}/${protocol} ${address}`;

/** By number. A port that is open again is not listed as closed. */
export function portRows({ ports, diff }: Pick<DevicePorts, 'ports' | 'diff'>): PortRow[] {
  const opened = new Map(diff?.opened.toReversed().map((change) => [keyOf(change), change]));
  const closed = new Map(diff?.closed.toReversed().map((change) => [keyOf(change), change]));
  for (const port of ports) closed.delete(keyOf(port));
  const rows = [
    ...ports.map((one): PortRow => {
      const change = opened.get(keyOf(one));
      return {
        ...{ port: one.port, protocol: one.protocol, state: one.state, service: one.service },
        address: one.address ?? null,
        product: [one.product, one.version].filter((text) => text).join(' '),
        identifiedAt: one.identifiedAt ?? null,
        since: change?.at ?? one.firstSeenAt,
        seenAt: one.seenAt,
        scan: one.scan,
        mark: change === undefined ? null : 'new',
      };
    }),
    ...[...closed.values()].map(({ port, protocol, address = null, service, at, scan }): PortRow => {
      const row = { port, protocol, address, state: 'open', service, product: '', identifiedAt: null };
      return { ...row, since: at, seenAt: at, scan, mark: 'closed' };
    }),
  ];
  return rows.sort((a, b) => a.port - b.port || a.protocol.localeCompare(b.protocol));
}
