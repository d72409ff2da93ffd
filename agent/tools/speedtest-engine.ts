/**
 * Measures an internet connection against an HTTP server: first the latency, then each direction with several streams. It
 * counts and discards the data, so memory use does not depend on the rate.
 */
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolResult } from '../../shared/tools/list.ts';
import { ToolFailure } from '../host/tool-failure.ts';

export interface SpeedtestTiming {
  directionMs: number;
  /** Ignored at the start of each direction, while TCP adapts to the rate. */
  warmUpMs: number;
  pings: number;
  /** Timeout of the whole measurement. */
  limitMs: number;
}

export const DEFAULT_TIMING: SpeedtestTiming = { directionMs: 8_000, warmUpMs: 1_500, pings: 10, limitMs: 45_000 };

export interface SpeedServer {
  name: string;
  /** Responds quickly, without a body. */
  ping: URL;
  /** Responds with exactly this much: anything else is no speed-test server, but a captive portal, say. */
  download: URL;
  downloadBytes: number;
  /** Accepts a body of any length. */
  upload: URL;
}

export function cloudflareServer(base: string): SpeedServer {
  return {
    name: new URL(base).host,
    ping: new URL('__down?bytes=0', base),
    download: new URL('__down?bytes=25000000', base),
    downloadBytes: 25_000_000,
    upload: new URL('__up', base),
  };
}

/** The URLs of a LibreSpeed server. Some installations keep the three scripts in a folder `backend`. */
export function libreSpeedServers(configured: string): SpeedServer[] {
  const base = configured.endsWith('/') ? configured : `${configured}/`;
  return [base, new URL('backend/', base).href].map((folder) => ({
    name: new URL(base).host,
    ping: new URL('empty.php', folder),
    download: new URL('garbage.php?ckSize=25', folder), // In MiB.
    downloadBytes: 25 * 1024 * 1024,
    upload: new URL('empty.php', folder),
  }));
}

export interface SpeedtestProgress {
  onMeasured(kind: 'Ping' | 'Download' | 'Upload', value: number): void;
  onProgress(phase: string, percent: number | null): void;
}

const STREAMS = 4;
/** For the response, or the connection of an upload: the timeout of a socket starts only when it is connected. */
const ANSWER_WITHIN_MS = 5_000;
/**
 * Bytes of an upload request: few at first, for slow lines, and four times more after each that took less than 250 ms.
 * Common servers reject much larger bodies. The maximum exceeds the buffers of the system, so that a response that is too
 * early shows.
 */
const UPLOAD_BYTES = { first: 16 * 1024, most: 8 * 1024 * 1024 };
/** Repeated. Random, so that it does not compress on the way. */
const UPLOAD_PIECE = randomBytes(64 * 1024);
/** Broken requests in one direction before the measurement fails. */
const MAX_FAULTS = 8;

/** @throws {ToolFailure} `tool_failed` when the server cannot be used, `timed_out`, or `cancelled` */
export async function measure(
  server: SpeedServer,
  timing: SpeedtestTiming,
  { onMeasured, onProgress }: SpeedtestProgress,
  signal: AbortSignal,
): Promise<ToolResult<'speedtest'>> {
  const session = new Session(signal, timing.limitMs);
  try {
    onProgress('ping', null);
    const pingMs = await measurePing(session, server, timing.pings);
    onMeasured('Ping', pingMs);
    const downloadMbps = await measureRate(session, timing, onProgress, 'download', (count) =>
      session.exchange(server.download, { answers: server.downloadBytes }, count),
    );
    onMeasured('Download', downloadMbps);
    let uploadBytes = UPLOAD_BYTES.first;
    const uploadMbps = await measureRate(session, timing, onProgress, 'upload', async (count) => {
      const [upload, begunAt] = [uploadBytes, performance.now()];
      await session.exchange(server.upload, { upload }, count);
      const isQuick = performance.now() - begunAt < 250;
      if (isQuick) uploadBytes = Math.max(uploadBytes, Math.min(upload * 4, UPLOAD_BYTES.most));
    });
    onMeasured('Upload', uploadMbps);
    return { server: server.name, pingMs, downloadMbps, uploadMbps };
  } catch (error) {
    throw session.stoppedBy ?? error;
  } finally {
    session.close();
  }
}

