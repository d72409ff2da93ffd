/**
 * Reads the sources of this agent, each at its own intervals, and records what comes of it. Follows the file of settings.
 * Failures of one concern no other; a source that fails is a problem of the agent, and its networks are not monitored.
 */
import { stat } from 'node:fs/promises';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { BY_SOURCES, type ObservationSource } from '../../shared/agent/observations.ts';
import { backOffMs } from '../../shared/async.ts';
import { range } from '../../shared/network.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { Observer, ObserverContext } from '../discovery/cycle.ts';
import { pause } from '../discovery/evidence.ts';
import type { KnownDevices } from '../discovery/known-devices.ts';
import type { Device } from '../discovery/known-devices-file.ts';
import { announced, type Heard } from '../discovery/observations.ts';
import { isIn, type WatchedNetwork } from '../discovery/watched-networks.ts';
import type { TargetRules } from '../tools/target-policy.ts';
import { type Reading, readSource } from './reading.ts';
import { readSources, type Source, type StoredSource, sourceOf } from './settings.ts';
import { MAX_ROWS, SourceFailure, type SourceObservation } from './source.ts';

interface SourcesOptions {
  /** The file of settings; it need not exist. */
  file: string;
  /** The section of the policy. */
  rules: TargetRules;
  known: KnownDevices;
  /** The networks that scans cover; null before the first scan. */
  scanned(): readonly WatchedNetwork[] | null;
  /** Called when there may be changes to report. */
  onChanges(): void;
  /** Called when `problems` or `networks` have changed. */
  onState(): void;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** A stub in tests. */
  read?: typeof readSource;
  sourceOf?: (stored: StoredSource) => Source;
  now?: () => number;
  /** How often the file is looked at; default: 5 s. */
  followMs?: number;
}

/** Consecutive failures before it is reported, if it worked before: single ones are transient. */
const FAILING_AFTER = 3;
const RETRY = { firstMs: 30_000, longestMs: 30 * MINUTE_MS, least: 0.5 } as const;

interface State {
  stored: StoredSource;
  stop: AbortController;
  /** Settles when its last reading has ended. */
  ended: Promise<void>;
  /** The last reading; null before the first, and while it fails. */
  reading: Reading | null;
  failures: number;
  /** Why it fails, or reads only a part. */
  problem: string | null;
}

export class Sources implements Observer {
  readonly #options: SourcesOptions;
  readonly #now: () => number;
  /** By name, in the order of the file: of two sources that name a device, the first counts. */
  #states = new Map<string, State>();
  #problemOfFile: string | null = null;
  #lastState = '';
  /** Large answers take memory. */
  readonly #limit = pLimit(2);

  constructor(options: SourcesOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** One sentence for each source that fails. */
  get problems(): string[] {
    const all = [...this.#states.values()].flatMap(({ problem }) => problem ?? []);
    return this.#problemOfFile === null ? all : [this.#problemOfFile, ...all];
  }

  /** The networks without scans whose devices a source sees now. */
  get networks(): string[] {
    const seen = this.#options.known.all().flatMap(({ source, leased, network }) => {
      const isSeen = source !== undefined && leased !== true && this.#states.get(source)?.reading != null;
      return isSeen ? [network] : [];
    });
    return [...new Set(seen)].sort();
  }

