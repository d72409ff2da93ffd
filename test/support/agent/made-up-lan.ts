/** What looks find in a LAN that a test makes up. */
import { pino } from 'pino';
import type { Evidence } from '../../../agent/discovery/evidence.ts';
import { KnownDevices } from '../../../agent/discovery/known-devices.ts';
import type { NetworkScan } from '../../../agent/discovery/scan.ts';
import { sightingOf } from '../../../agent/discovery/sighting.ts';
import { Sighting } from '../../../shared/agent/discovery.ts';
import { range } from '../../../shared/network.ts';

export const START = Date.UTC(2026, 0, 1);
export const MINUTE = 60_000;
export const BLIND_MS = 4 * MINUTE;
const log = pino({ level: 'silent' });

export const NETWORK = {
  interface: 'eth0',
  mac: '00:1E:06:00:00:01',
  address: '10.0.0.1',
  ipv6: null,
  gateway: '10.0.0.254',
  range: range('10.0.0.0/24'),
  cidr: '10.0.0.0/24',
};
export const ENDED = { stderr: '', code: 0, signal: null, timedOut: false, aborted: false, truncated: false };
export const ROUTER = seen('00:0D:B9:00:00:FE', '10.0.0.254');

export function seen(mac: string, ip: string, fresh = true): Evidence {
  return { mac, ip, fresh };
}

export function pass(evidence: Evidence[], changes: Partial<NetworkScan> = {}): NetworkScan {
  return { network: NETWORK, evidence, method: 'arp-scan', startedAt: 0, failure: null, ...changes };
}

export const macOf = (i: number) =>
  `00:11:22:${[16, 8, 0].map((shift) => ((i >> shift) & 255).toString(16).padStart(2, '0')).join(':')}`.toUpperCase();
export const ipOf = (i: number) => `10.0.${i >> 8}.${i & 255}`;

/** Known devices that are never written, and cycles without second looks. */
export async function newKnown(path = '/nonexistent/known-devices.json') {
  const known = await KnownDevices.open(path, START, log);
  return {
    known,
    cycle(
      at: number,
      evidence: Evidence[],
      { found = [] as string[], ...changes }: Partial<NetworkScan> & { found?: string[] } = {},
    ) {
      const scans = [pass(evidence, changes)];
      const valid = known.recordScans(scans, at);
      const network = changes.network?.cidr ?? NETWORK.cidr;
      known.countMisses(scans, valid, new Map([[network, new Set(found)]]), at, BLIND_MS);
      known.commit();
      return valid.size > 0;
    },
    reported: (mac: string) => {
      const device = known.get(mac);
      return device === undefined ? undefined : Sighting.parse(sightingOf(device));
    },
  };
}
