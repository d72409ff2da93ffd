/** The network interfaces, by `ip`, or sysfs where `ip` prints no JSON (BusyBox); on macOS those that are up. */
import { readdir, readFile } from 'node:fs/promises';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import type { InterfaceRecord } from '../../shared/tools/interfaces.ts';
import { jsonItems, listOf } from '../host/json-items.ts';
import { PLATFORM } from '../host/platform.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { firstErrorLine, stoppedEarly } from './exit.ts';
import { type AgentTool, Switch, type ToolAnswer, type ToolContext } from './tool.ts';

const MAX_BYTES = 8_000_000; // Some 2.5 KB for an interface, and a container host has hundreds.

export const interfaces = {
  rules: Switch,
  run: (_command, context) => listInterfaces(context),
} satisfies AgentTool<'interfaces'>;

export async function listInterfaces(
  { run, signal, onOutput }: Pick<ToolContext, 'run' | 'signal' | 'onOutput'>,
  platform = PLATFORM,
  known = networkInterfaces(),
  fromSysfs: () => Promise<Record<string, InterfaceRecord> | null> = interfacesFromSysfs,
): Promise<ToolAnswer<Record<string, InterfaceRecord>>> {
  if (platform !== 'linux') {
    const result = interfacesFromNode(known);
    return { output: `${JSON.stringify(result)}\n`, truncated: false, result };
  }
  const finished = await run('ip', ['-json', '-statistics', 'addr'], {
    timeoutMs: 5_000,
    maxBytes: MAX_BYTES,
    signal,
    endsByItself: true,
    onLine: (line) => onOutput(`${line}\n`),
  });
  const stopped = stoppedEarly('ip', finished);
  if (stopped !== null) throw stopped;
  let failure: ToolFailure;
  try {
    if (finished.code === 0)
      return { output: finished.stdout, truncated: finished.truncated, result: parseInterfaces(finished.stdout) };
    failure = new ToolFailure('tool_failed', `ip failed: ${firstErrorLine('ip', finished)}`);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    failure = error;
  }
  const records = await fromSysfs();
  if (records === null) throw failure;
  return { output: `${JSON.stringify(records)}\n`, truncated: false, result: records };
}

/** Absent fields, and those of an unexpected type, have neutral values. */
const Text = z.string().catch('');
const Counter = z.looseObject({ bytes: z.number().min(0).catch(0) }).catch({ bytes: 0 });
const Statistics = z.looseObject({ rx: Counter, tx: Counter }).optional().catch(undefined);
const Link = z.looseObject({
  ifname: z.string().min(1),
  flags: listOf(z.string()),
  mtu: z.int().catch(0),
  operstate: z.string().catch('UNKNOWN'),
  link_type: Text,
  address: Text,
  addr_info: listOf(z.looseObject({ family: z.string(), local: z.string(), prefixlen: z.int() })),
  stats64: Statistics,
  stats: Statistics,
});

/**
 * Parses the output of `ip -json -statistics addr`. Skips invalid entries; some versions print empty ones.
 * @returns the interfaces by name
 * @throws {ToolFailure} `tool_failed` without any valid entry
 */
export function parseInterfaces(stdout: string): Record<string, InterfaceRecord> {
  const links = listOf(Link).parse(jsonItems(stdout));
  if (links.length === 0)
    throw new ToolFailure('tool_failed', 'The output of ip could not be parsed', { output: stdout });
  return byName(links.map(recordOf));
}

function recordOf(link: z.output<typeof Link>): InterfaceRecord {
  const statistics = link.stats64 ?? link.stats;
  const addresses = (family: string) =>
    link.addr_info.flatMap((info) => (info.family === family ? [`${info.local}/${info.prefixlen}`] : []));
  return {
    name: link.ifname,
    short: link.ifname,
    type: TYPES[link.link_type] ?? 'other',
    state: stateOf(link.flags.includes('UP'), link.operstate),
    mtu: link.mtu,
    mac: macOf(link.address, link.link_type),
    ipv4: addresses('inet'),
    ipv6: addresses('inet6'),
    rx_bytes: countOf(statistics?.rx.bytes),
    tx_bytes: countOf(statistics?.tx.bytes),
  };
}

