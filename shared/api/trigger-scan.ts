/** `POST /nettools/trigger-scan`: starts scans of a site's LAN, for clients of NetAlertX. */
import * as z from 'zod';
import { TargetRange } from '../network.ts';
import { NmapMode, NmapProtocol } from '../tools/nmap.ts';
import { SCAN_TYPES } from '../words.ts';
import { exampleJob, Job, McpJob } from './jobs.ts';
import { type Operation, onSite } from './operation.ts';

export const ScanType = z.enum(SCAN_TYPES);
export type ScanType = z.infer<typeof ScanType>;

/** Jobs that one request starts. An agent queues four long commands. */
export const MAX_SCANS_AT_ONCE = 4;

export const ScanRequest = z
  .strictObject({
    type: ScanType.default('ARPSCAN').describe(
      '`ARPSCAN`, and `NMAPDEV`, which is the same here: discover devices now. Discovery must be on at the site; ' +
        'it chooses the method (ARP, nmap or UDP), and each agent that monitors the LAN makes one pass. `NMAP`: scan ' +
        'ports with nmap; `GET /devices/{mac}/ports` then lists the open ones.',
    ),
    scan: TargetRange.optional().describe(
      'With `NMAP` only: an address or a range. Omitted: the private IPv4 networks with at most 1,024 addresses that ' +
        `discovery watches or, where it is off, to which the connected agents are attached, up to ${MAX_SCANS_AT_ONCE}.`,
    ),
    mode: NmapMode.optional().describe('With `NMAP` only. Default: `fast`.'),
    protocol: NmapProtocol.optional(),
  })
  .meta({ 'x-checked-further': true });
export type ScanRequest = z.output<typeof ScanRequest>;

const started = {
  success: z.literal(true),
  message: z.string(),
  scan_id: z.string().describe('Id of the first job.'),
};

const exampleScan = {
  ...exampleJob,
  ...{ tool: 'arpscan', request: { tool: 'arpscan' }, state: 'accepted' },
  ...{ startedAt: null, endedAt: null, output: null, summary: null },
};

/** @param chosen the query that selects an agent */
export function triggerScanOperation<Query extends z.ZodObject>(chosen: Query, errors: Operation['errors'] & object) {
  return {
    ...onSite('POST', '/nettools/trigger-scan', 'nettools:run'),
    audit: null,
    status: 202,
    summary:
      'Start a scan of the LAN without waiting for its end. Each scan is a job, also a pass of discovery: `GET /jobs/{id}` has its outcome',
    mcp: {
      name: 'trigger_scan',
      title: 'Start a scan of the LAN',
      description:
        'Starts a scan and returns at once with scan_id; get_job with that id has its outcome. ' +
        'ARPSCAN and NMAPDEV discover devices now, if discovery is on; list_devices then shows them. ' +
        'NMAP scans ports, of all networks of the site or of the address or range in scan; get_open_ports then lists the open ones. ' +
        'To wait for the port scan of one host, use run_nmap. Only scan networks that the user owns.',
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
      result: z.object({ ...started, jobs: z.array(McpJob) }),
    },
    query: chosen,
    body: ScanRequest,
    bodyOptional: true,
    response: z.object({
      ...started,
      jobs: z
        .array(Job)
        .min(1)
        .describe('One for each agent that discovers devices, or for each network whose ports are scanned.'),
    }),
    errors,
    example: {
      body: { type: 'ARPSCAN' },
      response: {
        success: true,
        message: 'Scan triggered for type: ARPSCAN',
        scan_id: exampleScan.id,
        jobs: [exampleScan],
      },
    },
  } as const satisfies Operation;
}
