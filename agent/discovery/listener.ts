/**
 * Listens for the broadcasts and multicasts by which devices show that they are online, on the links of the watched networks.
 * Node.js has no packet sockets, so one tcpdump per watched link captures them. It sends nothing. Where tcpdump is missing or
 * may not capture, scans still find all devices, some time later.
 */
import type { Logger } from 'pino';
import { formatRange } from '../../shared/network.ts';
import { SECOND_MS } from '../../shared/time.ts';
import type { RunProcess } from '../host/run-process.ts';
import { BackOff } from '../link/back-off.ts';
import { firstErrorLine } from '../tools/exit.ts';
import { type Sign, signIn } from './broadcast.ts';
import { multimap, pause } from './evidence.ts';
import { PcapReader } from './pcap.ts';
import { isIn, type Link, type WatchedNetwork } from './watched-networks.ts';

/** The longest DHCP request that it reads as a whole. */
const FRAME_BYTES = 600;
/** The kernel's buffer for frames, in KiB. It drops what does not fit. */
const KERNEL_BUFFER = 256;
const MAX_STDERR_BYTES = 4_000;
/** Of one link. A thousand hosts that power on together send fewer; the rest waits in the kernel, or is dropped there. */
const MAX_FRAMES_PER_SECOND = 1_000;
/** Of one device, whose further signs add nothing. */
const MAX_SIGNS_PER_SECOND = 5;

interface ListenerOptions {
  run: RunProcess;
  /** Called with each sign of a device in a watched network, within the rate limit. */
  onSign(sign: Sign, network: WatchedNetwork): void;
  /** Joins the groups on an interface, so that its card receives their multicasts. @returns leaves them */
  join?(interfaceName: string): () => void;
  log: Pick<Logger, 'warn' | 'info'>;
}

interface Watched {
  networks: readonly WatchedNetwork[];
  /** The network of devices with an unknown address; null where only a part of the link's network is watched. */
  whole: WatchedNetwork | null;
  ended: AbortController;
}

export class Listener {
  readonly #options: ListenerOptions;
  /** By interface and its MAC. */
  readonly #links = new Map<string, Watched>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Listens on the links of these networks and on no others. */
  listen(networks: readonly WatchedNetwork[], links: readonly Link[]): void {
    const byLink = multimap(networks.map((network) => [`${network.interface} ${network.mac}`, network]));
    for (const [key, { ended }] of this.#links) {
      if (byLink.has(key)) continue;
      ended.abort();
      this.#links.delete(key);
    }
    const attached = new Set(links.map((link) => `${link.interface} ${formatRange(link.network)}`));
    for (const [key, all] of byLink) {
      const of = [...all];
      const whole = of.find((network) => attached.has(`${network.interface} ${network.cidr}`)) ?? null;
      const former = this.#links.get(key);
      if (former !== undefined) Object.assign(former, { networks: of, whole });
      else {
        const watched = { networks: of, whole, ended: new AbortController() };
        this.#links.set(key, watched);
        const running = this.#keepListening(watched).finally(() => this.#running.delete(running));
        this.#running.add(running);
      }
    }
  }

