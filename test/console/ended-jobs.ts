/** What agents have run, each tool once or more, written into the store as if they had told it. Nothing is sent into any network. */
import { v7 as uuidv7 } from 'uuid';
import { storePorts } from '../../functions/sightings/port-scans.ts';
import type { EndedJob } from '../../shared/agent/messages.ts';
import { agentId, type JobId, type SiteId } from '../../shared/identity.ts';
import type { CommandJson, ToolResult } from '../../shared/tools/list.ts';
import type { ConsoleApi } from './describe-console.ts';

interface Run {
  command: CommandJson;
  minutesAgo: number;
  tookMs: number;
  result?: ToolResult;
  output?: string;
  failed?: Pick<EndedJob, 'reason' | 'message'>;
  actor?: string;
}

const OPEN = (port: number, service: string, product: string | null = null, version: string | null = null) => ({
  port,
  protocol: 'tcp',
  state: 'open',
  service,
  product,
  version,
});
const host = (address: string, mac: string, vendor: string, ports: ReturnType<typeof OPEN>[]) => ({
  address,
  mac,
  vendor,
  names: [],
  state: 'up',
  timedOut: false,
  os: null,
  ports,
});
const hop = (number: number, address: string | null, ms: readonly number[]) => ({
  hop: number,
  probes: address === null ? [] : ms.map((rttMs) => ({ address, rttMs, note: null })),
});

const RUNS: readonly Run[] = [
  {
    command: { tool: 'nmap', target: '192.168.178.6', mode: 'detail' },
    minutesAgo: 4,
    tookMs: 48_200,
    output:
      'Starting Nmap 7.93 ( https://nmap.org )\nNmap scan report for 192.168.178.6\nHost is up (0.00042s latency).\n',
    result: {
      hosts: [
        host('192.168.178.6', '02:00:5E:00:01:05', 'Synology', [
          OPEN(22, 'ssh', 'OpenSSH', '9.2p1'),
          OPEN(80, 'http', 'nginx', null),
          OPEN(443, 'https', 'nginx', null),
          OPEN(445, 'microsoft-ds', 'Samba smbd', '4.15'),
          OPEN(5000, 'http', 'Synology DSM', '7.2'),
        ]),
      ],
      hostsUp: 1,
      hostsTotal: 1,
      triedTcpPorts:
        '1,3-4,6-7,9,13,17,19-26,30,32-33,37,42-43,49,53,70,79-85,88-90,99-100,106,109-111,113,119,125,443-445,5000',
    },
  },
  {
    command: { tool: 'nmap', target: '192.168.178.0/28', mode: 'fast' },
    minutesAgo: 55,
    tookMs: 12_900,
    result: {
      hosts: [1, 2, 6, 9].map((last) =>
        host(`192.168.178.${last}`, `02:00:5E:00:01:0${last - 1}`, 'AVM', [
          OPEN(80, 'http'),
          ...(last < 5 ? [OPEN(53, 'domain')] : []),
          ...(last === 6 ? [OPEN(22, 'ssh')] : []),
          ...(last === 9 ? [OPEN(9100, 'jetdirect')] : []),
        ]),
      ),
      hostsUp: 4,
      hostsTotal: 16,
      triedTcpPorts: '7,9,13,21-23,25-26,37,53,79-81,88',
    },
  },
  {
    command: { tool: 'speedtest' },
    minutesAgo: 90,
    tookMs: 16_100,
    output: 'Ping: 11.80 ms\nDownload: 942.40 Mbit/s\nUpload: 38.10 Mbit/s\n',
    result: { server: 'speed.example.net', pingMs: 11.8, downloadMbps: 942.4, uploadMbps: 38.1 },
  },
  {
    command: { tool: 'traceroute', target: '203.0.113.9' },
    minutesAgo: 130,
    tookMs: 2_300,
    result: {
      target: '203.0.113.9',
      reached: true,
      hops: [
        hop(1, '192.168.178.1', [0.4, 0.3, 0.5]),
        hop(2, '100.64.0.1', [8.1, 7.9, 9.4]),
        hop(3, null, []),
        hop(4, '203.0.113.9', [21.3, 12.2, 12.6]),
      ],
    },
  },
  {
    command: { tool: 'wakeonlan', mac: '02:00:5E:00:01:07', verify: true },
    minutesAgo: 200,
    tookMs: 140,
    result: {
      mac: '02:00:5E:00:01:07',
      packets: [{ interface: 'eth0', address: '192.168.178.255', port: 9, error: null }],
      verified: { awake: true, already: true, afterMs: 0, ip: '192.168.178.8' },
    },
  },
  {
    command: { tool: 'nslookup', query: 'nas-1.lan' },
    minutesAgo: 260,
    tookMs: 30,
    result: { server: '192.168.178.1', name: 'nas-1.lan', addresses: ['192.168.178.6', 'fd00::6'], names: [] },
  },
  {
    command: { tool: 'internetinfo' },
    minutesAgo: 300,
    tookMs: 700,
    result: {
      ip: '203.0.113.7',
      city: 'Leipzig',
      country: 'DE',
      organisation: 'AS64500 Example Networks',
      at: '2026-11-01T08:15:00.000Z',
    },
  },
  {
    command: { tool: 'arpscan' },
    minutesAgo: 320,
    tookMs: 9_400,
    result: { networks: [{ network: '192.168.178.0/24', devices: 41 }], online: 43, accuracy: 'full' },
  },
  {
    command: { tool: 'nmap', target: '192.168.178.6', mode: 'detail' },
    minutesAgo: 1_700,
    tookMs: 51_000,
    result: {
      hosts: [
        host('192.168.178.6', '02:00:5E:00:01:05', 'Synology', [
          OPEN(21, 'ftp'),
          OPEN(22, 'ssh', 'OpenSSH', '9.2p1'),
          OPEN(80, 'http', 'nginx', null),
          OPEN(443, 'https', 'nginx', null),
          OPEN(445, 'microsoft-ds', 'Samba smbd', '4.15'),
        ]),
      ],
      hostsUp: 1,
      hostsTotal: 1,
      triedTcpPorts: '1-6000',
    },
  },
  {
    command: { tool: 'nmap', target: '192.168.178.77', mode: 'normal' },
    minutesAgo: 400,
    tookMs: 900_000,
    failed: { reason: 'timed_out', message: 'nmap took longer than 15 minutes' },
  },
];

/** With the ports that were found. @returns the ids, in the order of the list: a scan of one host is the first */
export async function addEndedJobs({ context }: ConsoleApi, site: SiteId, actor: string): Promise<string[]> {
  const ids: string[] = [];
  // In the order in which they ended, so that ports are opened and closed.
  for (const run of RUNS.toReversed()) {
    const { command, minutesAgo, tookMs, result, output = '', failed } = run;
    const createdAt = Date.now() - minutesAgo * 60_000;
    const id: JobId = `${site}.${uuidv7({ msecs: createdAt })}`;
    const agent = agentId(site, 'main');
    const ended: EndedJob = {
      state: failed === undefined ? 'succeeded' : 'failed',
      reason: failed?.reason ?? null,
      message: failed?.message ?? null,
      output,
      truncated: false,
      result: result ?? null,
      startedAt: createdAt,
      endedAt: createdAt + tookMs,
    };
    await context.jobs.addEnded({ id, agent, command, actor, createdAt }, ended);
    await storePorts(context, { id, agent, command }, ended);
    ids.unshift(id);
  }
  return ids;
}