  /** Reads all sources until the signal aborts. Never fails. */
  async run(signal: AbortSignal): Promise<void> {
    let last = '';
    while (!signal.aborted) {
      const version = await versionOf(this.#options.file);
      if (version !== last) await this.#follow(signal);
      last = version;
      await pause(this.#options.followMs ?? 5_000, signal);
    }
    const ended = [...this.#states.values()].map((state) => state.ended);
    this.#states = new Map();
    this.#problemOfFile = null;
    await Promise.all(ended);
  }

  /** The evidence of devices that scans have found since the last readings. */
  async observe({ known, now }: ObserverContext): Promise<void> {
    if (this.#states.size === 0) return;
    for (const device of known.all()) if (!isKnown(device)) this.#recordEvidence(device.mac, now());
  }

  /** Starts the sources that are new or changed, and stops those that are no more. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { file, log, rules } = this.#options;
    let all: StoredSource[] = [];
    this.#problemOfFile = null;
    try {
      all = await readSources(file);
      if (all.length > 0 && !rules.enabled) throw new Error('The policy of this host does not allow sources');
    } catch (error) {
      this.#problemOfFile = error instanceof Error ? error.message : String(error);
      log.error({ problem: this.#problemOfFile }, 'no source is read');
      all = [];
    }
    if (signal.aborted) return;
    const before = this.#states;
    this.#states = new Map();
    for (const one of all) {
      const former = before.get(one.name);
      const isSame = former !== undefined && JSON.stringify(former.stored) === JSON.stringify(one);
      this.#states.set(one.name, isSame ? former : this.#start(one, signal));
    }
    const kept = new Set(this.#states.values());
    for (const state of before.values()) if (!kept.has(state)) state.stop.abort();
    if (this.#problemOfFile === null) this.#forgetOthers();
    if (all.length > 0) log.info({ sources: all.map(({ name, kind }) => `${name} (${kind})`) }, 'sources are read');
    this.#changed();
  }

  /** Forgets the devices of sources that are not in the file any more: nothing would ever change their presence. */
  #forgetOthers(): void {
    const { known, onChanges } = this.#options;
    const gone = new Set(
      known.all().flatMap(({ source }) => (source === undefined || this.#states.has(source) ? [] : [source])),
    );
    const nothing = { hosts: new Map(), isScanned: () => false, hadGap: false, isRemoved: true };
    for (const source of gone) known.recordReading({ source, ...nothing }, this.#now());
    const stale = this.#states.size > 0 ? [] : known.all().filter(isKnown);
    for (const { mac } of stale) this.#recordEvidence(mac, this.#now());
    if (gone.size + stale.length > 0) onChanges();
  }

  #start(stored: StoredSource, ended: AbortSignal): State {
    const base = { stored, stop: new AbortController(), ended: Promise.resolve() };
    const state: State = { ...base, reading: null, failures: 0, problem: null };
    const stop = () => state.stop.abort();
    ended.addEventListener('abort', stop, { once: true });
    state.ended = this.#repeat(stored, state).finally(() => ended.removeEventListener('abort', stop));
    return state;
  }

  async #repeat(stored: StoredSource, state: State): Promise<void> {
    const { signal } = state.stop;
    const memory = new Map<string, string>();
    await pause(3_000 * Math.random(), signal);
    while (!signal.aborted) {
      let waitMs: number;
      try {
        const source = (this.#options.sourceOf ?? sourceOf)(stored);
        const reading = await this.#limit(() => this.#read(source, memory, signal));
        if (signal.aborted) break;
        this.#take(source, state, reading);
        waitMs = source.everyMs * (0.9 + 0.2 * Math.random());
      } catch (error) {
        if (signal.aborted) break;
        this.#failed(stored, state, error);
        waitMs = backOffMs(state.failures - 1, RETRY);
        if (error instanceof SourceFailure) waitMs = Math.max(waitMs, error.waitMs);
      }
      this.#changed();
      await pause(waitMs, signal);
    }
  }

  #read(source: Source, memory: Map<string, string>, signal: AbortSignal): Promise<Reading> {
    const { rules, known, read = readSource } = this.#options;
    // On a foreign LAN another host has the address, and must not get the credentials.
    const refuse = (address: string) => {
      const foreign = known.foreign.find(({ network }) => isIn(address, range(network)));
      return foreign === undefined ? null : `${foreign.network} seems to be a foreign network`;
    };
    return read(source, { rules, pins: source.pins, mayPin: false, refuse, memory, now: this.#now }, signal);
  }

  #take({ name, kind }: Source, state: State, reading: Reading): void {
    const { known, scanned, onChanges, log } = this.#options;
    const at = this.#now();
    if (state.failures > 0) log.info({ source: name }, 'a source is read again');
    const hadGap = state.reading === null;
    Object.assign(state, { reading, failures: 0 });
    state.problem = reading.isCut ? `source ${name} (${kind.title}) has more than ${MAX_ROWS} rows` : null;
    const networks = scanned() ?? [];
    const isScanned = (ip: string) => networks.some(({ range }) => isIn(ip, range));
    known.recordReading({ source: name, hosts: reading.hosts, isScanned, hadGap }, at);
    for (const device of known.all()) {
      if (reading.hosts.has(device.mac) || isKnown(device)) this.#recordEvidence(device.mac, at);
    }
    onChanges();
  }

  #failed({ name, kind }: StoredSource, state: State, error: unknown): void {
    state.failures++;
    if (state.reading !== null && state.failures < FAILING_AFTER) return;
    const problem = `source ${name} (${kind}): ${error instanceof Error ? error.message : error}`;
    if (state.problem !== problem) this.#options.log.warn({ source: name, problem }, 'a source cannot be read');
    Object.assign(state, { problem, reading: null });
  }

  #changed(): void {
    const state = JSON.stringify([this.problems, this.networks]);
    if (state === this.#lastState) return;
    this.#lastState = state;
    this.#options.onState();
  }

  /** What all sources have of a device: of two that name it, the first counts. */
  #recordEvidence(mac: string, at: number): void {
    const { known } = this.#options;
    const device = known.get(mac);
    const states = [...this.#states];
    const hosts = states.flatMap(([name, { reading, stored }]) => {
      const host = reading?.hosts.get(mac);
      return host === undefined ? [] : [{ host, by: `${name} (${stored.kind})` }];
    });
    if (device === undefined) return;
    const heard = evidenceOf(hosts);
    const has = new Set(device.observations.map(({ source }) => source));
    // The agent hears these from the device itself, too, and in another spelling.
    const fresh = heard.filter(({ source }) => BY_SOURCES.has(source) || !has.has(source));
    // While one cannot be read, what it had of a device stays.
    const isWhole = states.every(([, { reading }]) => reading !== null);
    if (hosts.length > 0 || isWhole) known.recordObservations(mac, fresh, at, isWhole ? BY_SOURCES : undefined);
  }
}

function evidenceOf(hosts: readonly { host: SourceObservation; by: string }[]): Heard[] {
  const first = <Key extends keyof SourceObservation>(key: Key) =>
    hosts.find(({ host }) => host[key] !== undefined)?.host[key];
  const [dhcp, link] = [first('dhcp'), first('link')];
  const parent = link?.medium === 'wireless' ? link.accessPoint : link?.switch;
  const values: Partial<Record<ObservationSource, string | undefined>> = {
    'given-name': first('givenName'),
    'host-name': first('hostName'),
    'source-maker': first('vendor'),
    'source-model': first('model'),
    'dhcp-class': dhcp?.vendorClass,
    'dhcp-options': dhcp?.parameters,
    link: link && `${link.medium} ${link.ssid ?? ''}`.trim(),
    'parent-source': parent && `${parent} ${(link?.medium === 'wired' && link.port) || ''}`.trim(),
  };
  return [...hosts.map(({ by }) => ({ source: 'known-by' as const, value: by })), ...announced(values)];
}

/** Whether a source has been recorded as knowing a device. */
const isKnown = ({ observations }: Pick<Device, 'observations'>) =>
  observations.some(({ source }) => source === 'known-by');

/** Changes with each rewriting of the file; constant without one. */
async function versionOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, mode } = await stat(path);
    return [ino, size, mtimeMs, mode].join();
  } catch {
    return 'absent';
  }
}
