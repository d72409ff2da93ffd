import { expect, test } from 'vitest';
import type { DevicePorts } from '../../../shared/api/one-device.ts';
import { portRows } from './port-rows.ts';

const scan = 'home.01934c1e-5f00-7a11-8a22-0123456789ab';
const open = (port: number, seenAt = '2026-11-02T08:00:00.000Z'): DevicePorts['ports'][number] => {
  const firstSeenAt = '2026-11-01T08:00:00.000Z';
  return { port, protocol: 'tcp', state: 'open', service: 'x', seenAt, firstSeenAt, scan, mode: 'fast' };
};
const changed = (port: number, at: string) => ({ port, protocol: 'tcp' as const, service: 'x', at, scan });

test('closed ports stand among those that are open, and the latest change of a port decides', () => {
  const opened = [changed(8080, '2026-11-02T08:00:00.000Z'), changed(8080, '2026-10-30T08:00:00.000Z')];
  const closed = [
    changed(443, '2026-11-02T07:00:00.000Z'),
    changed(8080, '2026-11-01T07:00:00.000Z'),
    changed(443, '2026-10-20T07:00:00.000Z'),
  ];
  const rows = portRows({ ports: [open(22), open(8080)], diff: { since: null, opened, closed } });
  expect(rows.map(({ port, mark, since }) => [port, mark, since])).toEqual([
    [22, null, '2026-11-01T08:00:00.000Z'],
    [443, 'closed', '2026-11-02T07:00:00.000Z'],
    [8080, 'new', '2026-11-02T08:00:00.000Z'],
  ]);
});
