/** `/scans`: port scans of networks that are too large for one command, in shards over the agents of the site. */
import * as z from 'zod';
import { PlanItemId } from '../agent/plan.ts';
import { SiteId } from '../identity.ts';
import { type IpRange, namesNoHost, parseRange, rangeSize, withoutHostBits } from '../network.ts';
import { isSlow, NmapMode, NmapProtocol, type Scanning } from '../tools/nmap.ts';
import { answer, named, type Operations, onSite, succeeded, Unreadables } from './operation.ts';
import { Time } from './records.ts';

export const SHORTEST_SCAN_PREFIX = 16;
/** Shards of one scan: a /16 in pieces of 256 addresses. */
export const MAX_SHARDS = 256;
/** Attempts for a shard that ends without a result. */
export const MAX_SHARD_ATTEMPTS = 3;
/** An unfinished scan fails after this time. */
export const MAX_SCAN_MS = 7 * 86_400_000;

/** Addresses of one shard: the default limit of the policy of an agent for one command. */
export function shardAddresses(how: Scanning): number {
  return isSlow(how) ? 256 : 1_024;
}

/** The network of a scan; null if invalid or too large. */
export function scanRange(text: string): IpRange | null {
  const range = parseRange(text);
  if (range === null || range.address.family !== 4 || range.address.zone !== null) return null;
  return range.prefix < SHORTEST_SCAN_PREFIX || namesNoHost(range) ? null : withoutHostBits(range);
}

/** The shards of a network, each for one command, in order: at most MAX_SHARDS. */
export function shardsOf(range: IpRange, how: Scanning): IpRange[] {
  const size = Math.min(shardAddresses(how), Number(rangeSize(range)));
  const prefix = 32 - Math.log2(size);
  const count = Math.min(MAX_SHARDS, Number(rangeSize(range)) / size);
  return Array.from({ length: count }, (_, i) => ({
    address: { ...range.address, value: range.address.value + BigInt(i * size) },
    prefix,
  }));
}

export const Scan = named('Scan', {
  id: PlanItemId,
  site: SiteId,
  range: z.string(),
  mode: NmapMode,
  protocol: NmapProtocol,
  state: z
    .enum(['running', 'done', 'cancelled', 'failed'])
    .describe('`done`: each shard has ended, with or without a result. `failed`: none had a result.'),
  shards: z.object({ total: z.int(), done: z.int(), failed: z.int() }),
  percent: z.number().min(0).max(100),
  hosts: z.int().describe('Hosts that have answered so far.'),
  problem: z.string().nullable().describe('Why a shard had no result in its last attempt.'),
  createdAt: Time,
  createdBy: z.string(),
  endedAt: Time.nullable(),
});
export type Scan = z.infer<typeof Scan>;

export const ScannedHost = named('ScannedHost', {
  address: z.string(),
  mac: z.string().nullable(),
  names: z.array(z.string()),
  ports: z.array(z.object({ port: z.int(), protocol: z.string(), service: z.string().nullable() })),
});
export type ScannedHost = z.infer<typeof ScannedHost>;

const PortOf = z.object({ address: z.string(), port: z.int(), protocol: z.string(), service: z.string().nullable() });
export const ScanDiff = named('ScanDiff', {
  against: PlanItemId.describe('The compared scan.'),
  appeared: z.array(z.string()).describe('Addresses that answer now and did not then.'),
  gone: z.array(z.string()),
  opened: z.array(PortOf),
  closed: z.array(PortOf),
});
export type ScanDiff = z.infer<typeof ScanDiff>;

/** Scans in one answer. */
export const MAX_LISTED_SCANS = 100;
/** Scans of a site that run at the same time. */
export const MAX_RUNNING_SCANS = 5;

const example = {
  id: '77aa01b2c3d4',
  site: 'home',
  range: '10.20.0.0/16',
  mode: 'fast' as const,
  protocol: 'tcp' as const,
  state: 'running' as const,
  shards: { total: 64, done: 16, failed: 0 },
  percent: 25,
  hosts: 12,
  problem: null,
  createdAt: '2026-11-01T08:15:00.000Z',
  createdBy: '0123456789abcdef',
  endedAt: null,
};
const params = z.object({ scan: PlanItemId });
const about = { scan: example.id };

export const scans = {
  listScans: {
    ...onSite('GET', '/scans', 'nettools:run'),
    summary: `The scans of large networks of a site in the last 30 days, the newest ${MAX_LISTED_SCANS} first`,
    response: answer({ scans: z.array(Scan).max(MAX_LISTED_SCANS), unreadable: Unreadables }),
    example: { response: { success: true, scans: [example], unreadable: [] } },
  },
  startScan: {
    ...onSite('POST', '/scans', 'nettools:run'),
    audit: 'scan.start',
    status: 201,
    summary: `Scan the ports of a network of up to a /${SHORTEST_SCAN_PREFIX}: in shards, on all connected agents; it survives restarts`,
    body: z.strictObject({
      range: z
        .string()
        .max(50)
        .meta({ 'x-checked-further': true, description: `An IPv4 network, /${SHORTEST_SCAN_PREFIX} or longer.` }),
      mode: NmapMode.default('fast'),
      protocol: NmapProtocol.optional(),
    }),
    response: Scan.extend({ success: succeeded }),
    errors: ['conflict', 'agent_offline'],
    mcp: {
      name: 'start_scan',
      title: 'Scan the ports of a large network',
      description:
        'Starts a scan of a network of up to 65,536 addresses, which takes minutes to hours in the background. get_scan has its progress and hosts. Only networks that the user owns.',
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    },
    example: {
      body: { range: '10.20.0.0/16' },
      response: { success: true, ...example, shards: { total: 64, done: 0, failed: 0 }, percent: 0, hosts: 0 },
    },
  },
  getScan: {
    ...onSite('GET', '/scans/{scan}', 'nettools:run'),
    summary: 'One scan: its progress, the hosts so far, and the differences to the previous scan of the same network',
    params,
    response: Scan.extend({
      success: succeeded,
      found: z.array(ScannedHost).max(65_536),
      diff: ScanDiff.nullable().describe(
        'Null until it is done, and without a previous scan of the same network, mode and protocol.',
      ),
    }),
    errors: ['not_found'],
    mcp: {
      name: 'get_scan',
      title: 'Progress and hosts of a large scan',
      description:
        'The progress of a scan, the hosts that have answered with their open ports, and the changes since the previous scan of the same network.',
    },
    example: { params: about, response: { success: true, ...example, found: [], diff: null } },
  },
  cancelScan: {
    ...onSite('DELETE', '/scans/{scan}', 'nettools:run'),
    audit: 'scan.cancel',
    summary: 'Stop a scan; its findings stay. An ended scan stays as it is',
    params,
    response: Scan.extend({ success: succeeded }),
    errors: ['not_found'],
    example: {
      params: about,
      response: { success: true, ...example, state: 'cancelled', endedAt: '2026-11-01T08:20:00.000Z' },
    },
  },
} as const satisfies Operations;
