import * as z from 'zod';
import { defineTool, linesOf } from './tool.ts';

const ArpScanResult = z.object({
  networks: z.array(
    z.object({
      network: z.string(),
      devices: z.int().min(0).meta({ description: 'Devices that were seen in this pass.' }),
    }),
  ),
  online: z
    .int()
    .min(0)
    .meta({ description: 'Devices that count as online now, which those that miss one pass still do.' }),
  accuracy: z.enum(['full', 'reduced']).meta({
    description: '`reduced`: without raw sockets, hosts that are asleep or lose packets are missed more often.',
  }),
});

export const arpscan = defineTool({
  name: 'arpscan',
  summary: 'Look for the devices of the LAN now; discovery must be on at the site, whose networks are asked',
  arguments: {},
  result: ArpScanResult,
  answer: { output: z.array(z.string()), result: ArpScanResult.nullable() },
  toAnswer: ({ output, result }) => ({ output: linesOf(output), result }),
  // It waits for the pass that is under way, and then begins one of its own; each takes a minute at most.
  summarise: ({ online }) => ({ devices: online }),
  limits: { runMs: 180_000, isLong: true, atOnce: 1 },
  // Discovery has others to fall back to.
  programs: {},
  cli: { command: 'arpscan', description: 'look for the devices of the LAN now, where discovery is on' },
  example: {
    request: {},
    output: '192.168.1.0/24: 12 devices\n',
    result: { networks: [{ network: '192.168.1.0/24', devices: 12 }], online: 13, accuracy: 'full' },
  },
});
