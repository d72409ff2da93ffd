import * as z from 'zod';
import { defineTool, linesOf } from './tool.ts';

const ArpScanResult = z.object({
  networks: z.array(z.object({ network: z.string(), devices: z.int().min(0).describe('Devices seen in this scan.') })),
  online: z.int().min(0).describe('Devices that are online now; missing one scan does not end that.'),
  accuracy: z
    .enum(['full', 'reduced'])
    .describe('`reduced`: without raw sockets, hosts that are asleep or lose packets are missed more often.'),
});

export const arpscan = defineTool({
  name: 'arpscan',
  summary: 'Scan the monitored networks of the site for devices now; requires discovery to be enabled there',
  arguments: {},
  result: ArpScanResult,
  answer: { output: z.array(z.string()), result: ArpScanResult.nullable() },
  toAnswer: ({ output, result }) => ({ output: linesOf(output), result }),
  // It waits for the scan in progress, and then starts its own; each takes a minute at most.
  summarise: ({ online }) => ({ devices: online }),
  limits: { runMs: 180_000, isLong: true, atOnce: 1 },
  // Discovery has fallbacks.
  programs: {},
  example: {
    request: {},
    output: '192.168.1.0/24: 12 devices\n',
    result: { networks: [{ network: '192.168.1.0/24', devices: 12 }], online: 13, accuracy: 'full' },
  },
});
