/**
 * Updates the agent to the version in its plan: fetches and verifies the program, installs it beside the running one, and
 * restarts the agent through the launcher (`agent/launch/`). A new program is on trial first: here it checks its own
 * health, and records that it is proven.
 */
import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Plan } from '../../shared/agent/plan.ts';
import { compareVersions, type UpdateState } from '../../shared/agent/release.ts';
import { backOffMs, deferred } from '../../shared/async.ts';
import { oneLine } from '../../shared/text.ts';
import { HOUR_MS } from '../../shared/time.ts';
import { prove } from '../launch/choice.ts';
import { MAX_REASON, readRecord, type UpdateRecord, writeProgram, writeRecord } from '../launch/record.ts';
import type { PlanPart } from '../plan/plan-keeper.ts';
import type { FetchedProgram } from './fetch-release.ts';
import { ReleaseRefused } from './verify-release.ts';

const PACE = {
  /** Jitter of the first attempt: many agents receive a plan at once. */
  firstWithinMs: 3_000,
  firstRetryMs: 20_000,
  longestRetryMs: HOUR_MS,
  /** Between two health checks. */
  healthAgainMs: 5_000,
};
/** After these attempts, which take some minutes, the agent reports a failure, and continues to retry. */
const ATTEMPTS_UNTIL_FAILED = 6;

export interface UpdaterOptions {
  /** Folder of the installed programs and their record. */
  folder: string;
  version: string;
  able: boolean;
  /** How long this program must be healthy until it is proven (ms); null when it is not on trial. */
  settleMs: number | null;
  fetch(version: string, signal: AbortSignal): Promise<FetchedProgram>;
  isConnected(): boolean;
  /** Runs a harmless command. @returns why it failed, or null */
  tryCommand(signal: AbortSignal): Promise<string | null>;
  /** Restarts the agent gracefully. Rejects when aborted before it begins. */
  restart(signal: AbortSignal): Promise<void>;
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

  /** Begins the health checks of a program on trial. To be called when the agent connects to the broker. */
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

  /** Leaves an update in progress as a crash would. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Retries until the release is installed, or the plan no longer names it. */
  async #replace(version: string, signal: AbortSignal): Promise<void> {
    await this.#settled.promise;
    signal.throwIfAborted();
    await sleep(Math.random() * this.#pace.firstWithinMs, undefined, { signal });
    for (let attempt = 0; ; attempt++) {
      const hasFailed = this.#last?.version === version && this.#last.state === 'failed';
      if (!hasFailed) this.#report(version, 'installing');
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
    this.#log.info({ version }, 'installed a newer version; the agent restarts when no command runs');
    await this.#options.restart(signal);
  }

  /** Removes a version that the plan no longer names, unless it has started. */
  #withdraw(version: string): void {
    if (this.#last?.version !== version || this.#last.state !== 'installing') return;
    this.#last = null;
    this.#options.onState();
    try {
      this.#record((record) => (record.trial?.version === version ? { ...record, trial: null, last: null } : record));
    } catch (error) {
      this.#log.error({ version, err: error }, 'a version that the plan no longer names may start nevertheless');
    }
  }

  async #install({ version, node, code }: FetchedProgram): Promise<void> {
    const { folder } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const sha256 = writeProgram(folder, version, code);
    this.#report(version, 'installing');
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
    this.#log.warn({ version, reason: cause, retryInS: Math.round(waitMs / 1_000) }, 'an update cannot be installed');
    if (isFinal || attempt + 1 >= ATTEMPTS_UNTIL_FAILED) this.#report(version, 'failed', cause);
    return waitMs;
  }

  #report(version: string, state: 'installing' | 'done' | 'failed', reason: string | null = null): void {
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

  /** Repeats the health check until it succeeds. When that takes too long, the launcher ends this process. */
  async #settle(settleMs: number): Promise<void> {
    const { version } = this.#options;
    const { signal } = this.#stopping;
    for (;;) {
      const fault = (await this.#faultWithin(settleMs, signal)) ?? this.#proveThis();
      if (fault === null) break;
      this.#log.warn({ version, fault }, 'this version is on trial, and not healthy yet; will retry');
      await sleep(this.#pace.healthAgainMs, undefined, { signal });
    }
    this.#report(version, 'done');
    this.#log.info({ version }, 'this version is healthy, and in use from now on');
  }

  /** @returns why it could not be recorded, or null */
  #proveThis(): string | null {
    const { version, folder } = this.#options;
    try {
      if (readRecord(folder).trial?.version !== version) return 'its trial was ended';
      this.#record((record) => prove(record, Date.now()));
      return null;
    } catch (error) {
      return `that it is healthy cannot be written down: ${error instanceof Error ? error.message : error}`;
    }
  }

  /** Healthy: connected, a command works, and still connected after `settleMs`. @returns what is wrong, or null */
  async #faultWithin(settleMs: number, signal: AbortSignal): Promise<string | null> {
    const { isConnected, tryCommand } = this.#options;
    while (!isConnected()) await sleep(100, undefined, { signal });
    const fault = await tryCommand(signal);
    if (fault !== null) return fault;
    await sleep(settleMs, undefined, { signal });
    return isConnected() ? null : 'the connection to the broker has ended';
  }
}
