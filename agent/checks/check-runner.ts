/** Runs the checks of the plan, each at its interval, and reports measurements and state changes. */
import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Change } from '../../shared/agent/measurements.ts';
import type { Plan, PlanItemId, PlannedCheck, Probe } from '../../shared/agent/plan.ts';
import { deadline } from '../../shared/async.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { Measurements } from '../measurements/measurements.ts';
import type { PlanPart } from '../plan/plan-keeper.ts';
import { type Finding, notSent, unanswered } from './finding.ts';
import { isNewAddress } from './internet.ts';
import type { WantsPath } from './probe.ts';
import { changesAfter, type Memory, nothingRemembered, wantsPath } from './state-changes.ts';

/** A thousand hosts that do not answer take 45 s of each minute. */
const AT_ONCE = 64;
/** The deadline of one run, unless its interval is shorter. A batch of measurements closes later than that. */
const LONGEST_RUN_MS = 45_000;

export interface CheckRunnerOptions {
  /** Shifts the slots of this agent against those of others that run the same checks. */
  client: string;
  probe(probe: Probe, signal: AbortSignal, wantsPath: WantsPath): Promise<Finding>;
  /** The public address of the site; null when it is unknown. Must have a deadline of its own. */
  publicAddress(signal: AbortSignal): Promise<{ address: string; provider: string | null } | null>;
  measurements: Pick<Measurements, 'reported' | 'address' | 'report' | 'point' | 'keepOnly'>;
  log: Logger;
  now?: () => number;
  intervalMs?: (check: PlannedCheck) => number;
}

interface Active {
  check: PlannedCheck;
  spread: number;
  timer?: NodeJS.Timeout;
  /** The slot of its last run; null before the first. */
  slot: number | null;
  run: AbortController | null;
  memory: Memory;
}

/** A hash in 0 … 2³²−1, which spreads checks over their interval, so that many never start at once. */
export function spreadOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}

/** The first slot after this time. All in ms. */
export function slotAfter(time: number, intervalMs: number, spread: number): number {
  const phase = spread % intervalMs;
  return Math.floor((time - phase) / intervalMs) * intervalMs + intervalMs + phase;
}

export class CheckRunner implements PlanPart {
  readonly #options: CheckRunnerOptions;
  readonly #now: () => number;
  readonly #intervalMs: (check: PlannedCheck) => number;
  readonly #active = new Map<PlanItemId, Active>();
  readonly #limit = pLimit(AT_ONCE);
  /** The look-up of the public address: the last time and result, and the one in flight. */
  #addressQueriedAt = Number.NEGATIVE_INFINITY;
  #lastAddress: string | null = null;
  #addressQuery: AbortController | null = null;

  constructor(options: CheckRunnerOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#intervalMs = options.intervalMs ?? (({ everySeconds }) => everySeconds * 1_000);
  }

  apply({ checks }: Plan): void {
    const wanted = new Set(checks.map(({ id }) => id));
    for (const [id, active] of this.#active) if (!wanted.has(id)) this.#end(active);
    for (const check of checks) {
      const active = this.#active.get(check.id);
      if (active === undefined) this.#begin(check);
      else if (active.check.everySeconds === check.everySeconds) active.check = check;
      else {
        active.check = check;
        this.#schedule(active);
      }
    }
    this.#options.measurements.keepOnly(wanted);
  }

  /** Aborts all runs, without a report. */
  stop(): void {
    for (const active of this.#active.values()) this.#end(active);
    this.#addressQuery?.abort();
  }

  #begin(check: PlannedCheck): void {
    const spread = spreadOf(`${this.#options.client} ${check.id}`);
    const active: Active = { check, spread, slot: null, run: null, memory: nothingRemembered() };
    this.#active.set(check.id, active);
    this.#schedule(active);
  }

  #end(active: Active): void {
    this.#active.delete(active.check.id);
    clearTimeout(active.timer);
    active.run?.abort();
  }

  #schedule(active: Active): void {
    clearTimeout(active.timer);
    const { check, slot, memory, spread } = active;
    const every = this.#intervalMs(check);
    // A new check, or one that has failed once, runs within a minute.
    const intervalMs = slot === null || memory.failures === 1 ? Math.min(every, MINUTE_MS) : every;
    const now = this.#now();
    // A timer may be a millisecond early. A slot far ahead precedes a clock that was set back.
    const after = slot === null || slot > now + intervalMs ? now : Math.max(now, slot);
    const next = slotAfter(after, intervalMs, spread);
    active.timer = setTimeout(() => {
      active.slot = next;
      // No run of a check begins while another is in progress or waits for its place.
      this.#limit(() => this.#run(active))
        .catch((error) => this.#options.log.error({ check: check.id, err: error }, 'a check could not be reported'))
        .finally(() => this.#isActive(active) && this.#schedule(active));
    }, next - now).unref();
  }

  #isActive(active: Active): boolean {
    return this.#active.get(active.check.id) === active;
  }

  async #run(active: Active): Promise<void> {
    if (!this.#isActive(active)) return;
    const { check, memory } = active;
    const { measurements, log } = this.#options;
    const at = this.#now();
    const finding = await this.#find(active, at);
    active.run = null;
    if (!this.#isActive(active)) return;
    const reported = measurements.reported(check.id);
    const changes = changesAfter(check, finding, at, reported, memory);
    if (finding.measured !== null) measurements.point(check.id, at, finding.measured);
    for (const change of changes) {
      if ('ok' in change) log.info({ check: change.check, ok: change.ok, at }, 'the state of a check changed');
    }
    if (changes.length > 0) void measurements.report(changes);
    if (check.probe.kind === 'internet' && finding.fault === null) this.#queryAddress(reported.ok === false);
  }

  async #find(active: Active, at: number): Promise<Finding> {
    const { check, memory } = active;
    const { probe, measurements, log } = this.#options;
    const run = new AbortController();
    active.run = run;
    const limitMs = Math.min(LONGEST_RUN_MS, this.#intervalMs(check) * 0.9);
    const wants: WantsPath = (ok) => {
      const isWanted = wantsPath(ok, at, measurements.reported(check.id), memory);
      if (isWanted) memory.tracedAt = at;
      return isWanted;
    };
    try {
      return await deadline(probe(check.probe, run.signal, wants), limitMs, () => {
        run.abort();
        return unanswered({ code: 'no-answer-within', values: { seconds: Math.round(limitMs / 1000) } });
      });
    } catch (error) {
      log.error({ check: check.id, err: error }, 'a check failed because of a defect in the agent');
      return notSent({ code: 'agent-defect' });
    }
  }

  /** Looks up the public address every quarter of an hour, and after an internet outage. */
  #queryAddress(isBack: boolean): void {
    const now = this.#now();
    const isDue = isBack || Math.abs(now - this.#addressQueriedAt) >= 15 * MINUTE_MS;
    if (this.#addressQuery !== null || !isDue) return;
    this.#addressQueriedAt = now;
    const query = new AbortController();
    this.#addressQuery = query;
    const { publicAddress, measurements, log } = this.#options;
    publicAddress(query.signal)
      .then((found) => {
        if (found === null || query.signal.aborted) return;
        const { address, provider } = found;
        const isNew = isNewAddress(measurements.address, address, this.#lastAddress);
        this.#lastAddress = address;
        const change: Change = { t: 'address', at: now, address, provider };
        if (isNew) void measurements.report([change]);
      })
      .catch((error) => log.error({ err: error }, 'the public address could not be looked up'))
      .finally(() => {
        this.#addressQuery = null;
      });
  }
}
