/**
 * Replaces the program of the agent by a newer one when its plan says so: fetches it, verifies it, installs it beside the
 * one that runs, and has the agent end in order, so that it is started again by the launcher (`agent/launch/`). Started for
 * the first time, a program is on trial: here it finds out whether it is healthy, and says so.
 */
import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Plan } from '../../shared/agent/plan.ts';
import { compareVersions, type UpdateState } from '../../shared/agent/release.ts';
import { backOffMs, deferred } from '../../shared/async.ts';
import { oneLine } from '../../shared/text.ts';
import { prove } from '../launch/choice.ts';
import { MAX_REASON, readRecord, type UpdateRecord, writeProgram, writeRecord } from '../launch/record.ts';
import type { PlanPart } from '../plan/plan-keeper.ts';
import type { FetchedProgram } from './fetch-release.ts';
import { ReleaseRefused } from './verify-release.ts';

const PACE = {
  /** Agents that are told at once do not ask at once. */
  firstWithinMs: 3_000,
  /** Between attempts to fetch a release. */
  firstRetryMs: 20_000,
  longestRetryMs: 3_600_000,
  /** Between two looks whether this program is healthy. */
  healthAgainMs: 5_000,
};
/** After so many attempts, which take some minutes, the service is told that they fail, and the agent goes on to try. */
const ATTEMPTS_UNTIL_FAILED = 6;
const POLL_MS = 100;

export interface UpdaterOptions {
  /** Folder of the installed programs and their record. */
  folder: string;
  /** The version that runs. */
  version: string;
  /** Whether the agent can replace itself. */
  able: boolean;
  /** How long this program has to be healthy until it is proven (ms); null when it is not on trial. */
  settleMs: number | null;
  /** See `fetchRelease`. */
  fetch(version: string, signal: AbortSignal): Promise<FetchedProgram>;
  isConnected(): boolean;
  /** Runs a harmless command as any other is run. @returns why it failed, or null */
  tryCommand(signal: AbortSignal): Promise<string | null>;
  /** Has the agent end in order, so that it is started again. Rejects when the signal comes before it has begun to. */
  restart(signal: AbortSignal): Promise<void>;
  /** Called when `state` has changed. */
  onState(): void;
  log: Logger;
  pace?: typeof PACE;
}

export class Updater implements PlanPart {
  readonly #options: UpdaterOptions;
  readonly #log: Logger;
  readonly #pace: typeof PACE;
  readonly #stopping = new AbortController();
  #last: UpdateState['last'];
  #givenUp: string | null;
  /** Resolves when this program is no longer on trial. */
  readonly #settled = deferred<void>();
  #wanted: { version: string; cancel: AbortController } | null = null;

  /** Reads the record. `start` begins the trial, if there is one. */
  constructor(options: UpdaterOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#pace = options.pace ?? PACE;
    const { last, givenUp } = readRecord(options.folder);
    this.#last = last;
    this.#givenUp = givenUp;
  }

