import * as z from 'zod';
import { fitText } from '../agent/fit-text.ts';
import { MAX_OBSERVATION_CHARACTERS } from '../agent/observations.ts';
import { TargetRange } from '../network.ts';
import { NMAP_MODES, NMAP_PROTOCOLS } from '../words.ts';
import { defineTool, linesOf } from './tool.ts';

export { NMAP_MODES } from '../words.ts';

export const NmapMode = z.enum(NMAP_MODES);
export type NmapMode = z.infer<typeof NmapMode>;
export const NmapProtocol = z
  .enum(NMAP_PROTOCOLS)
  .describe('`udp`: the 100 most common UDP ports in every mode, which takes minutes. Default: `tcp`.');
export type NmapProtocol = z.infer<typeof NmapProtocol>;

/** How ports are scanned; without a protocol, those of TCP. */
export interface Scanning {
  mode: NmapMode;
  protocol?: NmapProtocol | undefined;
}

/** Whether nmap spends seconds on each address. */
export function isSlow({ mode, protocol }: Scanning): boolean {
  return mode === 'detail' || mode === 'skipdiscovery' || protocol === 'udp';
}

/** Migrates a stored command from when UDP was a mode. */
export function withProtocol(stored: unknown): unknown {
  const isFormer = typeof stored === 'object' && stored !== null && 'mode' in stored && stored.mode === 'udp';
  return isFormer ? { ...stored, mode: 'fast', protocol: 'udp' } : stored;
}

/** A service's description of itself. Untrusted. */
const Banner = z.object({
  source: z.enum(['http-title', 'http-server', 'tls']),
  value: fitText(MAX_OBSERVATION_CHARACTERS),
});
export type Banner = z.infer<typeof Banner>;
/** Of one host. */
export const MAX_BANNERS = 20;

const NmapResult = z.object({
  hosts: z.array(
    z.object({
      address: z.string(),
      mac: z.string().nullable(),
      vendor: z.string().nullable(),
      names: z.array(z.string()),
      state: z.string(),
      /** Whether nmap stopped scanning the host at its time limit; its ports are then missing. */
      timedOut: z.boolean(),
      os: z.string().nullable(),
      unclearPorts: z
        .string()
        .optional()
        .describe(
          'Of UDP: ports such as `67,137-139` that neither answered nor refused (`open|filtered`), if too many to be listed.',
        ),
      banners: z
        .array(Banner)
        .max(MAX_BANNERS)
        .optional()
        .describe(
          'Of mode `detail`: titles and servers of web pages, and subjects of certificates, as the host sends them.',
        ),
      ports: z.array(
        z.object({
          port: z.int(),
          protocol: z.string(),
          state: z.string(),
          service: z.string().nullable(),
          product: z.string().nullable(),
          version: z.string().nullable(),
        }),
      ),
    }),
  ),
  hostsUp: z.int(),
  hostsTotal: z.int(),
  triedTcpPorts: z
    .string()
    .nullable()
    .default(null)
    .describe(
      'The scanned TCP ports of each host, such as `22,80-90`; null when nmap, or an earlier agent, does not report them.',
    ),
  triedUdpPorts: z.string().optional().describe('The scanned UDP ports.'),
});

export const nmap = defineTool({
  name: 'nmap',
  summary: 'Scan the ports of one address or of a range',
  arguments: {
    target: {
      schema: TargetRange,
      field: 'scan',
      cli: { argument: '<target>', description: 'IP address, or a range such as 192.168.1.0/24' },
    },
    mode: { schema: NmapMode, field: 'mode', cli: { option: '--mode <mode>', default: 'normal' } },
    protocol: { schema: NmapProtocol.optional(), field: 'protocol', cli: { option: '--protocol <protocol>' } },
  },
  result: NmapResult,
  answer: {
    mode: NmapMode,
    ip: z.string().describe('The scan target as it was sent.'),
    output: z.array(z.string()),
    result: NmapResult.nullable(),
  },
  toAnswer: ({ output, result }, { target, mode }) => ({ mode, ip: target.written, output: linesOf(output), result }),
  summarise: ({ hosts, hostsUp }) => ({
    hosts: hostsUp,
    openPorts: hosts.reduce((sum, { ports }) => sum + ports.filter(({ state }) => state === 'open').length, 0),
  }),
  compare: ({ hosts, hostsTotal }) =>
    hosts.flatMap(({ address, state, ports }) => {
      const at = hostsTotal === 1 ? '' : `${address} `;
      const open = ports.filter((one) => one.state === 'open').map(({ port, protocol }) => `${at}${port}/${protocol}`);
      return state === 'up' ? [`${at}up`, ...open] : [];
    }),
  limits: { runMs: 900_000, isLong: true, atOnce: 2 },
  programs: { nmap: { package: 'nmap', versionArgs: ['--version'], version: /Nmap version (\S+)/ } },
  mcp: {
    name: 'run_nmap',
    title: 'Scan ports now',
    description:
      'Runs nmap from inside the LAN against one address or a range, waits for it, and returns the open ports and services. ' +
      'Takes seconds for one host with mode fast, minutes for a range or mode detail. ' +
      'Only scan networks that the user owns. To read what earlier scans found, use get_open_ports.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    arguments: {
      target: { field: 'scan' },
      mode: {
        schema: NmapMode.default('fast').describe(
          'fast: the 100 most usual TCP ports; normal: 1,000; detail: also versions and operating system; skipdiscovery: normal, for hosts that do not answer to ping',
        ),
      },
    },
  },
  example: {
    request: { scan: '192.168.1.20', mode: 'fast' },
    output: '22/tcp open  ssh\n',
    result: {
      hosts: [
        {
          address: '192.168.1.20',
          mac: '00:1E:06:AA:BB:01',
          vendor: null,
          names: [],
          state: 'up',
          timedOut: false,
          os: null,
          ports: [{ port: 22, protocol: 'tcp', state: 'open', service: 'ssh', product: null, version: null }],
        },
      ],
      hostsUp: 1,
      hostsTotal: 1,
      triedTcpPorts: '22,80,443',
    },
  },
});
