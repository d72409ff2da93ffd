/**
 * Finds by itself where devices hang: once an hour it asks devices by SNMP, where the operator of this host has given
 * credentials, and the lldpd of this host, where there is one.
 */
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { formatIp, parseIp } from '../../shared/network.ts';
import type { Observer } from '../discovery/cycle.ts';
import type { ScanContext } from '../discovery/evidence.ts';
import type { KnownDevices } from '../discovery/known-devices.ts';
import type { Heard } from '../discovery/observations.ts';
import { isIn, type WatchedNetwork } from '../discovery/watched-networks.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { outputOf } from '../tools/exit.ts';
import { placesOf, type Switch } from './bridge-tables.ts';
import { heardBy, parseLldpcli } from './lldp.ts';
import type { SnmpClient } from './snmp-client.ts';
import { readSnmpFile, type SnmpCredentials } from './snmp-file.ts';
import { switchOf, TABLES, type Tables, textOf } from './switch-tables.ts';

interface TopologyOptions {
  /** File with the credentials, if there is one. */
  snmpFile: string;
  log: Pick<Logger, 'error'>;
  /** At which devices answer; another one in tests. */
  port?: number;
}

const EVERY_MS = 60 * 60_000;
/** Who has not answered has most likely no SNMP. */
const SILENT_FOR_MS = 24 * EVERY_MS;
const ROUND_WITHIN_MS = 10 * 60_000;
/** Devices that are asked who they are at once. */
const AT_ONCE = 32;
/** Devices whose tables are read at once: each may have a megabyte of them. */
const TABLES_AT_ONCE = 2;
const DEVICE_WITHIN_MS = 30_000;
const MOST_SWITCHES = 64;
/** sysDescr, sysObjectID and sysName. */
const IDENTITY = ['1.3.6.1.2.1.1.1.0', '1.3.6.1.2.1.1.2.0', '1.3.6.1.2.1.1.5.0'];

/** A device that may be asked. */
interface Asked {
  mac: string;
  ip: string;
  network: string;
  credentials: SnmpCredentials;
}

/** What questions of a round have in common. */
interface Round extends ScanContext {
  known: KnownDevices;
  networks: readonly WatchedNetwork[];
  now(): number;
}

export class Topology implements Observer {
  readonly #options: TopologyOptions;
  #askedAt: number | null = null;
  /** When those who have not answered were asked, by MAC. */
  #silent = new Map<string, number>();
  /** The round that runs, which may outlast the cycle that has begun it. */
  #round: Promise<void> | null = null;

  constructor(options: TopologyOptions) {
    this.#options = options;
  }

  /** Never fails. Resolves when the round that is due has ended, also when an earlier call has begun it. */
  async look(
    context: ScanContext,
    known: KnownDevices,
    networks: readonly WatchedNetwork[],
    now: () => number,
  ): Promise<void> {
    const at = now();
    const isDue = this.#askedAt === null || at - this.#askedAt >= EVERY_MS || at < this.#askedAt;
    if (this.#round === null && isDue && !context.signal.aborted) {
      this.#askedAt = at;
      // Of its own, so that the signals of all its questions are not kept for as long as that of the context.
      const over = new AbortController();
      const end = () => over.abort();
      context.signal.addEventListener('abort', end, { once: true });
      const timer = setTimeout(end, ROUND_WITHIN_MS);
      const round = { run: context.run, signal: over.signal, known, networks, now };
      this.#round = Promise.all([this.#askDevices(round), askLldpd(round)])
        .then(
          () => {},
          (error: unknown) => this.#options.log.error({ err: error }, 'cannot find out where devices hang'),
        )
        .finally(() => {
          clearTimeout(timer);
          context.signal.removeEventListener('abort', end);
          this.#round = null;
          if (context.signal.aborted) this.#askedAt = null;
        });
    }
    await this.#round;
  }

