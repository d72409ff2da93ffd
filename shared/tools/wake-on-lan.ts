import * as z from 'zod';
import { WakeableMac } from '../network.ts';
import { defineTool } from './tool.ts';

const WakeOnLanResult = z.object({
  mac: z.string(),
  packets: z.array(
    z.object({
      interface: z.string(),
      address: z.string(),
      port: z.int(),
      /** Why the packet could not be sent; null when it was sent. */
      error: z.string().nullable(),
    }),
  ),
});

export const wakeOnLan = defineTool({
  name: 'wakeonlan',
  summary: 'Send Wake-on-LAN packets out of every interface of the agent',
  arguments: { mac: { schema: WakeableMac, field: 'devMac', cli: { argument: '<mac>' } } },
  result: WakeOnLanResult,
  answer: {
    message: z.string(),
    output: z.string().meta({ description: 'Every packet that left: interface, destination address and port.' }),
    result: WakeOnLanResult.nullable(),
  },
  toAnswer: ({ output, result }) => ({ message: 'WOL packet sent', output, result }),
  limits: { runMs: 10_000, isLong: false, atOnce: 4 },
  programs: {},
  cli: { command: 'wake', description: 'send Wake-on-LAN packets to a device' },
  example: {
    request: { devMac: '00:1E:06:AA:BB:01' },
    output: 'Sent magic packet to 00:1E:06:AA:BB:01 via eth0 192.168.1.255:9\n',
    result: {
      mac: '00:1E:06:AA:BB:01',
      packets: [{ interface: 'eth0', address: '192.168.1.255', port: 9, error: null }],
    },
  },
});
