/** Runs the cycles of discovery, as long as the site wants it and the policy of this host allows it. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { DiscoverySettings, DiscoveryState } from '../../shared/agent/discovery.ts';
import type { DiscoveryControl } from '../../shared/agent/messages.ts';
import { formatRange } from '../../shared/network.ts';
import type { ToolResult } from '../../shared/tools/list.ts';
import { rawSockets } from '../host/network.ts';
import { createRunProcess } from '../host/run-process.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import type { DiscoveryRules } from '../jobs/policy.ts';
import { Inquiry } from '../recognition/inquiry.ts';
import { Topology } from '../recognition/topology.ts';
import { Sources } from '../sources/sources.ts';
import { STATE } from '../state/layout.ts';
import type { TargetRules } from '../tools/target-policy.ts';
import { type CycleReport, type Observer, runCycle } from './cycle.ts';
import { countPresence } from './device-presence.ts';
import { DhcpServerSearch } from './dhcp-servers.ts';
import { isOff, NOT_ALLOWED, problemOf, StateOfCycles, withSources } from './discovery-state.ts';
import { pause } from './evidence.ts';
import { Hearing } from './hearing.ts';
import { KnownDevices } from './known-devices.ts';
import { Reporter } from './report.ts';
import { readSettings, type StoredSettings, writeSettings } from './settings.ts';
import { watchAlerted } from './silence.ts';
import { WaitingCallers } from './waiting-callers.ts';
import { chooseNetworks, readLinks, type WatchedNetwork } from './watched-networks.ts';

interface WatcherOptions {
  stateDirectory: string;
  rules: DiscoveryRules;
  /** The file with SNMP credentials, if it exists. */
  snmpFile: string;
  /** The addresses at which sources may be read. */
  sourceRules: TargetRules;
  /** Publishes sightings with QoS 1; rejects when the link fails. */
  publish(payload: Buffer): Promise<void>;
  /** Called when `state` has changed. */
  onState(): void;
  log: Logger;
}

/** From the end of one cycle to the start of the next, however long the first took. */
const LEAST_PAUSE_MS = 5_000;
/** Any other revision is greater. */
const OLDEST = 1;
type CycleResult = ToolResult<'arpscan'>;

/** Consecutive failures before the state shows them: single ones are transient. */
const FAILING_AFTER = 3;

export class DiscoveryWatcher {
  readonly #options: WatcherOptions;
  readonly #log: Logger;
  readonly #known: KnownDevices;
  readonly #reporter: Reporter;
  readonly #run = createRunProcess();
  readonly #dhcpServers = new DhcpServerSearch((network, servers) => this.#known.recordDhcpServers(network, servers));
  readonly #observers: readonly Observer[];
  readonly #hearing: Hearing;
  readonly #sources: Sources;
  /** The networks of the last cycle; null before the first. */
  #scanned: readonly WatchedNetwork[] | null = null;
  /** The readings of sources, one run after the other. */
  #reading: Promise<void> = Promise.resolve();
  #settings: StoredSettings | null;
  #state: DiscoveryState = { state: 'off' };
  #watching = new AbortController();
  /** The loops of cycles, one after the other. */
  #cycles: Promise<void> = Promise.resolve();
  /** The last save. */
  #saving: Promise<boolean> = Promise.resolve(true);
  /** The save that has not begun yet. */
  #nextSave: Promise<boolean> | null = null;
  /** Whether the file is up to date. */
  #isOnDisk = true;
  #failedInARow = 0;
  #stateOfCycles = new StateOfCycles();
  readonly #waiting = new WaitingCallers<CycleResult>();
  /** Ends the pause between two cycles. */
  #wakeEarly = () => {};
  /** Whether the next cycle is to begin early although no caller waits for it. */
  #isHurried = false;

