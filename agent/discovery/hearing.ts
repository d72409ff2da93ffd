/**
 * Listens for signs of devices between two scans: new and returning devices are reported within a second. It is part of
 * discovery itself, also where devices are not queried about what they are: it sends nothing, and serves presence.
 */
import { createSocket } from 'node:dgram';
import type { Logger } from 'pino';
import { systemFile } from '../host/platform.ts';
import type { RunProcess } from '../host/run-process.ts';
import type { Sign } from './broadcast.ts';
import type { KnownDevices } from './known-devices.ts';
import { Listener } from './listener.ts';
import { formersOf, probeDevices } from './silence.ts';
import type { Link, WatchedNetwork } from './watched-networks.ts';

/** The groups of all routers, MLDv2-capable routers, mDNS, and DHCPv6 servers and relays. */
const IPV6_GROUPS = ['ff02::2', 'ff02::16', 'ff02::fb', 'ff02::1:2'];
/** After an arrival, so that the device has its address and its services are up. */
const SCAN_AFTER_MS = 5_000;
/** So many intervals after the last scan signs no longer count: scans fail, or the host was asleep. */
const MAX_INTERVALS = 2;

interface HearingOptions {
  known: KnownDevices;
  run: RunProcess;
  log: Pick<Logger, 'warn' | 'info'>;
  /** Called when there may be changes to report. */
  onChanges(): void;
  /** Called to bring the next scan forward, at most once per scan interval. */
  scanSoon(): void;
}

/** The parameters of a scan. */
interface ScanFrame {
  networks: readonly WatchedNetwork[];
  links: readonly Link[];
  rawSockets: boolean;
  intervalMs: number;
  /** Whether to record what devices announce of themselves. */
  observes: boolean;
}

export class Hearing {
  readonly #options: HearingOptions;
  readonly #listener: Listener;
  #frame: ScanFrame | null = null;
  #scannedAt = 0;
  /** By interface. A re-plugged cable, or another radio network, since the last scan means another link. */
  #linkStates = new Map<string, string>();
  #hurriedAt = Number.NEGATIVE_INFINITY;
  /** Probes the devices that a new one may have been so far. Their silence is reported with the new one. */
  #probing: Promise<unknown> | null = null;
  #stopped = new AbortController();
  #reportTimer: NodeJS.Timeout | undefined;
  #scanTimer: NodeJS.Timeout | undefined;

  constructor(options: HearingOptions) {
    this.#options = options;
    const { run, log } = options;
    this.#listener = new Listener({ run, log, join: joinGroups, onSign: (sign, network) => this.#take(sign, network) });
  }

  /** Null before the first scan. */
  get frame(): ScanFrame | null {
    return this.#frame;
  }

  /** A scan of these networks begins. Signs count from its end on, where it is valid. */
  scanning(frame: ScanFrame): void {
    this.#frame = frame;
    this.#scannedAt = Date.now();
    this.#linkStates = new Map(frame.networks.map((network) => [network.interface, linkState(network.interface)]));
    this.#listener.listen(frame.rawSockets ? frame.networks : [], frame.links);
  }

  /** Pauses until the next scan. */
  async stop(): Promise<void> {
    this.#frame = null;
    this.#stopped.abort();
    this.#stopped = new AbortController();
    clearTimeout(this.#reportTimer);
    clearTimeout(this.#scanTimer);
    this.#reportTimer = this.#scanTimer = undefined;
    await this.#listener.stop();
  }

  #probeFormers(sign: Sign, frame: ScanFrame): void {
    const { known, run } = this.#options;
    const formers = this.#probing === null ? formersOf(known, sign) : [];
    if (formers.length === 0) return;
    const context = { known, run, signal: this.#stopped.signal, now: Date.now };
    this.#probing = probeDevices(context, frame, formers, 1).finally(() => {
      this.#probing = null;
    });
  }

  #take(sign: Sign, network: WatchedNetwork): void {
    const frame = this.#frame;
    if (frame === null) return;
    const at = Date.now();
    const isLate = Math.abs(at - this.#scannedAt) > MAX_INTERVALS * frame.intervalMs + SCAN_AFTER_MS;
    if (isLate || linkState(network.interface) !== this.#linkStates.get(network.interface)) return;
    const heard = frame.observes ? sign.heard : [];
    if (!this.#options.known.recordSign({ ...sign, heard }, network.cidr, at)) return;
    this.#probeFormers(sign, frame);
    const report = () => {
      this.#reportTimer = undefined;
      this.#options.onChanges();
    };
    // Together: after a power cut, hundreds return at once.
    this.#reportTimer ??= setTimeout(() => void Promise.resolve(this.#probing).then(report, report), 250);
    if (performance.now() - this.#hurriedAt < frame.intervalMs) return;
    this.#hurriedAt = performance.now();
    this.#scanTimer = setTimeout(() => this.#options.scanSoon(), SCAN_AFTER_MS).unref();
  }
}

/** Changes with each loss and return of the carrier; constant where the kernel does not count them. */
const linkState = (name: string) => systemFile(`/sys/class/net/${name}/carrier_changes`);

/**
 * Joins the groups on an interface, as far as possible. A card receives only the multicasts of groups that this host has joined,
 * and joining takes less than receiving everything (promiscuous mode). @returns leaves them
 */
function joinGroups(interfaceName: string): () => void {
  const socket = createSocket({ type: 'udp6', ipv6Only: true });
  // Without IPv6 there is nothing to receive.
  socket.on('error', () => {});
  for (const group of IPV6_GROUPS) {
    try {
      socket.addMembership(group, `::%${interfaceName}`);
    } catch {
      // The others are joined all the same.
    }
  }
  socket.unref();
  return () => socket.close();
}
