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
  at: z.iso
    .datetime()
    .meta({ description: 'When the information service answered (RFC 3339, UTC); up to a minute ago' }),
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

/**
 * The data of a tool's result without what its schema does not know, or null, which stands for no data.
 * @throws {TypeError} that names the first field that is wrong
 */
export function parseToolData(tool: Tool, data: unknown): ToolData<Tool> | null {
  return data === null ? null : (parseUpToFirstError(TOOL_RESULTS[tool], data, 'data') as ToolData<Tool>);
}

/**
 * What `schema.parse` gives, for the kinds of schemas that occur above, but it ends with the first error. zod itself
 * collects all of them: for a list of 700,000 empty objects, which an agent can send in 2 KB of gzip, that takes 17 seconds
 * and more memory than a function has.
 */
function parseUpToFirstError(schema: z.core.$ZodType, value: unknown, path: string): unknown {
  if (schema instanceof z.ZodNullable) return value === null ? null : parseUpToFirstError(schema.unwrap(), value, path);
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item, i) => parseUpToFirstError(schema.element, item, `${path}.${i}`));
  }
  if (schema instanceof z.ZodObject && isObject(value)) {
    const fields = Object.entries(schema.shape as z.core.$ZodShape);
    return Object.fromEntries(
      fields.map(([name, field]) => [name, parseUpToFirstError(field, value[name], `${path}.${name}`)]),
    );
  }
  if (schema instanceof z.ZodRecord && isObject(value)) {
    const entries = Object.entries(value).filter(([name]) => name !== '__proto__'); // As zod does.
    return Object.fromEntries(
      entries.map(([name, item]) => [name, parseUpToFirstError(schema.valueType, item, `${path}.${name}`)]),
    );
  }
  const parsed = z.safeParse(schema, value); // A single value, or of another type than the schema wants: one error.
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new TypeError(`${path}: ${issue?.message.replace(/^Invalid input: /, '')}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
