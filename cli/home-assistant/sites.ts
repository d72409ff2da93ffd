/**
 * The sites and devices that the bridge shows. The service's streams of events say when to read a site again; without a stream
 * it is read every minute.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { ApiError, ConnectionError, UnexpectedAnswerError } from '../../client/errors.ts';
import type { SiteOverview } from '../../shared/api/overview.ts';
import { backOffMs } from '../../shared/async.ts';
import { failureOf } from '../client/failure.ts';
import type { Device } from './messages.ts';

export interface Choice {
  /** Ids and tags with commas; undefined: all sites of the token. */
  sites: string | undefined;
  /** What of the list of devices is shown. */
  devices: { status: 'favorites' | 'my'; group?: string | undefined };
  /** Devices of one site, at most. */
  most: number;
}

export interface SiteState {
  site: SiteOverview;
  /** Ordered by name. */
  devices: readonly Device[];
  /** Whether there are more than are shown. */
  isCut: boolean;
}

interface Options {
  client: Client;
  choice: Choice;
  /** The ids of the sites that are shown: others are gone, or out of the token's reach. */
  onSites(ids: ReadonlySet<string>): void;
  onState(state: SiteState): void;
  /** The service has answered. */
  onAnswer(): void;
  note(text: string): void;
  signal: AbortSignal;
}

/** Each holds a stream open. */
export const MAX_SITES = 50;
const PAGE = 500;
/** How often the sites are listed, and each is read without an event. */
const CALM_MS = 300_000;
/** The same while the site has no stream. */
const POLL_MS = 60_000;
/** Events of one moment lead to one reading. */
const SETTLE_MS = 500;
/** Between two readings of a site. */
const GAP_MS = 2_000;
const RETRY = { firstMs: 1_000, longestMs: 60_000, least: 0.5 } as const;

/** Between half and one and a half of it, so that bridges do not keep in step. */
const around = (ms: number) => ms * (0.5 + Math.random());