/** The median of several requests on an open connection. */
async function measurePing(session: Session, server: SpeedServer, pings: number): Promise<number> {
  const ping = () => session.exchange(server.ping, { answers: 0 }, () => {});
  await ping(); // Opens the connection.
  const times: number[] = [];
  for (let i = 0; i < pings; i++) {
    const startedAt = performance.now();
    await ping();
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  return round(times[Math.floor(times.length / 2)] ?? 0);
}

interface Clock {
  /** Monotonic, ms. */
  now(): number;
  sleep(ms: number): Promise<unknown>;
}

const CLOCK: Clock = { now: () => performance.now(), sleep: (ms) => sleep(ms) };

/**
 * Megabits a second, over all streams, after the warm-up: transferred bytes over the time that really passed. A download
 * counts as its bytes arrive. The bytes of an upload may be in a buffer of this host, so it counts as a whole, over the
 * time until its response; uploads in flight at the end may still complete.
 * @param exchange transfers a piece and counts its bytes; repeated until the end
 */
export async function measureRate(
  session: Pick<Session, 'endExchanges'>,
  { directionMs, warmUpMs }: SpeedtestTiming,
  onProgress: SpeedtestProgress['onProgress'],
  phase: 'download' | 'upload',
  exchange: (count: (bytes: number) => void) => Promise<void>,
  clock: Clock = CLOCK,
): Promise<number> {
  const startedAt = clock.now();
  const elapsed = () => clock.now() - startedAt;
  const window = { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  let bytes = 0;
  let faults = 0;
  const isOver = () => window.to < Number.POSITIVE_INFINITY;
  const take = (more: number, since: number) => {
    const now = elapsed();
    if (since >= now) bytes += now >= window.from && !isOver() ? more : 0;
    else bytes += more * Math.max(0, (Math.min(now, window.to) - Math.max(since, window.from)) / (now - since));
  };
  const stream = async () => {
    while (!isOver()) {
      const begunAt = elapsed();
      try {
        await exchange((more) => take(more, phase === 'upload' ? begunAt : elapsed()));
      } catch (error) {
        if (isOver()) return;
        // A broken connection is normal on a bad line; an error response is not.
        if (error instanceof ToolFailure || ++faults > MAX_FAULTS) throw error;
        await sleep(100);
      }
    }
  };
  const streams = Promise.all(Array.from({ length: STREAMS }, stream));
  const ticker = setInterval(() => onProgress(phase, Math.min(100, Math.round((elapsed() / directionMs) * 100))), 500);
  try {
    await Promise.race([streams, clock.sleep(warmUpMs)]);
    window.from = elapsed();
    await Promise.race([streams, clock.sleep(directionMs - warmUpMs)]);
    window.to = elapsed();
    if (phase === 'upload') await Promise.race([streams, clock.sleep(warmUpMs)]);
    if (bytes === 0) throw new ToolFailure('tool_failed', `the ${phase} moved no data`);
    return round((bytes * 8) / 1000 / (window.to - window.from));
  } finally {
    window.to = Math.min(window.to, elapsed());
    clearInterval(ticker);
    session.endExchanges();
    await streams.catch(() => {});
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The connections of one measurement. */
class Session {
  /** Why the measurement was stopped early; null if it was not. */
  stoppedBy: ToolFailure | null = null;
  readonly #requests = new Set<http.ClientRequest>();
  readonly #agents = {
    http: new http.Agent({ keepAlive: true }),
    https: new https.Agent({ keepAlive: true }),
  };
  readonly #signal: AbortSignal;
  readonly #limit: NodeJS.Timeout;
  readonly #cancel = () => this.#stop(new ToolFailure('cancelled', 'The speed test was cancelled'));

  constructor(signal: AbortSignal, limitMs: number) {
    this.#signal = signal;
    this.#limit = setTimeout(
      () => this.#stop(new ToolFailure('timed_out', `The speed test did not end within ${limitMs / 1000} s`)),
      limitMs,
    );
    signal.addEventListener('abort', this.#cancel, { once: true });
    if (signal.aborted) this.#cancel();
  }

  /**
   * Sends one request, with a body of `upload` bytes or none. Calls `count` with the bytes of the response as they arrive,
   * or with those of the body when the server has received them all.
   * @param answers the expected bytes of the response
   */
  exchange(
    url: URL,
    { upload, answers }: { upload?: number; answers?: number },
    count: (bytes: number) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.stoppedBy !== null) return reject(this.stoppedBy);
      const secure = url.protocol === 'https:';
      const request = (secure ? https : http).request(url, {
        agent: secure ? this.#agents.https : this.#agents.http,
        method: upload === undefined ? 'GET' : 'POST',
        headers: {
          'user-agent': 'lanreach-agent',
          'accept-encoding': 'identity',
          ...(upload === undefined ? {} : { 'content-type': 'application/octet-stream', 'content-length': upload }),
        },
      });
      this.#requests.add(request);
      const limit = setTimeout(
        () => request.destroy(new ToolFailure('tool_failed', `no answer within ${ANSWER_WITHIN_MS / 1000} s`)),
        ANSWER_WITHIN_MS,
      );
      const isWorking = () => clearTimeout(limit);
      if (upload !== undefined)
        request.once('socket', (socket) => {
          if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', isWorking);
          else isWorking();
        });
      request.once('response', (response) => {
        isWorking();
        const { statusCode = 0 } = response;
        if (statusCode < 200 || statusCode > 299) {
          request.destroy(new ToolFailure('tool_failed', `${url.host} answered with status ${statusCode}`));
          return;
        }
        if (upload !== undefined) {
          if (!request.writableFinished) {
            request.destroy(new Error(`${url.host} answered before it had taken what was sent`));
            return;
          }
          count(upload);
        }
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (upload === undefined) count(chunk.length);
        });
        response.once('end', () => {
          if (answers === undefined || bytes === answers) return resolve();
          const instead = `${url.href} answered ${bytes} bytes instead of ${answers}`;
          reject(new ToolFailure('tool_failed', `${instead}: it is no server for speed tests`));
        });
        response.once('error', reject);
      });
      request.once('error', reject);
      request.once('close', () => {
        isWorking();
        this.#requests.delete(request);
        reject(new Error(`${url.host} closed the connection`)); // No effect after the response.
      });
      if (upload === undefined) request.end();
      else send(request, upload);
    });
  }

  endExchanges(): void {
    for (const request of this.#requests) request.destroy();
  }

  close(): void {
    clearTimeout(this.#limit);
    this.#signal.removeEventListener('abort', this.#cancel);
    this.endExchanges();
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  #stop(failure: ToolFailure): void {
    this.stoppedBy ??= failure;
    this.endExchanges();
  }
}

/** Writes the body in pieces, with back-pressure. */
function send(request: http.ClientRequest, left: number): void {
  if (request.destroyed) return;
  if (left <= UPLOAD_PIECE.length) request.end(UPLOAD_PIECE.subarray(0, left));
  else request.write(UPLOAD_PIECE, (error) => error || send(request, left - UPLOAD_PIECE.length));
}
