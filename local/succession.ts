/**
 * Whether another server has taken over from this one. The agents say so, which have heard of a greater term than its own and
 * pass on its signature by the authority of both, and so does its standby, which is asked for the same. From then on nothing
 * changes here any more: what it has can be read, agents are refused, and nobody is told of anything.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import * as z from 'zod';
import { rateLimitedWarnings } from '../api/status/rate-limited-log.ts';
import { Deployment, type Place, Term } from '../shared/agent/place.ts';
import type { CertificateAuthority } from './certificate-authority.ts';
import type { DataFolder } from './data-folder.ts';
import { changeState, readState } from './state.ts';

const ASK_EVERY_MS = 60_000;
/** A start does not wait longer for a standby that is away. */
const ANSWER_WITHIN_MS = 3_000;

const Health = z.object({ term: Term, proof: Deployment.shape.proof });

export interface Succession {
  readonly deployment: Deployment;
  /** Why nothing may be changed here; null as long as this server counts. */
  whyReadOnly(): string | null;
  /** Somebody has heard of this term. Does nothing unless it is greater than all that is known, and proven. */
  heardOf(term: number, from: string, proof?: string): void;
  /** Does this when another server has taken over, or at once when one has. */
  whenSuperseded(act: () => void): void;
  /** Asks the standby every minute. @returns ends it */
  watch(): () => Promise<void>;
}

/** Asks the standby, if there is one, before it says anything. */
export async function openSuccession(
  data: Pick<DataFolder, 'path'>,
  standby: Place | null,
  authority: Pick<CertificateAuthority, 'proofOf' | 'isProofOf'>,
  log: Logger,
): Promise<Succession> {
  const state = await readState(data);
  const { term } = state;
  let by = state.supersededBy;
  const warn = rateLimitedWarnings(log);
  const acts: (() => void)[] = [];
  let writing: Promise<void> = Promise.resolve();
  const isSuperseded = () => by !== null && by > term;

  function heardOf(other: number, from: string, proof = ''): void {
    if (other <= Math.max(by ?? term, term)) return;
    if (!authority.isProofOf(other, proof)) {
      warn(from, { from, term: other }, 'a term is named that no server is proven to have');
      return;
    }
    const isNews = !isSuperseded();
    by = other;
    writing = writing
      .then(() => changeState(data, { supersededBy: other }))
      .catch((error: unknown) => log.error({ err: error }, 'that this server is superseded cannot be written down'));
    log.error({ term, by: other, from }, 'this server is superseded: another one has taken over, agents are refused');
    if (isNews) for (const act of acts) act();
  }

  async function ask(): Promise<void> {
    if (standby === null || isSuperseded()) return;
    const other = await termOf(standby.api);
    if (other !== null) heardOf(other.term, standby.api, other.proof);
  }

  await ask();
  return {
    deployment: { term, standby, proof: authority.proofOf(term) },
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
        while (standby !== null && !signal.aborted) {
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

/** The term of a server, with its proof; null for one that does not serve, or does not answer. */
export async function termOf(api: string): Promise<z.output<typeof Health> | null> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const response = await fetch(`${api.replace(/\/+$/, '')}/health`, { signal, redirect: 'error' });
    return Health.safeParse(await response.json()).data ?? null;
  } catch {
    return null;
  }
}