/** Watches until the signal. @throws {Failure} when the service refuses the token */
export async function watchSites({ client, choice, onSites, onState, onAnswer, note, signal }: Options): Promise<void> {
  const watched = new Map<string, AbortController>();
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  let refusal: unknown = null;
  let watchedBefore: number | null = null;
  let wasCut = false;
  let relist = () => {};

  const pause = (ms: number, until: AbortSignal) => sleep(ms, undefined, { signal: until }).catch(() => {});

  /** Whether another attempt may succeed: not with a token that the service refuses. */
  function mayRetry(error: unknown): boolean {
    if (error instanceof ConnectionError || error instanceof UnexpectedAnswerError) return true;
    return error instanceof ApiError && error.code !== 'forbidden';
  }

  function giveUp(error: unknown): void {
    if (stop.aborted) return;
    refusal = error;
    ended.abort();
  }

  async function list(): Promise<SiteOverview[]> {
    const found: SiteOverview[] = [];
    for (let cursor: string | undefined; ; ) {
      const query = { limit: String(PAGE), sites: choice.sites, cursor };
      const { sites, nextCursor } = await client.ask('GET /overview', { query, signal: stop });
      onAnswer();
      found.push(...sites);
      if (found.length > MAX_SITES && !wasCut)
        note(`The token may use more than ${MAX_SITES} sites: choose some by --sites`);
      wasCut = found.length > MAX_SITES;
      if (nextCursor === null || wasCut) return found.slice(0, MAX_SITES);
      cursor = nextCursor;
    }
  }

  async function read(id: string, until: AbortSignal): Promise<void> {
    const { sites } = await client.ask('GET /overview', { query: { site: id }, signal: until });
    const devices: Device[] = [];
    let cursor: string | null | undefined;
    do {
      const limit = String(Math.min(PAGE, choice.most + 1 - devices.length));
      const query = {
        ...choice.devices,
        fields: 'all' as const,
        sort: 'name' as const,
        limit,
        cursor: cursor ?? undefined,
      };
      const page = await client.ask('GET /devices', { site: id, query, signal: until });
      devices.push(...(page.devices as Device[]));
      cursor = page.nextCursor;
    } while (cursor && devices.length <= choice.most);
    onAnswer();
    const [site] = sites;
    if (site !== undefined && !until.aborted)
      onState({ site, devices: devices.slice(0, choice.most), isCut: devices.length > choice.most });
  }

  /** Reads a site at first, after events, and now and then. */
  async function watch(id: string, until: AbortSignal): Promise<void> {
    const stream = { isLive: false, wake: () => {} };
    void follow(id, stream, until);
    let failures = 0;
    while (!until.aborted) {
      const woken = new Promise<void>((resolve) => {
        stream.wake = resolve;
      });
      try {
        await read(id, until);
        failures = 0;
      } catch (error) {
        if (until.aborted) return;
        if (!mayRetry(error)) return giveUp(error);
        if (error instanceof ApiError && error.code === 'site_forbidden') relist();
        if (failures === 0) note(`Cannot read the site ${id}: ${(error as Error).message}; trying again`);
        await pause(backOffMs(failures++, RETRY), until);
        continue;
      }
      await pause(GAP_MS, until);
      const waiting = new AbortController();
      await Promise.race([
        woken,
        pause(around(stream.isLive ? CALM_MS : POLL_MS), AbortSignal.any([until, waiting.signal])),
      ]);
      waiting.abort();
      await pause(SETTLE_MS, until);
    }
  }

  async function follow(id: string, stream: { isLive: boolean; wake(): void }, until: AbortSignal): Promise<void> {
    let last = '';
    let retryMs = 0;
    for (let breaks = 0; !until.aborted; breaks++) {
      try {
        for await (const event of client.follow('GET /events', last, { site: id, signal: until })) {
          last = event.id ?? last;
          retryMs = event.retryMs ?? retryMs;
          // After a break without a place to resume at, anything may have happened.
          if (event.event === 'message' || event.event === 'gap' || (event.event === 'ready' && breaks > 0))
            stream.wake();
          if (event.event !== 'end') stream.isLive = true;
          if (event.event === 'ready') breaks = 0;
        }
        breaks = -1; // It ends every two minutes, and resumes.
      } catch {
        // The reading says what is wrong.
        if (stream.isLive) stream.wake();
        stream.isLive = false;
      }
      await pause(Math.max(retryMs, backOffMs(Math.max(0, breaks), RETRY)), until);
    }
  }

  try {
    for (let failures = 0; !stop.aborted; ) {
      try {
        const sites = await list();
        failures = 0;
        const ids = new Set(sites.map(({ id }) => id));
        for (const [id, own] of watched) {
          if (ids.has(id)) continue;
          own.abort();
          watched.delete(id);
        }
        if (ids.size === 0 && watchedBefore !== 0) note('There is no site to show: see --sites, and lanreach whoami');
        watchedBefore = ids.size;
        onSites(ids);
        for (const id of ids) {
          if (watched.has(id)) continue;
          const own = new AbortController();
          watched.set(id, own);
          void watch(id, AbortSignal.any([stop, own.signal])).catch(giveUp);
        }
        const wanted = new AbortController();
        relist = () => wanted.abort();
        await pause(around(CALM_MS), AbortSignal.any([stop, wanted.signal]));
        if (wanted.signal.aborted) await pause(GAP_MS, stop);
      } catch (error) {
        if (stop.aborted) break;
        if (!mayRetry(error)) throw error;
        if (failures === 0) note(`Cannot list the sites: ${(error as Error).message}; trying again`);
        await pause(backOffMs(failures++, RETRY), stop);
      }
    }
  } finally {
    ended.abort();
  }
  if (refusal !== null) throw failureOf(refusal) ?? refusal;
}
