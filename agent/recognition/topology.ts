/**
 * Locates devices at the ports of switches: once an hour it queries devices by SNMP, where the operator of this host has
 * configured credentials, and the lldpd of this host, if it runs one.
 */
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { formatIp, parseIp } from '../../shared/network.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import type { Observer, ObserverContext } from '../discovery/cycle.ts';
import { isDue } from '../discovery/evidence.ts';
import { announced } from '../discovery/observations.ts';
import { isIn } from '../discovery/watched-networks.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { outputOf } from '../tools/exit.ts';
import { placesOf, type Switch } from './bridge-tables.ts';
import { observationsOf, parseLldpcli } from './lldp.ts';
import type { SnmpClient } from './snmp-client.ts';
import { readSnmpFile, type SnmpCredentials } from './snmp-file.ts';
import { switchOf, TABLES, type Tables, textOf } from './switch-tables.ts';

interface TopologyOptions {
  /** File with the credentials, if there is one. */
  snmpFile: string;
  log: Pick<Logger, 'error'>;
  /** Another than 161 in tests. */
  port?: number;
}

/** Devices whose identity it queries at once. */
const CONCURRENT_DEVICES = 32;
/** Devices whose tables it reads at once: each may have a megabyte of them. */
const CONCURRENT_TABLES = 2;
const DEVICE_TIMEOUT_MS = 30_000;
const MAX_SWITCHES = 64;
/** sysDescr, sysObjectID and sysName. */
const IDENTITY = ['1.3.6.1.2.1.1.1.0', '1.3.6.1.2.1.1.2.0', '1.3.6.1.2.1.1.5.0'];

/** A device with credentials. */
interface Target {
  mac: string;
  ip: string;
  network: string;
  credentials: SnmpCredentials;
}

export class Topology implements Observer {
  readonly #options: TopologyOptions;
  #startedAt: number | null = null;
  /** When the devices that did not respond were queried, by MAC. */
  #silent = new Map<string, number>();
  /** The round in progress, which may outlast the cycle that began it. */
  #round: Promise<void> | null = null;

  constructor(options: TopologyOptions) {
    this.#options = options;
  }

  /** Never fails. Resolves when the round that is due has ended, also one that an earlier call began. */
  async observe(context: ObserverContext): Promise<void> {
    const at = context.now();
    if (this.#round === null && isDue(this.#startedAt, HOUR_MS, at) && !context.signal.aborted) {
      this.#startedAt = at;
      // An own controller: a longer-lived signal would keep the derived signals of all queries.
      const over = new AbortController();
      const end = () => over.abort();
      context.signal.addEventListener('abort', end, { once: true });
      const timer = setTimeout(end, 10 * MINUTE_MS); // The deadline of a round.
      const round = { ...context, signal: over.signal };
      this.#round = Promise.all([this.#queryDevices(round), queryLldpd(round)])
        .then(
          () => {},
          (error: unknown) => this.#options.log.error({ err: error }, 'cannot locate devices at switches'),
        )
        .finally(() => {
          clearTimeout(timer);
          context.signal.removeEventListener('abort', end);
          this.#round = null;
          if (context.signal.aborted) this.#startedAt = null;
        });
    }
    await this.#round;
  }

