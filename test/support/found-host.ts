import type { ToolResult } from '../../shared/tools/list.ts';

type Host = ToolResult<'nmap'>['hosts'][number];

/** What nmap finds; what a test does not name is as most hosts have it. */
export const openPort = (port: number, service = 'x', product: string | null = null, version: string | null = null) => {
  return { port, protocol: 'tcp', state: 'open', service, product, version };
};

export function foundHost(
  address: string,
  mac: string | null,
  ports: Host['ports'] = [],
  vendor: string | null = null,
): Host {
  return { address, mac, vendor, names: [], state: 'up', timedOut: false, os: null, ports };
}

/** The result of a scan that looked for so many hosts: by default those that it found. */
export function nmapResult(hosts: Host[], triedTcpPorts: string | null = '1-1000', hostsTotal = hosts.length) {
  return { hosts, hostsUp: hosts.length, hostsTotal, triedTcpPorts };
}
