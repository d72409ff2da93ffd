/**
 * Limits what one agent may change in the collection of its site, because a compromised agent can invent sightings, and each
 * change is kept in the journal for 90 days. Counted per process.
 * @promise A rogue agent cannot fill the database: `functions/sightings/change-budget.test.ts`, `test/api/sightings.test.ts`.
 */

import type { AgentId } from '../../shared/identity.ts';
import { HOUR_MS } from '../../shared/time.ts';
import { TokenBuckets } from '../http/token-bucket.ts';

/** Far more than happens on a LAN of 4,096 addresses; as many devices as discovery adds to a collection. */
export const CHANGES_AN_HOUR = 20_000;
/** The pause between two messages of an agent that has exhausted its budget. */
export const LIMITED_EVERY_MS = 60_000;
/** Agents that are tracked; an agent that is evicted gets a whole budget again. */
const MAX_AGENTS = 10_000;

export class ChangeBudget {
  readonly #now: () => number;
  readonly #changes: TokenBuckets;
  readonly #messages: TokenBuckets;
  readonly #limitedUntil = new Map<AgentId, number>();

  /** @param now Unix, ms */
  constructor(now: () => number, changesAnHour = CHANGES_AN_HOUR) {
    this.#now = now;
    const limits = { capacity: changesAnHour, refillMs: HOUR_MS / changesAnHour, maxKeys: MAX_AGENTS };
    this.#changes = new TokenBuckets(limits, now);
    this.#messages = new TokenBuckets({ capacity: 1, refillMs: LIMITED_EVERY_MS, maxKeys: MAX_AGENTS }, now);
  }

  /** Whether a message is accepted: any, or for an hour after the budget was exhausted only one a minute. */
  allows(agent: AgentId): boolean {
    return !this.#isLimited(agent) || this.#messages.take(agent);
  }

  /**
   * Counts the changes of a message, applied or rejected; at least one, for the work of handling it.
   * @returns until when the agent is limited (Unix, ms); null when it is not, or was already
   */
  spend(agent: AgentId, changes: number): number | null {
    this.#changes.owe(agent, Math.max(1, changes));
    if (this.#changes.left(agent) > 0 || this.#isLimited(agent)) return null;
    const until = this.#now() + HOUR_MS;
    this.#limitedUntil.set(agent, until);
    for (const [other, end] of this.#limitedUntil) {
      if (end <= this.#now() || this.#limitedUntil.size > MAX_AGENTS) this.#limitedUntil.delete(other);
    }
    return until;
  }

  #isLimited(agent: AgentId): boolean {
    return (this.#limitedUntil.get(agent) ?? 0) > this.#now();
  }
}
