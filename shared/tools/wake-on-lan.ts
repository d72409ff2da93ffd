import * as z from 'zod';
import { formatIp, parseIp, WakeableMac } from '../network.ts';
import { defineTool } from './tool.ts';

/** How long the agent watches for a device after the first packet. A server needs most of it to bring up its network. */
export const WATCH_MS = 120_000;
/** Time before the first packet (is the device already awake?), for sending, and for stopping programs at the end. */
const AROUND_THE_WATCH_MS = 30_000;

/** The last IPv4 address of the device, at which the agent looks for it first. */
const LastIp = z.string().max(15).refine(isIpv4, { error: 'expected an IPv4 address' });

/** The proof that the device is awake. */
const Verified = z
  .object({
    awake: z.literal(true),
    already: z.boolean().describe('Whether it answered before the first packet was sent.'),
    afterMs: z.int().min(0).describe('Time from the first packet to its answer; 0 if it was already awake.'),
    ip: z.string().describe('The address at which it answered.'),
  })
  .describe('Only with `verify: true`.');
export type Verified = z.infer<typeof Verified>;

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
  verified: Verified.optional(),
});

export const wakeOnLan = defineTool({
  name: 'wakeonlan',
  summary:
    'Send Wake-on-LAN packets out of every interface of the agent; with `verify`, a success means that the device was seen awake',
  arguments: {
    mac: { schema: WakeableMac, field: 'devMac' },
    verify: { schema: z.literal(true).optional(), field: 'verify' },
    ip: { schema: LastIp.optional(), field: 'devLastIP' },
  },
  result: WakeOnLanResult,
  answer: {
    message: z.string(),
    output: z
      .string()
      .describe('Every packet sent: interface, destination address and port; with `verify`, the proof.'),
    result: WakeOnLanResult.nullable(),
  },
  toAnswer({ output, result }, { verify }) {
    if (verify === undefined) return { message: 'WOL packet sent', output, result };
    // Without a proof, the response must not suggest one.
    if (result?.verified === undefined) return null;
    return { message: `WOL packet sent: ${describeProof(result.verified)}`, output, result };
  },
  summarise: ({ packets, verified }) => ({
    packets: packets.filter(({ error }) => error === null).length,
    ...(verified === undefined ? {} : { awakeAfterMs: verified.afterMs }),
  }),
  limits: { runMs: WATCH_MS + AROUND_THE_WATCH_MS, isLong: true, atOnce: 4 },
  limitsOf: ({ verify }) =>
    verify === undefined ? { runMs: 10_000, isLong: false } : { runMs: WATCH_MS + AROUND_THE_WATCH_MS, isLong: true },
  programs: {},
  mcp: {
    name: 'wol_wake_device',
    title: 'Wake a device',
    description:
      'Sends Wake-on-LAN packets to one device from inside its LAN. Name it by exactly one of devMac, devName and devLastIP. ' +
      'That packets left does not mean that it woke up: with verify true, the call succeeds only if the device was seen awake, ' +
      'which takes up to two minutes. search_devices finds the MAC address.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    arguments: { devLastIP: {}, ip: { field: 'devLastIP' } },
  },
  example: {
    request: { devMac: '00:1E:06:AA:BB:01' },
    output: 'Sent magic packet to 00:1E:06:AA:BB:01 via eth0 192.168.1.255:9\n',
    result: {
      mac: '00:1E:06:AA:BB:01',
      packets: [{ interface: 'eth0', address: '192.168.1.255', port: 9, error: null }],
    },
  },
});

/** Such as `awake after 14 s: 192.168.1.20 answered`. */
export function describeProof({ already, afterMs, ip }: Verified): string {
  if (already) return `was already awake: ${ip} answered before the packet was sent`;
  return `awake after ${Math.round(afterMs / 1000)} s: ${ip} answered`;
}

/** Whether the text is an IPv4 address in the usual form. */
export function isIpv4(text: string): boolean {
  const ip = parseIp(text);
  return ip?.family === 4 && formatIp(ip) === text;
}
