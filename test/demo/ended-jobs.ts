/** What agents have run, each tool once or more, written into the store as if they had reported it. Nothing is sent into any network. */
import { v7 as uuidv7 } from 'uuid';
import { storePorts } from '../../functions/sightings/port-scans.ts';
import type { EndedJob } from '../../shared/agent/messages.ts';
import { agentId, type JobId, type SiteId } from '../../shared/identity.ts';
import type { CommandJson, ToolResult } from '../../shared/tools/list.ts';
import { foundHost, nmapResult, openPort } from '../support/found-host.ts';
import type { FilledSystem } from './filled-system.ts';

interface Run {
  minutesAgo: number;
  tookMs: number;
  command: CommandJson;
  end: Pick<EndedJob, 'result' | 'output'> & Partial<EndedJob>;
}

const ran = (minutesAgo: number, tookMs: number, command: CommandJson, result: ToolResult, output = ''): Run => {
  return { minutesAgo, tookMs, command, end: { result, output } };
};
const FAILED = { state: 'failed', result: null, output: '' } as const;
const hop = (number: number, address: string | null, ms: readonly number[]) => {
  return { hop: number, probes: address === null ? [] : ms.map((rttMs) => ({ address, rttMs, note: null })) };
};
const NAS = '192.168.178.6';
const nas = (...ports: ReturnType<typeof openPort>[]) => [foundHost(NAS, '02:00:5E:00:01:05', ports, 'Synology')];
const NAS_PORTS = [
  openPort(22, 'ssh', 'OpenSSH', '9.2p1'),
  openPort(80, 'http', 'nginx'),
  openPort(443, 'https', 'nginx'),
  openPort(445, 'microsoft-ds', 'Samba smbd', '4.15'),
];
const DETAILED = { tool: 'nmap', target: NAS, mode: 'detail' } as const;
const TRIED =
  '1,3-4,6-7,9,13,17,19-26,30,32-33,37,42-43,49,53,70,79-85,88-90,99-100,106,109-111,113,119,125,443-445,5000';
const FEW_HOSTS = [1, 2, 6, 9].map((last) => {
  const others = { 1: [openPort(53, 'domain')], 2: [openPort(53, 'domain')], 6: [openPort(22, 'ssh')] }[last];
  const ports = [openPort(80, 'http'), ...(others ?? [openPort(9100, 'jetdirect')])];
  return foundHost(`192.168.178.${last}`, `02:00:5E:00:01:0${last - 1}`, ports, 'AVM');
});

const RUNS: readonly Run[] = [
  ran(
    4,
    48_200,
    DETAILED,
    nmapResult(nas(...NAS_PORTS, openPort(5000, 'http', 'Synology DSM', '7.2')), TRIED),
    'Starting Nmap 7.93 ( https://nmap.org )\nNmap scan report for 192.168.178.6\nHost is up (0.00042s latency).\n',
  ),
  ran(
    55,
    12_900,
    { ...DETAILED, target: '192.168.178.0/28', mode: 'fast' },
    nmapResult(FEW_HOSTS, '7,9,13,21-23,53', 16),
  ),
  ran(
    90,
    16_100,
    { tool: 'speedtest' },
    { server: 'speed.example.net', pingMs: 11.8, downloadMbps: 942.4, uploadMbps: 38.1 },
    'Ping: 11.80 ms\nDownload: 942.40 Mbit/s\nUpload: 38.10 Mbit/s\n',
  ),
  ran(
    130,
    2_300,
    { tool: 'traceroute', target: '203.0.113.9' },
    {
      ...{ target: '203.0.113.9', reached: true },
      hops: [
        hop(1, '192.168.178.1', [0.4, 0.3, 0.5]),
        hop(2, '100.64.0.1', [8.1, 7.9, 9.4]),
        hop(3, null, []),
        hop(4, '203.0.113.9', [21.3, 12.2, 12.6]),
      ],
    },
  ),
  ran(
    200,
    140,
    { tool: 'wakeonlan', mac: '02:00:5E:00:01:07', verify: true },
    {
      mac: '02:00:5E:00:01:07',
      packets: [{ interface: 'eth0', address: '192.168.178.255', port: 9, error: null }],
      verified: { awake: true, already: true, afterMs: 0, ip: '192.168.178.8' },
    },
  ),
  ran(
    260,
    30,
    { tool: 'nslookup', query: 'nas-1.lan' },
    { server: '192.168.178.1', name: 'nas-1.lan', addresses: [NAS, 'fd00::6'], names: [] },
  ),
  ran(
    300,
    700,
    { tool: 'internetinfo' },
    {
      ...{ ip: '203.0.113.7', city: 'Leipzig', country: 'DE', organisation: 'AS64500 Example Networks' },
      at: '2026-11-01T08:15:00.000Z',
    },
  ),
  ran(
    320,
    9_400,
    { tool: 'arpscan' },
    { networks: [{ network: '192.168.178.0/24', devices: 41 }], online: 43, accuracy: 'full' },
  ),
  ran(1_700, 51_000, DETAILED, nmapResult(nas(openPort(21, 'ftp'), ...NAS_PORTS), '1-6000')),
  {
    ...{ minutesAgo: 400, tookMs: 900_000, command: { tool: 'nmap', target: '192.168.178.77', mode: 'normal' } },
    end: { ...FAILED, reason: 'timed_out', message: 'nmap took longer than 15 minutes' },
  },
];

/** With the ports that were found. @returns the ids, in the order of the list: a scan of one host is the first */
export async function addEndedJobs({ context }: FilledSystem, site: SiteId, actor: string): Promise<string[]> {
  const ids: string[] = [];
  // In the order in which they ended, so that ports are opened and closed.
  for (const run of RUNS.toReversed()) {
    const { command, minutesAgo, tookMs, end } = run;
    const createdAt = Date.now() - minutesAgo * 60_000;
    const id: JobId = `${site}.${uuidv7({ msecs: createdAt })}`;
    const agent = agentId(site, 'main');
    const ended: EndedJob = {
      ...{ state: 'succeeded', reason: null, message: null, truncated: false, ...end },
      ...{ startedAt: createdAt, endedAt: createdAt + tookMs },
    };
    await context.jobs.addEnded({ id, agent, command, actor, createdAt }, ended);
    await storePorts(context, { id, agent, command }, ended);
    ids.unshift(id);
  }
  return ids;
}
