/** The parsed form of each tool's output: `data` of a result message, `result` in the API. */
import * as z from 'zod';
import type { Tool } from './messages.ts';

/** One network interface, as GET /nettools/interfaces answers it. */
export const InterfaceRecord = z
  .object({
    name: z.string(),
    short: z.string(),
    type: z.string().meta({ description: 'ethernet, loopback, point2point or other' }),
    state: z.enum(['up', 'down']),
    mtu: z.int(),
    mac: z.string().nullable(),
    ipv4: z.array(z.string()).meta({ description: '`<address>/<prefix>`' }),
    ipv6: z.array(z.string()).meta({ description: '`<address>/<prefix>`' }),
    rx_bytes: z.int(),
    tx_bytes: z.int(),
  })
  .meta({ id: 'NetworkInterface' });
export type InterfaceRecord = z.infer<typeof InterfaceRecord>;

export const WakeOnLanResult = z.object({
  mac: z.string(),
  packets: z.array(
    z.object({
      interface: z.string(),
      address: z.string(),
      port: z.int(),
      /** Why this one could not be sent; null when it left. */
      error: z.string().nullable(),
    }),
  ),
});

export const TracerouteResult = z.object({
  target: z.string(),
  reached: z.boolean(),
  hops: z.array(
    z.object({
      hop: z.int(),
      /** One entry a probe. `address` and `rttMs` are null when no answer came; `note` holds marks such as `!H`. */
      probes: z.array(
        z.object({ address: z.string().nullable(), rttMs: z.number().nullable(), note: z.string().nullable() }),
      ),
    }),
  ),
});

export const SpeedtestResult = z.object({
  server: z.string(),
  pingMs: z.number(),
  downloadMbps: z.number(),
  uploadMbps: z.number(),
});

export const NslookupResult = z.object({
  /** The name server that answered; null when the host itself did (search list, hosts file, `localhost`). */
  server: z.string().nullable(),
  name: z.string(),
  addresses: z.array(z.string()),
  names: z.array(z.string()),
});

export const NmapResult = z.object({
  hosts: z.array(
    z.object({
      address: z.string(),
      mac: z.string().nullable(),
      vendor: z.string().nullable(),
      names: z.array(z.string()),
      state: z.string(),
      /** Whether nmap gave the host up at its time limit; its ports are then missing. */
      timedOut: z.boolean(),
      os: z.string().nullable(),
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
});

export const InternetInfoResult = z.object({
  ip: z.string(),
  city: z.string(),
  country: z.string(),
  organisation: z.string(),
});

export const InterfacesResult = z.record(z.string(), InterfaceRecord);

export const TOOL_RESULTS = {
  wakeonlan: WakeOnLanResult,
  traceroute: TracerouteResult,
  speedtest: SpeedtestResult,
  nslookup: NslookupResult,
  nmap: NmapResult,
  internetinfo: InternetInfoResult,
  interfaces: InterfacesResult,
} satisfies Record<Tool, z.ZodType>;
export type ToolData<T extends Tool> = z.infer<(typeof TOOL_RESULTS)[T]>;
