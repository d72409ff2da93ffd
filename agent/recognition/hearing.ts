/**
 * Hears what devices say to everybody on a link, without asking: ARP, and requests for an address. A device that comes so is
 * told of at once, and not with the next look. Frames are read by tcpdump, because Node.js has no raw sockets.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { WatchedNetwork } from '../discovery/watched-networks.ts';
import type { RunProcess } from '../host/run-process.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { type Sign, signIn } from './frames.ts';
import { PcapReader } from './pcap.ts';

export interface HearingOptions {
  run: RunProcess;
  /** Is given each sign, with the networks that are watched on the link of which it came. */
  onSign(sign: Sign, networks: readonly WatchedNetwork[]): void;
  log: Pick<Logger, 'info'>;
}

/** Requests of hosts that have no address yet, and ARP; nothing else reaches this process. */
const FILTER = 'arp or (udp dst port 67) or (vlan and (arp or (udp dst port 67)))';
/** A DHCP packet has hardly more. */
const FRAME_BYTES = 600;
/** A program that runs for longer is started anew, which nobody notices. */
const RUN_MS = 24 * 60 * 60_000;
const MAX_ERROR_BYTES = 4_096;
/** Who floods the link is not listened to for the rest of the second. */
const FRAMES_PER_SECOND = 1_000;
const RESTART_AFTER_MS = { first: 1_000, longest: 5 * 60_000 };

interface Listening {
  networks: readonly WatchedNetwork[];
  stop: AbortController;
}

export class Hearing {
  readonly #options: HearingOptions;
  /** By interface. */
  readonly #links = new Map<string, Listening>();
  #hasToldWhy = false;

  constructor(options: HearingOptions) {
    this.#options = options;
  }

  /** Hears the links of these networks, and no others. */
  listen(networks: readonly WatchedNetwork[]): void {
    const names = new Set(networks.map((network) => network.interface));
    for (const [name, { stop }] of this.#links) {
      if (names.has(name)) continue;
      stop.abort();
      this.#links.delete(name);
    }
    for (const name of names) {
      const own = networks.filter((network) => network.interface === name);
      const link = this.#links.get(name);
      if (link !== undefined) link.networks = own;
      else this.#begin(name, { networks: own, stop: new AbortController() });
    }
  }

  stop(): void {
    this.listen([]);
  }

  #begin(name: string, link: Listening): void {
    this.#links.set(name, link);
    void this.#keepListening(name, link);
  }

  async #keepListening(name: string, link: Listening): Promise<void> {
    let waitMs = RESTART_AFTER_MS.first;
    while (!link.stop.signal.aborted) {
      const startedAt = performance.now();
      const problem = await this.#hear(name, link);
      if (link.stop.signal.aborted) return;
      if (problem === 'tool_missing') return this.#tellWhy('tcpdump is not installed');
      this.#tellWhy(problem);
      if (performance.now() - startedAt > RESTART_AFTER_MS.longest) waitMs = RESTART_AFTER_MS.first;
      await sleep(waitMs * (0.5 + Math.random()), undefined, { signal: link.stop.signal, ref: false }).catch(() => {});
      waitMs = Math.min(2 * waitMs, RESTART_AFTER_MS.longest);
    }
  }

  /** @returns why it has ended */
  async #hear(name: string, link: Listening): Promise<string> {
    let second = 0;
    let frames = 0;
    const reader = new PcapReader((frame) => {
      const now = Math.floor(performance.now() / 1_000);
      if (now !== second) [second, frames] = [now, 0];
      if (++frames > FRAMES_PER_SECOND) return;
      const sign = signIn(frame);
      if (sign !== null) this.#options.onSign(sign, link.networks);
    });
    let broken: Error | null = null;
    const unreadable = new AbortController();
    const args = ['-i', name, '-p', '-n', '-U', '--immediate-mode', '-s', String(FRAME_BYTES), '-w', '-', FILTER];
    try {
      const { stderr } = await this.#options.run('tcpdump', args, {
        timeoutMs: RUN_MS,
        maxBytes: MAX_ERROR_BYTES,
        signal: AbortSignal.any([link.stop.signal, unreadable.signal]),
        onData(chunk) {
          if (broken !== null) return;
          try {
            reader.push(chunk);
          } catch (error) {
            broken = error instanceof Error ? error : new Error(String(error));
            unreadable.abort();
          }
        },
      });
      return broken === null ? (stderr.trim().split('\n').at(-1) ?? '') : (broken as Error).message;
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      return error.reason === 'tool_missing' ? 'tool_missing' : error.message;
    }
  }

  #tellWhy(problem: string): void {
    if (this.#hasToldWhy) return;
    this.#hasToldWhy = true;
    this.#options.log.info(
      { problem },
      'devices that come are seen by the next look only: nothing is heard between looks',
    );
  }
}
