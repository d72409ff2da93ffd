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
const MAX_SITES = 50;
const PAGE = 500;
/** How often the sites are listed, and each is read without an event. */
const CALM_MS = 300_000;
/** The same while the site has no stream. */
const POLL_MS = 60_000;
/** Between two readings of a site: events of one moment lead to one. */
const GAP_MS = 2_000;
const RETRY = { firstMs: 1_000, longestMs: 60_000, least: 0.5 } as const;

const pause = (ms: number, until: AbortSignal) => sleep(ms, undefined, { signal: until }).catch(() => {});
/** Between half and one and a half of it, so that bridges do not keep in step. */
const around = (ms: number) => ms * (0.5 + Math.random());

/** Watches until the signal. @throws {Failure} when the service refuses the token */
export async function watchSites(options: Options): Promise<void> {
  const { client, choice, onSites, onState, onAnswer, note, signal } = options;
  const watched = new Map<string, AbortController>();
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  let refusal: unknown = null;
  /** Lists the sites at once. */
  let relist = () => {};

  /** Works again and again, and after failures that may pass ever more slowly. */
  async function repeat(what: string, until: AbortSignal, work: () => Promise<void>): Promise<void> {
    for (let failures = 0; !until.aborted; ) {
      try {
        await work();
        failures = 0;
      } catch (error) {
        if (until.aborted) return;
        const isRefused = error instanceof ApiError && error.code === 'forbidden';
        const isOfRequest = error instanceof ConnectionError || error instanceof UnexpectedAnswerError;
        if (isRefused || !(isOfRequest || error instanceof ApiError)) {
          refusal = error;
          return ended.abort();
        }
        if (error instanceof ApiError && error.code === 'site_forbidden') relist();
        if (failures === 0) note(`Cannot read ${what}: ${error.message}; trying again`);
        await pause(backOffMs(failures++, RETRY), until);
      }
    }
  }

  async function list(): Promise<void> {
    const listed = new AbortController();
    relist = () => listed.abort();
    const query = { limit: String(PAGE), sites: choice.sites };
    const { sites } = await client.ask('GET /overview', { query, signal: stop });
    onAnswer();
    const ids = new Set(sites.slice(0, MAX_SITES).map(({ id }) => id));
    if (ids.size < sites.length) note(`Only the first ${MAX_SITES} sites are shown: choose others by --sites`);
    if (ids.size === 0) note('There is no site to show: see --sites, and lanreach whoami');
    for (const [id, own] of watched) if (!ids.has(id) && watched.delete(id)) own.abort();
    onSites(ids);
    for (const id of ids) {
      if (watched.has(id)) continue;
      const own = new AbortController();
      watched.set(id, own);
      void watch(id, AbortSignal.any([stop, own.signal]));
    }
    await pause(GAP_MS, stop);
    await pause(around(CALM_MS), AbortSignal.any([stop, listed.signal]));
  }

  /** Reads a site at first, after events, and now and then. */
  async function watch(id: string, until: AbortSignal): Promise<void> {
    const stream = { isLive: false, wake: () => {} };
    void follow(id, stream, until);
    await repeat(`the site ${id}`, until, async () => {
      const woken = new AbortController();
      stream.wake = () => woken.abort();
      await read(id, until);
      await pause(GAP_MS, until);
      await pause(around(stream.isLive ? CALM_MS : POLL_MS), AbortSignal.any([until, woken.signal]));
    });
  }

  async function read(id: string, until: AbortSignal): Promise<void> {
    const { sites } = await client.ask('GET /overview', { query: { site: id }, signal: until });
    const devices: Device[] = [];
    let cursor: string | null | undefined;
    do {
      const page = { limit: String(Math.min(PAGE, choice.most + 1 - devices.length)), cursor: cursor ?? undefined };
      const query = { ...choice.devices, ...page, fields: 'all' as const, sort: 'name' as const };
      const answer = await client.ask('GET /devices', { site: id, query, signal: until });
      devices.push(...(answer.devices as Device[]));
      cursor = answer.nextCursor;
    } while (cursor && devices.length <= choice.most);
    onAnswer();
    const [site] = sites;
    if (site === undefined || until.aborted) return;
    onState({ site, devices: devices.slice(0, choice.most), isCut: devices.length > choice.most });
  }

  async function follow(id: string, stream: { isLive: boolean; wake(): void }, until: AbortSignal): Promise<void> {
    let last = '';
    let retryMs = 0;
    for (let breaks = 0; !until.aborted; breaks++) {
      try {
        for await (const event of client.follow('GET /events', last, { site: id, signal: until })) {
          last = event.id ?? last;
          retryMs = event.retryMs ?? retryMs;
          // The first reading may have been before the stream, and after a break anything may have happened.
          if (event.event !== 'end' && (event.event !== 'ready' || !stream.isLive)) stream.wake();
          stream.isLive = true;
        }
        breaks = -1; // It ends every two minutes, and resumes.
      } catch {
        stream.wake(); // The reading says what is wrong.
        stream.isLive = false;
      }
      await pause(Math.max(retryMs, backOffMs(Math.max(0, breaks), RETRY)), until);
    }
  }

  await repeat('the sites', stop, list);
  ended.abort();
  if (refusal !== null) throw failureOf(refusal) ?? refusal;
}
