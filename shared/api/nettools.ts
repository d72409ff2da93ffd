/** `/nettools`: commands that an agent runs inside the site's LAN. */
import * as z from 'zod';
import { NmapMode } from '../agent/messages.ts';
import { InterfaceRecord } from '../agent/results.ts';
import { LookupTarget, TargetAddress, TargetRange, WakeableMac } from '../network.ts';
import type { Operations } from './operation.ts';

const succeeded = z.literal(true);
const Lines = z.array(z.string());
/** What every command may answer beside a success. */
const TOOL_ERRORS = [
  'command_failed',
  'agent_offline',
  'agent_busy',
  'agent_silent',
  'tool_missing',
  'idempotency_mismatch',
] as const;

/** Which agent of the site runs the command. */
const Chosen = z.object({
  agent: z.string().min(1).max(65).optional().meta({
    description:
      'The name of an agent of the site, as in `GET /sites/{site}/agents` behind the colon. Without it, one is chosen: of those that are attached to the network of the target, the one whose turn it is.',
  }),
});

export const nettools = {
  wakeOnLan: {
    method: 'POST',
    path: '/nettools/wakeonlan',
    scope: 'nettools:run',
    perSite: true,
    isCommand: true,
    otherMedia: ['text/event-stream'],
    summary: 'Send Wake-on-LAN packets out of every interface of the agent',
    query: Chosen,
    body: z.object({ devMac: WakeableMac }),
    response: z.object({
      success: succeeded,
      message: z.string(),
      output: z.string().meta({ description: 'Every packet that left: interface, destination address and port.' }),
      result: z.unknown().optional(),
    }),
    errors: TOOL_ERRORS,
    example: {
      body: { devMac: '00:1E:06:AA:BB:01' },
      response: {
        success: true,
        message: 'WOL packet sent',
        output: 'Sent magic packet to 00:1E:06:AA:BB:01 via eth0 192.168.1.255:9',
      },
    },
  },
  traceroute: {
    method: 'POST',
    path: '/nettools/traceroute',
    scope: 'nettools:run',
    perSite: true,
    isCommand: true,
    otherMedia: ['text/event-stream'],
    summary: 'The routers between the agent and an address',
    query: Chosen,
    body: z.object({ devLastIP: TargetAddress }),
    response: z.object({ success: succeeded, output: z.string(), result: z.unknown().optional() }),
    errors: TOOL_ERRORS,
    example: {
      body: { devLastIP: '192.168.1.1' },
      response: {
        success: true,
        output:
          'traceroute to 192.168.1.1 (192.168.1.1), 20 hops max, 60 byte packets\n 1  192.168.1.1  0.3 ms  0.2 ms  0.2 ms\n',
      },
    },
  },
  speedtest: {
    method: 'GET',
    path: '/nettools/speedtest',
    scope: 'nettools:run',
    perSite: true,
    isCommand: true,
    otherMedia: ['text/event-stream'],
    summary: 'Latency, download and upload rate of the internet connection of the site',
    query: Chosen,
    response: z.object({ success: succeeded, output: Lines, result: z.unknown().optional() }),
    errors: TOOL_ERRORS,
    example: {
      response: {
        success: true,
        output: ['Ping: 12.34 ms', 'Download: 247.80 Mbit/s', 'Upload: 48.39 Mbit/s'],
      },
    },
  },
  nslookup: {
    method: 'POST',
    path: '/nettools/nslookup',
    scope: 'nettools:run',
    perSite: true,
    isCommand: true,
    otherMedia: ['text/event-stream'],
    summary: 'Resolve an address or a host name with the name server of the site',
    query: Chosen,
    body: z.object({ devLastIP: LookupTarget }),
    response: z.object({ success: succeeded, output: Lines, result: z.unknown().optional() }),
    errors: TOOL_ERRORS,
    example: {
      body: { devLastIP: '192.168.1.20' },
      response: {
        success: true,
        output: ['Server: 192.168.1.1', 'Address: 192.168.1.1#53', '', 'Name: nas.lan', 'Address: 192.168.1.20'],
      },
    },
  },
  nmap: {
    method: 'POST',
    path: '/nettools/nmap',
    scope: 'nettools:run',
    perSite: true,
    isCommand: true,
    otherMedia: ['text/event-stream'],
    summary: 'Scan the ports of one address or of a range',
    query: Chosen,
    body: z.object({ scan: TargetRange, mode: NmapMode }),
    response: z.object({
      success: succeeded,
      mode: NmapMode,
      ip: z.string().meta({ description: 'The scan target as it was sent.' }),
      output: Lines,
      result: z.unknown().optional(),
    }),
    errors: [...TOOL_ERRORS, 'target_not_allowed'],
    example: {
      body: { scan: '192.168.1.20', mode: 'fast' },
      response: { success: true, mode: 'fast', ip: '192.168.1.20', output: ['22/tcp open  ssh'] },
    },
  },
  internetInfo: {
    method: 'GET',
    path: '/nettools/internetinfo',
    scope: 'nettools:run',
    perSite: true,
    isCommand: true,
    otherMedia: ['text/event-stream'],
    summary: 'Public address, city, country and organisation of the internet connection of the site',
    query: Chosen,
    response: z.object({ success: succeeded, output: z.string(), result: z.unknown().optional() }),
    errors: TOOL_ERRORS,
    example: { response: { success: true, output: '203.0.113.7 Reykjavik, IS Example Networks' } },
  },
  interfaces: {
    method: 'GET',
    path: '/nettools/interfaces',
    scope: 'nettools:run',
    perSite: true,
    isCommand: true,
    otherMedia: ['text/event-stream'],
    summary: 'The network interfaces of the host on which the agent runs',
    query: Chosen,
    response: z.object({ success: succeeded, interfaces: z.record(z.string(), InterfaceRecord) }),
    errors: TOOL_ERRORS,
    example: {
      response: {
        success: true,
        interfaces: {
          eth0: {
            name: 'eth0',
            short: 'eth0',
            type: 'ethernet',
            state: 'up',
            mtu: 1500,
            mac: '00:1E:06:AA:BB:02',
            ipv4: ['192.168.1.2/24'],
            ipv6: ['fe80::21e:6ff:feaa:bb02/64'],
            rx_bytes: 1024,
            tx_bytes: 2048,
          },
        },
      },
    },
  },
} as const satisfies Operations;
