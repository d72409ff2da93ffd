import * as z from 'zod';
import { TargetAddress } from '../network.ts';
import { defineTool } from './tool.ts';

const TracerouteResult = z.object({
  target: z.string(),
  reached: z.boolean(),
  hops: z.array(
    z.object({
      hop: z.int(),
      /** One entry per probe. `address` and `rttMs` are null without an answer; `note` holds marks such as `!H`. */
      probes: z.array(
        z.object({ address: z.string().nullable(), rttMs: z.number().nullable(), note: z.string().nullable() }),
      ),
    }),
  ),
});

export const traceroute = defineTool({
  name: 'traceroute',
  summary: 'The routers between the agent and an address',
  arguments: { target: { schema: TargetAddress, field: 'devLastIP', cli: { argument: '<ip>' } } },
  result: TracerouteResult,
  answer: { output: z.string(), result: TracerouteResult.nullable() },
  toAnswer: ({ output, result }) => ({ output, result }),
  summarise({ hops, reached }) {
    const times = hops.flatMap(({ probes }) => {
      const known = probes.map(({ rttMs }) => rttMs).filter((rttMs) => rttMs !== null);
      return known.length === 0 ? [] : [Math.min(...known)];
    });
    const rttMs = times.at(-1);
    return { hops: hops.length, reached, ...(rttMs === undefined ? {} : { rttMs }) };
  },
  compare: ({ reached }) => [reached ? 'reached' : 'not reached'],
  limits: { runMs: 30_000, isLong: true, atOnce: 4 },
  programs: {
    traceroute: {
      package: 'traceroute',
      versionArgs: ['--version'],
      version: /version (\S+)|(BusyBox v\S+)|traceroute \(GNU inetutils\) (\S+)/,
    },
  },
  mcp: {
    name: 'run_traceroute',
    title: 'Trace the route',
    description:
      'The routers between the LAN and an IP address, with round-trip times, as seen from inside the LAN. ' +
      'Takes up to 30 seconds. For a host name, call dns_lookup first.',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    arguments: { target: { field: 'devLastIP' } },
  },
  example: {
    request: { devLastIP: '192.168.1.1' },
    output:
      'traceroute to 192.168.1.1 (192.168.1.1), 20 hops max, 60 byte packets\n 1  192.168.1.1  0.3 ms  0.2 ms  0.2 ms\n',
    result: {
      target: '192.168.1.1',
      reached: true,
      hops: [{ hop: 1, probes: [0.3, 0.2, 0.2].map((rttMs) => ({ address: '192.168.1.1', rttMs, note: null })) }],
    },
  },
});