const TYPES: Readonly<Record<string, string>> = {
  loopback: 'loopback',
  ether: 'ethernet',
  none: 'point2point',
  ppp: 'point2point',
};

/** Loopback and tunnels report the operational state "unknown" although they are up. */
function stateOf(administrativelyUp: boolean, operstate: string): 'up' | 'down' {
  const knownToBeDown = !['UP', 'UNKNOWN', 'DORMANT', 'TESTING'].includes(operstate.toUpperCase());
  return administrativelyUp && !knownToBeDown ? 'up' : 'down';
}

function macOf(address: string, linkType: string): string | null {
  const isMac = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i.test(address);
  return linkType === 'loopback' || !isMac || /^[0:]+$/.test(address) ? null : address.toUpperCase();
}

/** Counters have 64 bits; beyond 9 petabytes they are no exact integers. */
function countOf(bytes: number | undefined): number {
  return Math.min(Math.floor(bytes ?? 0), Number.MAX_SAFE_INTEGER);
}

function byName(records: InterfaceRecord[]): Record<string, InterfaceRecord> {
  return Object.fromEntries(records.map((record) => [record.name, record]));
}

/** IPv4 or IPv6 addresses with their prefix lengths, as Node.js lists them. */
function cidrsOf(addresses: readonly NetworkInterfaceInfo[], family: 'IPv4' | 'IPv6'): string[] {
  return addresses.flatMap((info) => (info.family === family && info.cidr !== null ? [info.cidr] : []));
}

const IFF_UP = 1;
/** ARPHRD_* of linux/if_arp.h, with the names of `ip`. */
const LINK_TYPES: Readonly<Record<string, string>> = { '1': 'ether', '512': 'ppp', '772': 'loopback', '65534': 'none' };

/** The same records without `ip`; null without /sys/class/net. Only interfaces that are up have addresses. */
export async function interfacesFromSysfs(
  folder = '/sys/class/net',
  addresses: NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces(),
): Promise<Record<string, InterfaceRecord> | null> {
  let entries: string[];
  try {
    entries = await readdir(folder);
  } catch {
    return null;
  }
  const records: InterfaceRecord[] = [];
  for (const name of entries) {
    const read = (file: string) => readFile(join(folder, name, file), 'utf8').then((text) => text.trim());
    try {
      const linkType = LINK_TYPES[await read('type')] ?? '';
      const own = addresses[name] ?? [];
      records.push({
        name,
        short: name,
        type: TYPES[linkType] ?? 'other',
        state: stateOf((Number(await read('flags')) & IFF_UP) !== 0, await read('operstate')),
        mtu: Number(await read('mtu')),
        mac: macOf(await read('address').catch(() => ''), linkType),
        ipv4: cidrsOf(own, 'IPv4'),
        ipv6: cidrsOf(own, 'IPv6'),
        rx_bytes: countOf(Number(await read('statistics/rx_bytes'))),
        tx_bytes: countOf(Number(await read('statistics/tx_bytes'))),
      });
    } catch {
      // No interface, such as the file bonding_masters, or one that was just removed.
    }
  }
  return byName(records);
}

/** The same records from Node.js, with 0 for the fields that it does not know. */
function interfacesFromNode(interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): Record<string, InterfaceRecord> {
  const records = Object.entries(interfaces).flatMap(([name, addresses = []]) => {
    const [first] = addresses;
    if (first === undefined) return [];
    const mac = macOf(first.mac, first.internal ? 'loopback' : 'ether');
    return {
      name,
      short: name,
      type: first.internal ? 'loopback' : mac === null ? 'point2point' : 'ethernet',
      state: 'up' as const,
      mtu: 0,
      mac,
      ipv4: cidrsOf(addresses, 'IPv4'),
      ipv6: cidrsOf(addresses, 'IPv6'),
      rx_bytes: 0,
      tx_bytes: 0,
    };
  });
  return byName(records);
}