  get state(): UpdateState {
    return { able: this.#options.able, last: this.#last };
  }

  /** Finds out whether this program is healthy, if it is on trial. Once the agent connects by itself. */
  start(): void {
    const { settleMs } = this.#options;
    const trial = settleMs === null ? Promise.resolve() : this.#settle(settleMs);
    trial.then(this.#settled.resolve, (error) => {
      if (!this.#stopping.signal.aborted) this.#log.error({ err: error }, 'the trial of this version cannot be ended');
    });
  }

  apply({ update }: Plan): void {
    const { version, able } = this.#options;
    const wanted = update?.version ?? null;
    if (wanted === (this.#wanted?.version ?? null)) return;
    this.#wanted?.cancel.abort();
    this.#wanted = null;
    if (wanted === null || !able || wanted === this.#givenUp || compareVersions(wanted, version) <= 0) return;
    const cancel = new AbortController();
    this.#wanted = { version: wanted, cancel };
    const signal = AbortSignal.any([cancel.signal, this.#stopping.signal]);
    this.#replace(wanted, signal).catch((error) => {
      if (!signal.aborted) this.#log.error({ err: error }, 'an update ended with an unexpected error');
      if (cancel.signal.aborted) this.#withdraw(wanted);
    });
  }

  /** Begins nothing more. What was under way is left as after a crash. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Tries until the release is installed, or no longer wanted. */
  async #replace(version: string, signal: AbortSignal): Promise<void> {
    await this.#settled.promise;
    signal.throwIfAborted();
    await sleep(Math.random() * this.#pace.firstWithinMs, undefined, { signal });
    for (let attempt = 0; ; attempt++) {
      const hasFailed = this.#last?.version === version && this.#last.state === 'failed';
      if (!hasFailed) this.#tell(version, 'installing');
      try {
        const program = await this.#options.fetch(version, signal);
        signal.throwIfAborted();
        await this.#install(program);
        break;
      } catch (error) {
        signal.throwIfAborted();
        await sleep(this.#failed(version, attempt, error), undefined, { signal });
      }
    }
    this.#log.info({ version }, 'a newer version is installed; the agent starts it when no command runs');
    await this.#options.restart(signal);
  }

  /** The service does not want a version any more that was not started yet. */
  #withdraw(version: string): void {
    if (this.#last?.version !== version || this.#last.state !== 'installing') return;
    this.#last = null;
    this.#options.onState();
    try {
      this.#record((record) => (record.trial?.version === version ? { ...record, trial: null, last: null } : record));
    } catch (error) {
      this.#log.error({ version, err: error }, 'a version that is no longer wanted may be started nevertheless');
    }
  }

  async #install({ version, node, code }: FetchedProgram): Promise<void> {
    const { folder } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const sha256 = writeProgram(folder, version, code);
    this.#tell(version, 'installing');
    this.#record((record) => ({ ...record, trial: { version, sha256, node, starts: 0 }, last: this.#last }));
  }

  /** @returns how long to wait before the next attempt */
  #failed(version: string, attempt: number, error: unknown): number {
    const isFinal = error instanceof ReleaseRefused;
    const { firstRetryMs, longestRetryMs: longestMs } = this.#pace;
    const firstMs = isFinal ? longestMs : firstRetryMs;
    const waitMs = backOffMs(attempt, { firstMs, longestMs, least: 0.5 });
    const reason = error instanceof Error ? error.message : String(error);
    const cause = error instanceof Error && error.cause instanceof Error ? `${reason}: ${error.cause.message}` : reason;
    this.#log.warn({ version, reason: cause, againInS: Math.round(waitMs / 1_000) }, 'an update cannot be installed');
    if (isFinal || attempt + 1 >= ATTEMPTS_UNTIL_FAILED) this.#tell(version, 'failed', cause);
    return waitMs;
  }

  #tell(version: string, state: 'installing' | 'done' | 'failed', reason: string | null = null): void {
    const text = reason === null ? null : oneLine(reason).slice(0, MAX_REASON);
    if (this.#last?.version === version && this.#last.state === state && this.#last.reason === text) return;
    this.#last = { version, state, reason: text, at: Date.now() };
    this.#options.onState();
  }

  #record(change: (record: UpdateRecord) => UpdateRecord): void {
    const { folder } = this.#options;
    const before = readRecord(folder);
    const after = change(before);
    if (after !== before) writeRecord(folder, after);
  }

  /** Until it is healthy. When that takes too long, or it never is, the launcher ends this process. */
  async #settle(settleMs: number): Promise<void> {
    const { version } = this.#options;
    const { signal } = this.#stopping;
    for (;;) {
      const fault = (await this.#faultWithin(settleMs, signal)) ?? this.#proveThis();
      if (fault === null) break;
      this.#log.warn({ version, fault }, 'this version is on trial, and not healthy yet');
      await sleep(this.#pace.healthAgainMs, undefined, { signal });
    }
    this.#tell(version, 'done');
    this.#log.info({ version }, 'this version is healthy, and used from now on');
  }

  /** @returns why it could not be recorded, or null */
  #proveThis(): string | null {
    const { version } = this.#options;
    const { folder } = this.#options;
    try {
      if (readRecord(folder).trial?.version !== version) return 'its trial was ended';
      this.#record((record) => prove(record, Date.now()));
      return null;
    } catch (error) {
      return `that it is healthy cannot be written down: ${error instanceof Error ? error.message : error}`;
    }
  }

  /** Connected, a command that works, and still connected after a while. @returns what is amiss, or null */
  async #faultWithin(settleMs: number, signal: AbortSignal): Promise<string | null> {
    const { isConnected, tryCommand } = this.#options;
    while (!isConnected()) await sleep(POLL_MS, undefined, { signal });
    const fault = await tryCommand(signal);
    if (fault !== null) return fault;
    await sleep(settleMs, undefined, { signal });
    return isConnected() ? null : 'the connection to the broker has ended';
  }
}
