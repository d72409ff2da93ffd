/**
 * A server that may take over: it fetches the backup of the first one again and again, keeps the newest that is whole, and
 * answers nothing but what it is, until somebody promotes it. It does not decide that by itself unless it was told to: from
 * here a first server that is dead looks like one behind a cut line, which goes on with its agents and callers.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ERRORS, refusalBody } from '../api/http/errors.ts';
import { presentedToken } from '../api/http/presented-token.ts';
import { deferred } from '../shared/async.ts';
import type { ErrorCode } from '../shared/errors.ts';
import { digestBytesOf, digestMatches } from '../store/access/token.ts';
import type { LocalConfig, StandbyOf } from './config.ts';
import type { DataFolder } from './data-folder.ts';
import { startHttpServer } from './http-server.ts';
import { type CopyInfo, fetchCopy, newestCopy } from './standby-copy.ts';

/** By `POST` with the first server's token. */
export const PROMOTE_PATH = '/standby/promote';

const RETRY_MS = 30_000;
/** How often the first server is asked whether it is there, where its silence promotes this one. */
const ASK_EVERY_MS = 20_000;
const ANSWER_WITHIN_MS = 10_000;
/** A copy that is older than so many rounds is told of in the log. */
const OLD_AFTER_ROUNDS = 3;

export interface Standby {
  readonly port: number;
  /** Resolves when somebody has promoted it, and there is a copy. Then it has let go of its port. */
  promoted: Promise<CopyInfo>;
  /** Ends it without that. */
  close(): Promise<void>;
}

interface Options {
  of: StandbyOf;
  /** The first token of that server. */
  token: string;
  config: Pick<LocalConfig, 'host' | 'port'>;
  data: DataFolder;
  version: string;
  log: Logger;
  onStep?(part: string, detail: string): void;
}

export async function startStandby({
  of,
  token,
  config,
  data,
  version,
  log,
  onStep = () => {},
}: Options): Promise<Standby> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const asked = deferred<'asked'>();
  let copy = await newestCopy(data);
  let problem: string | null = copy === null ? 'it has no copy yet' : null;
  let isPromoted = false;

  const server = await startHttpServer((request) => answer(request), config.host, config.port);
  onStep('standby', `of ${of.url}; ${copy === null ? 'no copy yet' : `copy of ${copy.madeAt}`}`);

  function answer(request: Request): Response {
    const { pathname } = new URL(request.url);
    if (request.method === 'POST' && pathname.endsWith(PROMOTE_PATH)) return promote(request);
    if (request.method === 'GET' && pathname.endsWith('/health')) return json(200, state());
    return refusal('unavailable', isPromoted ? 'This server is taking over; ask again in some seconds' : sentence());
  }

  function state() {
    const age = copy === null ? null : Math.max(0, Math.round((Date.now() - Date.parse(copy.madeAt)) / 1000));
    return {
      status: isPromoted ? 'taking-over' : 'standby',
      version,
      copy: copy === null ? null : { madeAt: copy.madeAt, ageSeconds: age, bytes: copy.bytes, term: copy.term },
      problem,
    };
  }

  const sentence = () =>
    `This server is a standby and serves nobody until it is promoted${copy === null ? '; it has no copy yet' : ` (copy of ${copy.madeAt})`}`;

  function promote(request: Request): Response {
    const presented = presentedToken(request.headers.get('authorization') ?? undefined);
    if (presented === null || !digestMatches(presented.digest, digestBytesOf(token)))
      return refusal('forbidden', 'Only the token of the first server may promote this one');
    if (copy === null) return refusal('conflict', 'There is no copy of the first server yet: nothing to take over');
    log.warn({ copy: copy.madeAt }, 'this server is promoted by a caller');
    isPromoted = true;
    asked.resolve('asked');
    return json(202, state());
  }

  async function fetchAgain(): Promise<void> {
    for (;;) {
      const startedAt = Date.now();
      try {
        copy = await fetchCopy({ url: of.url, token }, data, signal, copy);
        problem = null;
        log.info({ madeAt: copy.madeAt, bytes: copy.bytes }, 'the copy is new');
      } catch (error) {
        if (signal.aborted) return;
        problem = error instanceof Error ? error.message : String(error);
        const age = copy === null ? null : Date.now() - Date.parse(copy.madeAt);
        const isOld = age === null || age > OLD_AFTER_ROUNDS * of.everyMs;
        log[isOld ? 'error' : 'warn']({ problem, copy: copy?.madeAt ?? null }, 'the first server cannot be copied');
      }
      const pauseMs = problem === null ? of.everyMs * (0.9 + 0.2 * Math.random()) : Math.min(of.everyMs, RETRY_MS);
      await sleep(Math.max(0, startedAt + pauseMs - Date.now()), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
    }
  }

  /** Resolves when the first server has not answered for as long as the setting says. */
  async function silence(withinMs: number): Promise<void> {
    let answeredAt = performance.now();
    for (;;) {
      await sleep(Math.min(ASK_EVERY_MS, withinMs / 3), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      if (await answers(of.url, signal)) answeredAt = performance.now();
      else if (copy !== null && performance.now() - answeredAt >= withinMs) break;
    }
    log.error({ minutes: withinMs / 60_000 }, 'the first server has not answered: this one promotes itself');
    isPromoted = true;
    asked.resolve('asked');
  }

  const working = Promise.all([fetchAgain(), of.promoteAfterMs === null ? null : silence(of.promoteAfterMs)]);
  async function end(): Promise<void> {
    stopping.abort();
    await working;
    await server.close();
  }
  return {
    port: server.port,
    promoted: asked.promise.then(async () => {
      await end();
      if (copy === null) throw new Error('there is no copy');
      return copy;
    }),
    close: end,
  };
}

async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    const response = await fetch(`${url}/health`, { signal: limit, redirect: 'error' });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

function json(status: number, body: object): Response {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return new Response(JSON.stringify(body), { status, headers });
}

function refusal(code: ErrorCode, message: string): Response {
  return json(ERRORS[code][0], refusalBody(code, message, randomUUID()));
}
