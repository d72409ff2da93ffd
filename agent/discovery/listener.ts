/**
 * Hears the broadcasts and what is said to groups by which devices show that they are there, on the links of the watched
 * networks. Node.js has no packet sockets, so tcpdump does it: one for each link, as long as that is watched. Nothing is asked. Where tcpdump is missing or may
 * not be used, looks find everybody as before, some time later.
 */
import type { Logger } from 'pino';
import { formatRange } from '../../shared/network.ts';
import type { RunProcess } from '../host/run-process.ts';
import { BackOff } from '../link/back-off.ts';
import { firstErrorLine } from '../tools/exit.ts';
import { type Sign, signIn } from './broadcast.ts';
import { PcapReader } from './pcap.ts';
import { isIn, type Link, type WatchedNetwork } from './watched-networks.ts';

/** The longest DHCP request that is read as a whole. */
const FRAME_BYTES = 600;
/** KiB in which the kernel keeps frames until they are read. What does not fit is dropped. */
const KERNEL_BUFFER = 256;
const MAX_STDERR_BYTES = 4_000;
/** Of one link. A thousand hosts that power on together send fewer; what is beyond waits in the kernel, or is dropped there. */
const MOST_FRAMES_PER_SECOND = 1_000;
/** Of one device. One that has just been taken in says nothing new. */
const MOST_SIGNS_PER_SECOND = 5;
const SECOND_MS = 1_000;

interface ListenerOptions {
  run: RunProcess;
  /** Called with each sign of a device in a watched network, but for what one device says too often. */
  onSign(sign: Sign, network: WatchedNetwork): void;
  /** Makes the card of an interface pass on what is said to the groups. @returns ends that */
  join?(interfaceName: string): () => void;
  log: Pick<Logger, 'warn' | 'info'>;
}

interface Watched {
  networks: readonly WatchedNetwork[];
  /** The network of those whose address nobody knows yet; null where only a part of the link's network is watched. */
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

  /** From now on it listens on the links of these networks and on no others. */
  listen(networks: readonly WatchedNetwork[], links: readonly Link[]): void {
    const byLink = new Map<string, WatchedNetwork[]>();
    for (const network of networks) {
      const key = `${network.interface} ${network.mac}`;
      byLink.set(key, [...(byLink.get(key) ?? []), network]);
    }
    for (const [key, { ended }] of this.#links) {
      if (byLink.has(key)) continue;
      ended.abort();
      this.#links.delete(key);
    }
    const attached = new Set(links.map((link) => `${link.interface} ${formatRange(link.network)}`));
    for (const [key, of] of byLink) {
      const whole = of.find((network) => attached.has(`${network.interface} ${network.cidr}`)) ?? null;
      const former = this.#links.get(key);
      if (former !== undefined) Object.assign(former, { networks: of, whole });
      else this.#begin(key, { networks: of, whole, ended: new AbortController() });
    }
  }

  /** Ends the programs. */
  async stop(): Promise<void> {
    this.listen([], []);
    await Promise.all(this.#running);
  }

  #begin(key: string, watched: Watched): void {
    this.#links.set(key, watched);
    const running = this.#keepListening(watched).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #keepListening(watched: Watched): Promise<void> {
    const { signal } = watched.ended;
    const backOff = new BackOff();
    const [{ interface: name } = { interface: '' }] = watched.networks;
    let hasFailed = false;
    while (!signal.aborted) {
      const startedAt = performance.now();
      const onFirst = () => {
        if (hasFailed) this.#options.log.info({ interface: name }, 'broadcasts of the LAN are heard again');
        hasFailed = false;
      };
      const problem = await this.#listen(watched, onFirst).catch((error: unknown) =>
        error instanceof Error ? error.message : String(error),
      );
      if (signal.aborted) return;
      if (!hasFailed) {
        this.#options.log.warn(
          { interface: name, problem },
          'broadcasts of the LAN are not heard; devices are found by looks alone',
        );
      }
      hasFailed = true;
      backOff.linkEnded(performance.now() - startedAt);
      await pause(backOff.nextDelayMs(), signal);
    }
  }

  /**
   * @param onFirst called when the first frames come
   * @returns why it has ended
   */
  async #listen(watched: Watched, onFirst: () => void): Promise<string> {
    const [network] = watched.networks;
    if (network === undefined) return 'nothing is watched';
    const reader = new PcapReader();
    const limits = new Limits();
    // It is ended by itself when what it writes cannot be read.
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
    const args = argumentsFor(network);
    const leave = this.#options.join?.(network.interface);
    const finished = await this.#options
      .run('tcpdump', args, {
        timeoutMs: null,
        maxBytes: MAX_STDERR_BYTES,
        signal,
        onData,
      })
      .finally(() => leave?.());
    return fault ?? firstErrorLine('tcpdump', { ...finished, stderr: complaintsIn(finished.stderr) });
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

/** Who has joined a group says so (RFC 3810), and so does each host that takes an IPv6 address. */
const MLD = 'ip6[6] = 0 and ip6[40] = 58 and (ip6[48] = 143 or ip6[48] = 131)';
const NEIGHBOUR_DISCOVERY = 'icmp6 and (ip6[40] = 133 or ip6[40] = 135 or ip6[40] = 136)';
const GROUPS = `(${NEIGHBOUR_DISCOVERY}) or (${MLD}) or (ip6 and udp dst port 547) or (udp dst port 5353)`;

/**
 * Only broadcasts and groups: what answers the questions of this host is found by the looks that have asked. Without promiscuous mode,
 * and each frame as soon as it comes.
 */
function argumentsFor({ interface: name, mac }: WatchedNetwork): string[] {
  const filter = `not ether src ${mac.toLowerCase()} and ((ether broadcast and (arp or (udp and dst port 67))) or (ether multicast and (${GROUPS})))`;
  const size = ['-s', String(FRAME_BYTES), '-B', String(KERNEL_BUFFER)];
  return ['-i', name, '-p', '-n', '-U', '--immediate-mode', ...size, '-w', '-', filter];
}

/** Without what tcpdump says when all is well. */
function complaintsIn(stderr: string): string {
  return stderr
    .split('\n')
    .filter((line) => !/^(dropped privs|tcpdump: listening on|\d+ packets? )/.test(line))
    .join('\n');
}

/** How much is taken of one link within a second, so that a flood costs next to nothing. */
export class Limits {
  readonly #now: () => number;
  #secondAt = Number.NEGATIVE_INFINITY;
  #frames = 0;
  /** Frames by sender; not more than the frames of a second, and those of one chunk. */
  readonly #bySender = new Map<string, number>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether a frame is to be looked at. */
  counts(frame: Buffer): boolean {
    if (this.#now() - this.#secondAt >= SECOND_MS) {
      this.#secondAt = this.#now();
      this.#frames = 0;
      this.#bySender.clear();
    }
    if (++this.#frames > MOST_FRAMES_PER_SECOND) return false;
    const sender = frame.toString('latin1', 6, 12);
    const count = (this.#bySender.get(sender) ?? 0) + 1;
    this.#bySender.set(sender, count);
    return count <= MOST_SIGNS_PER_SECOND;
  }

  /** Ends with the second in which there were too many frames; undefined when there were not. */
  pause(): Promise<void> | undefined {
    const leftMs = this.#secondAt + SECOND_MS - this.#now();
    return this.#frames < MOST_FRAMES_PER_SECOND || leftMs <= 0 ? undefined : pause(leftMs);
  }
}

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms);
    timer.unref();
    signal?.addEventListener('abort', end, { once: true });
    function end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    }
  });
}