  /** Ends the programs. */
  async stop(): Promise<void> {
    this.listen([], []);
    await Promise.all(this.#running);
  }

  async #keepListening(watched: Watched): Promise<void> {
    const { signal } = watched.ended;
    const backOff = new BackOff();
    const [{ interface: name } = { interface: '' }] = watched.networks;
    let hasFailed = false;
    while (!signal.aborted) {
      const startedAt = performance.now();
      const onFirst = () => {
        if (hasFailed) this.#options.log.info({ interface: name }, 'listening for broadcasts of the LAN again');
        hasFailed = false;
      };
      const problem = await this.#listen(watched, onFirst).catch((error: unknown) =>
        error instanceof Error ? error.message : String(error),
      );
      if (signal.aborted) return;
      const effect = 'cannot listen for broadcasts of the LAN; only scans find devices';
      if (!hasFailed) this.#options.log.warn({ interface: name, problem }, effect);
      hasFailed = true;
      backOff.linkEnded(performance.now() - startedAt);
      await pause(backOff.nextDelayMs(), signal);
    }
  }

  /** @param onFirst called with the first frames @returns why it has ended */
  async #listen(watched: Watched, onFirst: () => void): Promise<string> {
    const [network] = watched.networks;
    if (network === undefined) return 'nothing is watched';
    const reader = new PcapReader();
    const limits = new Limits();
    // Ends tcpdump when its output cannot be parsed.
    const ended = new AbortController();
    let fault: string | null = null;
    const signal = AbortSignal.any([watched.ended.signal, ended.signal]);
    const onData = (chunk: Buffer) => {
      if (fault !== null || signal.aborted) return;
      try {
        for (const frame of reader.push(chunk)) {
          onFirst();
          this.#take(frame, watched, limits);
        }
      } catch (error) {
        fault = error instanceof Error ? error.message : String(error);
        ended.abort();
      }
      return limits.pause();
    };
    const leave = this.#options.join?.(network.interface);
    const limit = { timeoutMs: null, maxBytes: MAX_STDERR_BYTES };
    const finished = await this.#options
      .run('tcpdump', argumentsFor(network), { ...limit, signal, onData })
      .finally(() => leave?.());
    // What tcpdump prints on success as well is no error.
    const stderr = finished.stderr.replace(/^(dropped privs|tcpdump: listening on|\d+ packets? ).*$/gm, '');
    return fault ?? firstErrorLine('tcpdump', { ...finished, stderr });
  }

  #take(frame: Buffer, { networks, whole }: Watched, limits: Limits): void {
    if (!limits.counts(frame)) return;
    const sign = signIn(frame);
    if (sign === null || networks.some(({ mac }) => mac === sign.mac)) return;
    const ip = sign.ip ?? sign.wanted;
    const network = ip === null || ip.includes(':') ? whole : networks.find(({ range }) => isIn(ip, range));
    if (network != null) this.#options.onSign(sign, network);
  }
}

/** MLD reports (RFC 3810): of each host that joins a group, and so of each that takes an IPv6 address. */
const MLD = 'ip6[6] = 0 and ip6[40] = 58 and (ip6[48] = 143 or ip6[48] = 131)';
const NEIGHBOUR_DISCOVERY = 'icmp6 and (ip6[40] = 133 or ip6[40] = 135 or ip6[40] = 136)';
const GROUPS = `(${NEIGHBOUR_DISCOVERY}) or (${MLD}) or (ip6 and udp dst port 547) or (udp dst port 5353)`;

/** Only broadcasts and multicasts: scans read replies to this host. Not promiscuous, and each frame at once. */
function argumentsFor({ interface: name, mac }: WatchedNetwork): string[] {
  const filter = `not ether src ${mac.toLowerCase()} and ((ether broadcast and (arp or (udp and dst port 67))) or (ether multicast and (${GROUPS})))`;
  const size = ['-s', String(FRAME_BYTES), '-B', String(KERNEL_BUFFER)];
  return ['-i', name, '-p', '-n', '-U', '--immediate-mode', ...size, '-w', '-', filter];
}

/** Rate limit of one link, so that a flood costs next to nothing. */
export class Limits {
  readonly #now: () => number;
  #secondAt = Number.NEGATIVE_INFINITY;
  #frames = 0;
  /** Frames by sender; bounded by the frames of a second, and those of one chunk. */
  readonly #bySender = new Map<string, number>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether to read a frame. */
  counts(frame: Buffer): boolean {
    if (this.#now() - this.#secondAt >= SECOND_MS) {
      this.#secondAt = this.#now();
      this.#frames = 0;
      this.#bySender.clear();
    }
    if (++this.#frames > MAX_FRAMES_PER_SECOND) return false;
    const sender = frame.toString('latin1', 6, 12);
    const count = (this.#bySender.get(sender) ?? 0) + 1;
    this.#bySender.set(sender, count);
    return count <= MAX_SIGNS_PER_SECOND;
  }

  /** Ends with the second in which there were too many frames; undefined when there were not. */
  pause(): Promise<void> | undefined {
    const leftMs = this.#secondAt + SECOND_MS - this.#now();
    return this.#frames < MAX_FRAMES_PER_SECOND || leftMs <= 0 ? undefined : pause(leftMs);
  }
}
