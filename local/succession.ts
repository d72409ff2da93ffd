/**
 * Whether another server has taken over from this one. Its standby says so, which is asked: every minute, and when an agent
 * says that it has heard of a greater term. An agent is not believed by itself, for one that lies would stop all sites. From
 * then on nothing changes here any more: what it has can be read, agents are refused, and nobody is told of anything.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import * as z from 'zod';
import { type Deployment, type Place, Term } from '../shared/agent/place.ts';
import type { DataFolder } from './data-folder.ts';
import { changeState, readState, type State } from './state.ts';

const ASK_EVERY_MS = 60_000;
/** Between two questions that agents bring about. */
const ASK_AGAIN_AFTER_MS = 10_000;
/** A term grows by one with each promotion: one that is so much greater than our own was made up. */
const MOST_AHEAD = 100;
/** A start does not wait longer for a standby that is away. */
const ANSWER_WITHIN_MS = 3_000;

const Health = z.object({ term: Term });

export interface Succession {
  readonly deployment: Deployment;
  /** Why nothing may be changed here; null as long as this server counts. */
  whyReadOnly(): string | null;
  /**
   * An agent says that it has heard of this term. Unless it is greater than all that is known, nothing happens; else it is
   * noted, for `promote`, and the standby is asked whether it is so.
   */
  heardOf(term: number, from: string): void;
  /** Does this when another server has taken over, or at once when one has. */
  whenSuperseded(act: () => void): void;
  /** Asks the standby every minute. @returns ends it */
  watch(): () => Promise<void>;
}

/**
 * Asks the standby, if there is one, before it says anything.
 * @param first the API of the server that this one has taken over from: it may count again
 */
export async function openSuccession(
  data: Pick<DataFolder, 'path'>,
  standby: Place | null,
  log: Logger,
  first: string | null = null,
): Promise<Succession> {
  const peers = [standby?.api ?? null, first].filter((api) => api !== null);
  const state = await readState(data);
  const { term } = state;
  let by = state.supersededBy;
  const acts: (() => void)[] = [];
  let reported = Math.max(state.reportedTerm ?? term, term);
  let askedAt = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> = Promise.resolve();
  const isSuperseded = () => by !== null && by > term;

  function write(change: Partial<State>): void {
    writing = writing
      .then(() => changeState(data, change))
      .catch((error: unknown) => log.error({ err: error }, 'what is known of other servers cannot be written down'));
  }

  function isSupersededBy(other: number, from: string): void {
    if (other <= Math.max(by ?? term, term)) return;
    const isNews = !isSuperseded();
    by = other;
    write({ supersededBy: other });
    log.error({ term, by: other, from }, 'this server is superseded: another one has taken over, agents are refused');
    if (isNews) for (const act of acts) act();
  }

  function heardOf(other: number, from: string): void {
    if (other <= term || other > term + MOST_AHEAD || isSuperseded()) return;
    if (other > reported) {
      reported = other;
      write({ reportedTerm: other });
      log.error(
        { term, reported: other, from },
        'an agent says that another server has taken over; the standby is asked',
      );
    }
    if (performance.now() - askedAt >= ASK_AGAIN_AFTER_MS) void ask();
  }

  /** Never rejects. */
  async function ask(): Promise<void> {
    askedAt = performance.now();
    for (const api of peers) {
      if (isSuperseded()) return;
      const other = await termOf(api);
      if (other !== null) isSupersededBy(other, api);
    }
  }

  await ask();
  return {
    deployment: { term, standby },
    heardOf,
    whyReadOnly() {
      if (!isSuperseded()) return null;
      const where = standby === null ? 'Another server' : `The server at ${standby.api}`;
      return `${where} has taken over from this one (term ${by}, and ${term} here), so that nothing can be changed here`;
    },
    whenSuperseded(act) {
      if (isSuperseded()) act();
      else acts.push(act);
    },
    watch() {
      const stopping = new AbortController();
      const { signal } = stopping;
      const watching = (async () => {
        while (peers.length > 0 && !signal.aborted) {
          await sleep(ASK_EVERY_MS, undefined, { signal }).catch(() => {});
          if (!signal.aborted) await ask();
        }
      })();
      return async () => {
        stopping.abort();
        await watching;
        await writing;
      };
    },
  };
}

/** The term of a server; null for one that does not serve, or does not answer. */
export async function termOf(api: string): Promise<number | null> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const response = await fetch(`${api.replace(/\/+$/, '')}/health`, { signal, redirect: 'error' });
    return Health.safeParse(await response.json()).data?.term ?? null;
  } catch {
    return null;
  }
}