  async #queryDevices(round: ObserverContext): Promise<void> {
    const { known, signal, now } = round;
    const all = await this.#credentials();
    if (all.length === 0) return;
    const due = this.#due(round, all);
    // Drop devices that have left the LAN.
    const silent = new Map([...this.#silent].filter(([mac]) => known.get(mac) !== undefined));
    this.#silent = silent;
    const { SnmpClient } = await import('./snmp-client.ts');
    // Meanwhile this host may have moved to another network.
    const mayQuery = ({ network }: Target) => !signal.aborted && !known.isForeign(network);
    const withClient = async <T>(target: Target, retries: number, query: (client: SnmpClient) => Promise<T>) => {
      if (!mayQuery(target)) return null;
      const within = AbortSignal.any([signal, AbortSignal.timeout(DEVICE_TIMEOUT_MS)]);
      const client = new SnmpClient(target.ip, target.credentials, within, { port: this.#options.port, retries });
      try {
        return await query(client);
      } finally {
        client.close();
      }
    };
    const responding: Target[] = [];
    const limit = pLimit(CONCURRENT_DEVICES);
    const queryIdentity = async (target: Target) => {
      const identity = await withClient(target, 0, (client) => client.get(IDENTITY));
      if (!mayQuery(target)) return;
      if (identity === null) silent.set(target.mac, now());
      else {
        silent.delete(target.mac);
        responding.push(target);
        const [description, object, name] = identity;
        const heard = announced({
          'snmp-description': textOf(description),
          'snmp-object': typeof object === 'string' ? object : null,
          'snmp-name': textOf(name),
        });
        known.recordObservations(target.mac, heard, now());
      }
    };
    await Promise.all(due.map((target) => limit(() => queryIdentity(target))));

    const switches: Switch[] = [];
    const limitTables = pLimit(CONCURRENT_TABLES);
    const queryTables = async (target: Target) => {
      if (switches.length >= MAX_SWITCHES) return;
      const tables = await withClient(target, 1, readTables);
      if (tables === null || signal.aborted) return;
      const { tables: switchTables, neighbours } = switchOf(target.mac, tables, (mac) => known.get(mac) !== undefined);
      switches.push(switchTables);
      for (const { mac, ...neighbour } of neighbours) {
        if (mac !== null) known.recordObservations(mac, observationsOf(neighbour), now());
      }
    };
    await Promise.all(responding.map((target) => limitTables(() => queryTables(target))));
    // Without the tables of all switches, their uplinks would be taken for ports of devices.
    if (signal.aborted) return;
    for (const [mac, { parent, port, by }] of placesOf(switches)) {
      known.recordObservations(mac, [{ source: `parent-${by}`, value: `${parent} ${port}`.trim() }], now());
    }
  }

  async #credentials(): Promise<SnmpCredentials[]> {
    try {
      return (await readSnmpFile(this.#options.snmpFile)) ?? [];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.log.error({ reason }, 'SNMP is off: cannot read the credentials');
      return [];
    }
  }

  /** The devices online in a network of this round for whose address there are credentials. */
  #due({ known, networks, now }: ObserverContext, all: readonly SnmpCredentials[]): Target[] {
    const at = now();
    return known.all().flatMap(({ mac, ip, network, presence }) => {
      const isHere = networks.some(({ cidr, range }) => cidr === network && isIn(ip, range));
      const credentials = all.find((each) => each.networks.some((range) => isIn(ip, range)));
      // A device that did not respond has most likely no SNMP.
      const isSilent = !isDue(this.#silent.get(mac), DAY_MS, at);
      if (ip === null || !isHere || credentials === undefined || !presence.online || isSilent) return [];
      return [{ mac, ip, network, credentials }];
    });
  }
}

/** Null where the device is no switch, or does not expose its tables. */
async function readTables(client: SnmpClient): Promise<Tables | null> {
  const bridgePorts = await client.walk(TABLES.bridgePorts);
  const neighbours = await client.walk(TABLES.neighbours);
  if (bridgePorts.length === 0 && neighbours.length === 0) return null;
  const tables: Tables = { bridgePorts, neighbours };
  for (const table of Object.keys(TABLES) as (keyof Tables)[]) tables[table] ??= await client.walk(TABLES[table]);
  return tables;
}

const LLDPCLI = { timeoutMs: 5_000, maxBytes: 1_000_000 };

/** Records nothing where no lldpd runs, or this process may not query it. */
async function queryLldpd({ run, signal, known, networks, now }: ObserverContext): Promise<void> {
  let text: string;
  try {
    text = await outputOf(run, 'lldpcli', ['-f', 'json0', 'show', 'neighbors', 'details'], { ...LLDPCLI, signal });
  } catch (error) {
    if (error instanceof ToolFailure) return;
    throw error;
  }
  if (signal.aborted) return;
  for (const peer of parseLldpcli(text)) {
    const own = networks.find((network) => network.interface === peer.interface);
    const ips = peer.ips.flatMap((ip) => parseIp(ip) ?? []).map(formatIp);
    const atAddress = known.all().find(({ addresses }) => addresses.some(({ ip }) => ips.includes(ip)))?.mac;
    const parent = peer.macs.find((mac) => known.get(mac) !== undefined) ?? atAddress;
    if (own === undefined || parent === undefined) continue;
    known.recordObservations(parent, observationsOf(peer), now());
    const value = `${parent} ${peer.port ?? ''}`.trim();
    known.recordObservations(own.mac, [{ source: 'parent-lldp', value }], now());
  }
}
