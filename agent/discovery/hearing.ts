/**
 * What is heard of devices between two looks, and what becomes of it: who is new or comes back is told within a second. It
 * belongs to discovery itself, whether or not devices are asked what they are: nothing is sent, and presence is what it is for.
 */
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { RunProcess } from '../host/run-process.ts';
import type { Sign } from './broadcast.ts';
import { joinGroups } from './groups.ts';
import type { KnownDevices } from './known-devices.ts';
import { Listener } from './listener.ts';
import { askWhetherGone, formersOf } from './silence.ts';
import type { Link, WatchedNetwork } from './watched-networks.ts';

/** What is heard within this time is told together: after a power cut, hundreds come back at once. */
const TOGETHER_MS = 250;
/** After an arrival, so that the device has its address and its services are up. */
const LOOK_AFTER_MS = 5_000;
/** Since the last look: nothing is heard for longer where looks fail, or the host was asleep. */
const LATEST_LOOKS = 2;

interface HearingOptions {
  known: KnownDevices;
  run: RunProcess;
  log: Pick<Logger, 'warn' | 'info'>;
  /** Called when there may be something to tell. */
  tell(): void;
  /** Called when a look is to be brought forward, at most once in the time from one look to the next. */
  lookSoon(): void;
}

/** How a look is taken. */
interface LookFrame {
  networks: readonly WatchedNetwork[];
  links: readonly Link[];
  rawSockets: boolean;
  intervalMs: number;
  /** Whether also what devices say of themselves is wanted. */
  observes: boolean;
}

export class Hearing {
  readonly #options: HearingOptions;
  readonly #listener: Listener;
  #frame: LookFrame | null = null;
  #lookedAt = 0;
  /** By interface. A cable that was put elsewhere since the last look, or another radio network, is another link. */
  #linkStates = new Map<string, string>();
  #hurriedAt = Number.NEGATIVE_INFINITY;
  /** Asks the devices that a new one may have been until now. What they leave unanswered is told with the new one. */
  #asking: Promise<unknown> | null = null;
  #stopped = new AbortController();
  #telling: NodeJS.Timeout | undefined;
  #hurrying: NodeJS.Timeout | undefined;

  constructor(options: HearingOptions) {
    this.#options = options;
    const { run, log } = options;
    this.#listener = new Listener({ run, log, join: joinGroups, onSign: (sign, network) => this.#take(sign, network) });
  }

  /** How the last look was taken; null before the first. */
  get frame(): LookFrame | null {
    return this.#frame;
  }

  /** A look at these networks begins. What is heard counts from its end on, as far as the look has counted. */
  looking(frame: LookFrame): void {
    this.#frame = frame;
    this.#lookedAt = Date.now();
    this.#linkStates = new Map(frame.networks.map((network) => [network.interface, linkState(network.interface)]));
    this.#listener.listen(frame.rawSockets ? frame.networks : [], frame.links);
  }

  /** Nothing is heard until the next look. */
  async stop(): Promise<void> {
    this.#frame = null;
    this.#stopped.abort();
    this.#stopped = new AbortController();
    clearTimeout(this.#telling);
    clearTimeout(this.#hurrying);
    this.#telling = this.#hurrying = undefined;
    await this.#listener.stop();
  }

  #askFormers(sign: Sign, frame: LookFrame): void {
    const { known, run } = this.#options;
    const formers = this.#asking === null ? formersOf(known, sign) : [];
    if (formers.length === 0) return;
    const asking = { known, run, signal: this.#stopped.signal, now: Date.now };
    this.#asking = askWhetherGone(asking, frame, formers, 1).finally(() => {
      this.#asking = null;
    });
  }

  #take(sign: Sign, network: WatchedNetwork): void {
    const frame = this.#frame;
    if (frame === null) return;
    const at = Date.now();
    const isLate = Math.abs(at - this.#lookedAt) > LATEST_LOOKS * frame.intervalMs + LOOK_AFTER_MS;
    if (isLate || linkState(network.interface) !== this.#linkStates.get(network.interface)) return;
    const heard = frame.observes ? sign.heard : [];
    if (!this.#options.known.hear({ ...sign, heard }, network.cidr, at)) return;
    this.#askFormers(sign, frame);
    const tell = () => {
      this.#telling = undefined;
      this.#options.tell();
    };
    this.#telling ??= setTimeout(() => void Promise.resolve(this.#asking).then(tell, tell), TOGETHER_MS);
    if (performance.now() - this.#hurriedAt < frame.intervalMs) return;
    this.#hurriedAt = performance.now();
    this.#hurrying = setTimeout(() => this.#options.lookSoon(), LOOK_AFTER_MS).unref();
  }
}

/** Another one each time that the link has come or gone; always the same where the kernel does not count that. */
function linkState(name: string): string {
  try {
    return readFileSync(`/sys/class/net/${name}/carrier_changes`, 'utf8');
  } catch {
    return '';
  }
}