  async #askDevices(round: Round): Promise<void> {
    const { known, signal, now } = round;
    const all = await this.#credentials();
    if (all.length === 0) return;
    const due = this.#due(round, all);
    // Only who may be asked again is kept, and not who has left the LAN.
    const silent = new Map([...this.#silent].filter(([mac]) => known.get(mac) !== undefined));
    this.#silent = silent;
    const { SnmpClient } = await import('./snmp-client.ts');
    // In the meantime this host may have come to another network.
    const mayAsk = ({ network }: Asked) => !signal.aborted && !known.isStrange(network);
    const withClient = async <T>(asked: Asked, retries: number, ask: (client: SnmpClient) => Promise<T>) => {
      if (!mayAsk(asked)) return null;
      const within = AbortSignal.any([signal, AbortSignal.timeout(DEVICE_WITHIN_MS)]);
      const client = new SnmpClient(asked.ip, asked.credentials, within, { port: this.#options.port, retries });
      try {
        return await ask(client);
      } finally {
        client.close();
      }
    };
    const answered: Asked[] = [];
    const limit = pLimit(AT_ONCE);
    const askIdentity = async (asked: Asked) => {
      const answer = await withClient(asked, 0, (client) => client.get(IDENTITY));
      if (!mayAsk(asked)) return;
      if (answer === null) silent.set(asked.mac, now());
      else {
        silent.delete(asked.mac);
        answered.push(asked);
        const [description, object, name] = answer;
        const heard = [
          { source: 'snmp-description' as const, value: textOf(description) },
          { source: 'snmp-object' as const, value: typeof object === 'string' ? object : null },
          { source: 'snmp-name' as const, value: textOf(name) },
        ];
        const said = heard.flatMap(({ source, value }): Heard[] => (value === null ? [] : [{ source, value }]));
        known.recordHeard(asked.mac, said, now());
      }
    };
    await Promise.all(due.map((asked) => limit(() => askIdentity(asked))));

    const switches: Switch[] = [];
    const limitTables = pLimit(TABLES_AT_ONCE);
    const askTables = async (asked: Asked) => {
      if (switches.length >= MOST_SWITCHES) return;
      const tables = await withClient(asked, 1, readTables);
      if (tables === null || signal.aborted) return;
      const { said, neighbours } = switchOf(asked.mac, tables, (mac) => known.get(mac) !== undefined);
      switches.push(said);
      for (const { mac, ...neighbour } of neighbours) {
        if (mac !== null) known.recordHeard(mac, heardBy(neighbour), now());
      }
    };
    await Promise.all(answered.map((asked) => limitTables(() => askTables(asked))));
    // Without the tables of all switches, ports that lead to others would be taken for those of devices.
    if (signal.aborted) return;
    for (const [mac, { parent, port, by }] of placesOf(switches)) {
      known.recordHeard(mac, [{ source: `parent-${by}`, value: `${parent} ${port}`.trim() }], now());
    }
  }

  async #credentials(): Promise<SnmpCredentials[]> {
    try {
      return (await readSnmpFile(this.#options.snmpFile)) ?? [];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.log.error({ reason }, 'nobody is asked by SNMP');
      return [];
    }
  }

  /** Who is online in a network of this round, and has an address for which there are credentials. */
  #due({ known, networks, now }: Round, all: readonly SnmpCredentials[]): Asked[] {
    const at = now();
    return known.all().flatMap(({ mac, ip, network, presence }) => {
      const isHere = networks.some(({ cidr, range }) => cidr === network && isIn(ip, range));
      const credentials = all.find((each) => each.networks.some((range) => isIn(ip, range)));
      const silentAt = this.#silent.get(mac);
      const isSilent = silentAt !== undefined && at >= silentAt && at - silentAt < SILENT_FOR_MS;
      if (ip === null || !isHere || credentials === undefined || !presence.online || isSilent) return [];
      return [{ mac, ip, network, credentials }];
    });
  }
}

/** Null where the device is no switch, or tells nothing of it. */
async function readTables(client: SnmpClient): Promise<Tables | null> {
  const bridgePorts = await client.walk(TABLES.bridgePorts);
  const neighbours = await client.walk(TABLES.neighbours);
  if (bridgePorts.length === 0 && neighbours.length === 0) return null;
  const tables: Tables = { bridgePorts, neighbours };
  for (const table of OTHER_TABLES) tables[table] = await client.walk(TABLES[table]);
  return tables;
}

const OTHER_TABLES = [
  'ifNames',
  'ifDescriptions',
  'ifMacs',
  'lldpPorts',
  'learned',
  'learnedHow',
  'learnedInVlans',
  'learnedInVlansHow',
] as const;

const LLDPCLI = { timeoutMs: 5_000, maxBytes: 1_000_000 };

/** Where no lldpd runs, or this process may not ask it, nothing is heard. */
async function askLldpd({ run, signal, known, networks, now }: Round): Promise<void> {
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
    known.recordHeard(parent, heardBy(peer), now());
    const value = `${parent} ${peer.port ?? ''}`.trim();
    known.recordHeard(own.mac, [{ source: 'parent-lldp', value }], now());
  }
}