  private constructor(options: WatcherOptions, known: KnownDevices, settings: StoredSettings | null) {
    this.#options = options;
    this.#log = options.log;
    this.#known = known;
    this.#settings = settings;
    this.#observers = options.rules.recognize
      ? [new Inquiry(), new Topology({ snmpFile: options.snmpFile, log: options.log })]
      : [];
    this.#hearing = new Hearing({
      known,
      run: this.#run,
      log: options.log,
      onChanges: () => void this.#reportChanges(),
      scanSoon: () => {
        this.#isHurried = true;
        this.#wakeEarly();
      },
    });
    this.#sources = new Sources({
      file: join(options.stateDirectory, STATE.sources),
      rules: options.sourceRules,
      known,
      scanned: () => this.#scanned,
      onChanges: () => void this.#reportChanges(true),
      onState: options.onState,
      log: options.log,
    });
    this.#reporter = new Reporter({
      known,
      publish: (payload) => options.publish(payload),
      keep: () => this.#save(),
      log: options.log,
    });
  }

  /** Starts discovery, if the last settings enable it. */
  static async open(options: WatcherOptions): Promise<DiscoveryWatcher> {
    const path = (name: string) => join(options.stateDirectory, name);
    const known = await KnownDevices.open(path(STATE.knownDevices), Date.now(), options.log);
    const settings = await readSettings(path(STATE.discoverySettings), options.log);
    const watcher = new DiscoveryWatcher(options, known, settings);
    watcher.#apply();
    return watcher;
  }

  /** For the agent's presence. */
  get state(): DiscoveryState {
    return withSources(this.#state, this.#sources);
  }

  /** The last settings; null before the first. */
  get settings(): StoredSettings | null {
    return this.#settings;
  }

  /** Handles a message of the cloud. */
  async control(message: DiscoveryControl): Promise<void> {
    if (message.t === 'sighted') return this.#reporter.stored(message);
    if (message.t === 'digest') return this.#reporter.requestDigest();
    const { revision, discovery, policy, restoredAt } = message;
    const former = this.#settings;
    if (former !== null && revision <= former.revision) return;
    const restored = restoredAt === undefined ? {} : { restoredAt };
    this.#settings = { revision, discovery, ...(policy === undefined ? {} : { policy }), ...restored };
    if (JSON.stringify(former?.discovery) !== JSON.stringify(discovery)) {
      this.#log.info({ discovery }, 'discovery has new settings');
      this.#apply();
    }
    // Last: the settings apply even when the disk is full.
    await writeSettings(join(this.#options.stateDirectory, STATE.discoverySettings), this.#settings);
  }

  /** Reports every device to a restored server, whose settings apply whatever their revision. */
  async resync(): Promise<void> {
    this.#reporter.resync();
    if (this.#settings === null) return;
    this.#settings = { ...this.#settings, revision: OLDEST };
    await writeSettings(join(this.#options.stateDirectory, STATE.discoverySettings), this.#settings);
  }

  /**
   * Waits for a cycle that begins after the call. It starts early, but not before LEAST_PAUSE_MS allows.
   * @throws {ToolFailure} `discovery_off` when discovery is off, `tool_failed` when the cycle fails
   */
  async scan(signal: AbortSignal): Promise<CycleResult> {
    signal.throwIfAborted();
    const { state } = this.#state;
    if (state === 'off' || state === 'not-allowed') throw isOff(state);
    const result = this.#waiting.wait(signal);
    this.#wakeEarly();
    return result;
  }

  connected(): void {
    this.#reporter.connected();
  }

  disconnected(): void {
    this.#reporter.disconnected();
  }

  /** Aborts the running cycle, with its programs, and persists the known devices. */
  async stop(): Promise<void> {
    this.#watching.abort();
    this.#reporter.stop();
    this.#waiting.settle(new ToolFailure('agent_restarted', 'The agent was stopped before it had scanned'));
    await Promise.all([this.#cycles, this.#hearing.stop(), this.#reading]);
    if (this.#known.size > 0) await this.#save();
  }

  /** Stops the cycles, and starts others if discovery is enabled. */
  #apply(): void {
    this.#watching.abort();
    void this.#hearing.stop();
    const discovery = this.#settings?.discovery;
    if (discovery?.enabled !== true || !this.#options.rules.allow) {
      this.#reporter.stop();
      const state = discovery?.enabled === true ? NOT_ALLOWED : { state: 'off' as const };
      this.#setState(state);
      this.#waiting.settle(isOff(state.state));
      return;
    }
    const watching = new AbortController();
    this.#watching = watching;
    this.#failedInARow = 0;
    this.#stateOfCycles = new StateOfCycles();
    this.#setState({ state: 'on' });
    this.#cycles = this.#cycles.then(() => this.#watch(discovery, watching.signal));
  }

  async #watch(settings: DiscoverySettings, signal: AbortSignal): Promise<void> {
    this.#known.resume(Date.now());
    const context = { known: this.#known, run: this.#run, signal, now: Date.now };
    const reportGone = () => void this.#reportChanges();
    void watchAlerted(context, () => this.#hearing.frame, reportGone);
    await pause(3_000 * Math.random(), signal); // Agents started together do not scan together.
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const startedAt = performance.now();
      const waiting = this.#waiting.all();
      this.#isHurried = false;
      const result = await this.#cycle(settings, signal).catch((error: unknown) =>
        error instanceof Error ? error : new Error(String(error)),
      );
      // Later cycles settle the waiting callers; if there are none, they have been rejected.
      if (signal.aborted) return;
      // Not before: which networks scans cover decides what counts of a source.
      if (isFirst) this.#reading = this.#reading.then(() => this.#sources.run(signal));
      if (result instanceof Error && !(result instanceof AnotherNetwork)) this.#failed(result.message);
      this.#waiting.settle(result, waiting);
      await pause(LEAST_PAUSE_MS, signal);
      const intervalMs = settings.intervalSeconds * 1_000 * (0.9 + 0.2 * Math.random());
      await this.#pauseUntilRequested(startedAt + intervalMs - performance.now(), signal);
    }
  }

  async #pauseUntilRequested(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#waiting.count > 0 || this.#isHurried) return;
    const over = new AbortController();
    const end = () => over.abort();
    signal.addEventListener('abort', end, { once: true });
    this.#wakeEarly = end;
    await pause(signal.aborted ? 0 : ms, over.signal);
    signal.removeEventListener('abort', end);
  }

  /** @throws {Error} when no network can be scanned */
  async #cycle(settings: DiscoverySettings, signal: AbortSignal): Promise<CycleResult> {
    const startedAt = performance.now();
    const context = { run: this.#run, signal };
    const links = await readLinks(this.#run, signal);
    const { networks, problems } = chooseNetworks(links, settings.networks, this.#options.rules);
    this.#scanned = networks;
    if (networks.length === 0) throw new Error(problems[0] ?? 'this host is attached to no network to watch');
    const intervalMs = settings.intervalSeconds * 1_000;
    const raw = rawSockets();
    const observers = settings.recognize === false ? [] : this.#observers;
    this.#hearing.scanning({ networks, links, rawSockets: raw, intervalMs, observes: observers.length > 0 });
    const report = await runCycle(this.#known, {
      ...context,
      networks,
      rawSockets: raw,
      now: Date.now,
      intervalMs,
      surroundings: { confirmed: settings.gateways ?? [], attached: links.map(({ network }) => formatRange(network)) },
      dhcpServers: this.#dhcpServers,
      observers: [...observers, this.#sources],
      onChanges: async () => {
        const isSaved = await this.#save();
        if (isSaved && !signal.aborted) this.#reporter.changed();
      },
    });
    signal.throwIfAborted();
    // Also without a change: a digest may be due, and a failed write may succeed now.
    if (this.#isOnDisk || (await this.#save())) this.#reporter.changed();
    const durationMs = Math.round(performance.now() - startedAt);
    const counts = countPresence(this.#known.all(), Date.now());
    this.#log.debug({ ...counts, durationMs, failures: report.failures }, 'cycle of discovery');
    this.#updateState(report, networks, problems);
    const accuracy = report.methods.has('udp') ? 'reduced' : 'full';
    return { networks: report.seen, online: counts.online, accuracy };
  }

  /** @param isAlways also without a change: where no scan works, only readings find out that a digest is due */
  async #reportChanges(isAlways = false): Promise<void> {
    const { signal } = this.#watching;
    const isNews = this.#known.commit() > 0;
    if ((isNews || isAlways) && (await this.#save()) && !signal.aborted) this.#reporter.changed();
  }

  /** @throws {Error} when no network was valid */
  #updateState(report: CycleReport, networks: readonly WatchedNetwork[], problems: readonly string[]): void {
    const cidrs = networks.map(({ cidr }) => cidr);
    const state = this.#stateOfCycles.after(report, cidrs, this.#known, problems);
    if (state === null) {
      const [first] = report.failures;
      const why = first === undefined ? 'no device has answered' : `${first.network}: ${first.failure}`;
      throw new Error(`${why}; known devices keep their state`);
    }
    this.#failedInARow = 0;
    const isNews = state.state === 'another-network' && this.#state.state !== state.state;
    if (isNews) this.#log.warn({ strange: state.strange }, 'this host seems to be on a foreign network');
    this.#setState(state);
    if (state.state === 'another-network') throw new AnotherNetwork('tool_failed', state.problem ?? '');
  }

  #failed(problem: string): void {
    this.#failedInARow++;
    this.#log.debug({ problem }, 'a cycle of discovery failed');
    const hasWorked = this.#state.networks !== undefined;
    if (hasWorked && this.#failedInARow < FAILING_AFTER) return;
    if (this.#state.state !== 'failing') this.#log.warn({ problem }, 'discovery fails');
    this.#setState({ state: 'failing', ...problemOf([problem]) });
  }

  #setState(state: DiscoveryState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#options.onState();
  }

  /**
   * Saves run one after the other, so that older content does not replace newer. A call joins the save that has not begun yet:
   * thousands of devices are a megabyte, and each confirmed message causes a save.
   */
  #save(): Promise<boolean> {
    this.#nextSave ??= this.#saving.then(async () => {
      this.#nextSave = null;
      try {
        await this.#known.save();
        this.#isOnDisk = true;
      } catch (error) {
        this.#log.error({ err: error }, 'cannot write the known devices; is the disk full?');
        this.#isOnDisk = false;
      }
      return this.#isOnDisk;
    });
    this.#saving = this.#nextSave;
    return this.#saving;
  }
}

/** All scanned networks are foreign. */
class AnotherNetwork extends ToolFailure {}
