/** Makes the checks of the plan, each in its own rhythm, and tells what they measure and what changes. */
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Change } from '../../shared/agent/measurements.ts';
import type { Plan, PlanItemId, PlannedCheck, Probe } from '../../shared/agent/plan.ts';
import { deadline } from '../../shared/async.ts';
import type { Measurements } from '../measurements/measurements.ts';
import type { PlanPart } from '../plan/plan-keeper.ts';
import { type Finding, notSent, unanswered } from './finding.ts';
import { isNewAddress } from './internet.ts';
import type { WantsPath } from './probe.ts';
import { spreadOf, turnAfter } from './turns.ts';
import { changesAfter, type Memory, nothingRemembered, wantsPath } from './verdict.ts';

/** A thousand hosts that do not answer take 45 s of each minute. */
const AT_ONCE = 64;
/** Limit of one run, where its interval is not shorter. Runs that begin in a batch end within it and this. */
const LONGEST_RUN_MS = 45_000;
/** A check that is new, or has failed once, is made within so much time, however long its interval is. */
const SOON_MS = 60_000;
const ADDRESS_EVERY_MS = 15 * 60_000;
const ADDRESS_WITHIN_MS = 20_000;

export interface CheckRunnerOptions {
  /** Distinguishes the turns of this agent from those of others that make the same checks. */
  client: string;
  /** Makes one run. */
  probe(probe: Probe, signal: AbortSignal, wantsPath: WantsPath): Promise<Finding>;
  /** The public address of the site; null when it is not known. */
  publicAddress(signal: AbortSignal): Promise<{ address: string; provider: string | null } | null>;
  measurements: Pick<Measurements, 'told' | 'address' | 'tell' | 'point' | 'keepOnly'>;
  log: Logger;
  now?: () => number;
  /** For tests, which cannot wait for minutes. */
  intervalMs?: (check: PlannedCheck) => number;
}

interface Active {
  check: PlannedCheck;
  spread: number;
  timer?: NodeJS.Timeout;
  /** When its last run was to begin; null before the first. */
  turn: number | null;
  run: AbortController | null;
  memory: Memory;
}

export class CheckRunner implements PlanPart {
  readonly #options: CheckRunnerOptions;
  readonly #now: () => number;
  readonly #intervalMs: (check: PlannedCheck) => number;
  readonly #active = new Map<PlanItemId, Active>();
  readonly #limit = pLimit(AT_ONCE);
  /** The look-up of the public address: when it was last made, what it gave, and the one under way. */
  #askedAddressAt = Number.NEGATIVE_INFINITY;
  #lastAddress: string | null = null;
  #askingAddress: AbortController | null = null;

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

  /** Ends all runs; what they would have found is not told. */
  stop(): void {
    for (const active of this.#active.values()) this.#end(active);
    this.#askingAddress?.abort();
  }

  #begin(check: PlannedCheck): void {
    const spread = spreadOf(`${this.#options.client} ${check.id}`);
    const active: Active = { check, spread, turn: null, run: null, memory: nothingRemembered() };
    this.#active.set(check.id, active);
    this.#schedule(active);
  }

  #end(active: Active): void {
    this.#active.delete(active.check.id);
    clearTimeout(active.timer);
    active.run?.abort();
  }

  /** Sets the timer for the next turn. */
  #schedule(active: Active): void {
    clearTimeout(active.timer);
    const { check, turn, memory, spread } = active;
    const every = this.#intervalMs(check);
    const intervalMs = turn === null || memory.failures === 1 ? Math.min(every, SOON_MS) : every;
    const now = this.#now();
    // A timer may be a millisecond early. A turn far ahead was made before the clock was set back.
    const after = turn === null || turn > now + intervalMs ? now : Math.max(now, turn);
    const next = turnAfter(after, intervalMs, spread);
    active.timer = setTimeout(() => {
      active.turn = next;
      // No run of a check begins while one is under way, or waits for its place.
      this.#limit(() => this.#run(active))
        .catch((error) => this.#options.log.error({ check: check.id, err: error }, 'a check could not be told'))
        .finally(() => this.#isActive(active) && this.#schedule(active));
    }, next - now);
    active.timer.unref();
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
    const told = measurements.told(check.id);
    const changes = changesAfter(check, finding, at, told, memory);
    if (finding.measured !== null) measurements.point(check.id, at, finding.measured);
    for (const change of changes) {
      if ('ok' in change) log.info({ check: change.check, ok: change.ok, at }, 'the state of a check has changed');
    }
    if (changes.length > 0) void measurements.tell(changes);
    if (check.probe.kind === 'internet' && finding.fault === null) this.#askAddress(told.ok === false);
  }

  async #find(active: Active, at: number): Promise<Finding> {
    const { check, memory } = active;
    const { probe, measurements, log } = this.#options;
    const run = new AbortController();
    active.run = run;
    const limitMs = Math.min(LONGEST_RUN_MS, this.#intervalMs(check) * 0.9);
    const wants: WantsPath = (ok) => {
      const isWanted = wantsPath(ok, at, measurements.told(check.id), memory);
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

  /** Looks the public address up, when the internet is back or a quarter of an hour is over. */
  #askAddress(isBack: boolean): void {
    const now = this.#now();
    const isDue = isBack || Math.abs(now - this.#askedAddressAt) >= ADDRESS_EVERY_MS;
    if (this.#askingAddress !== null || !isDue) return;
    this.#askedAddressAt = now;
    const asking = new AbortController();
    this.#askingAddress = asking;
    const { publicAddress, measurements, log } = this.#options;
    deadline(publicAddress(asking.signal), ADDRESS_WITHIN_MS, () => {
      asking.abort();
      return null;
    })
      .then((found) => {
        if (found === null || asking.signal.aborted) return;
        const { address, provider } = found;
        const isNew = isNewAddress(measurements.address, address, this.#lastAddress);
        this.#lastAddress = address;
        const change: Change = { t: 'address', at: now, address, provider };
        if (isNew) void measurements.tell([change]);
      })
      .catch((error) => log.error({ err: error }, 'the public address could not be looked up'))
      .finally(() => {
        this.#askingAddress = null;
      });
  }
}
