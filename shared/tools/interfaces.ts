import * as z from 'zod';
import { defineTool } from './tool.ts';

/** One network interface, as GET /nettools/interfaces answers it. */
export const InterfaceRecord = z
  .object({
    name: z.string(),
    short: z.string(),
    type: z.string().describe('ethernet, loopback, point2point or other'),
    state: z.enum(['up', 'down']),
    mtu: z.int(),
    mac: z.string().nullable(),
    ipv4: z.array(z.string()).describe('`<address>/<prefix>`'),
    ipv6: z.array(z.string()).describe('`<address>/<prefix>`'),
    rx_bytes: z.int(),
    tx_bytes: z.int(),
  })
  .meta({ id: 'NetworkInterface' });
export type InterfaceRecord = z.infer<typeof InterfaceRecord>;

const InterfacesResult = z.record(z.string(), InterfaceRecord);

export const interfaces = defineTool({
  name: 'interfaces',
  summary: 'The network interfaces of the host on which the agent runs',
  arguments: {},
  result: InterfacesResult,
  answer: { interfaces: InterfacesResult },
  toAnswer: ({ result }) => (result === null ? null : { interfaces: result }),
  summarise: (result) => ({ interfaces: Object.keys(result).length }),
  limits: { runMs: 10_000, isLong: false, atOnce: 4 },
  programs: { ip: { package: 'iproute2', versionArgs: ['-V'], version: /iproute2-([^\s]+)|(BusyBox v\S+)/ } },
  mcp: {
    name: 'network_interfaces',
    title: 'Network interfaces of the agent',
    description:
      'The network interfaces of the host on which the agent of the site runs: addresses, state, and bytes sent and received. ' +
      'Tells which networks the agent can reach directly.',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  cli: {
    table: (answer) => [
      ['NAME', 'TYPE', 'STATE', 'MTU', 'MAC', 'ADDRESSES'],
      ...Object.values(answer.interfaces).map(({ name, type, state, mtu, mac, ipv4, ipv6 }) => {
        return [name, type, state, String(mtu), mac ?? '-', [...ipv4, ...ipv6].join(' ') || '-'];
      }),
    ],
  },
  example: {
    request: {},
    output: '[{"ifname":"eth0","mtu":1500}]\n',
    result: {
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
});
