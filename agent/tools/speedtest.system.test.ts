import { createServer, type RequestListener, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { TOOL_CONTEXT, TOOL_SETTINGS } from '../../test/support/agent/tool-settings.ts';
import { closeServer, listenOnLoopback } from '../../test/support/loopback.ts';
import { createSpeedtest, resultLine } from './speedtest.ts';
import {
  cloudflareServer,
  DEFAULT_TIMING,
  libreSpeedServers,
  measureRate,
  type SpeedtestTiming,
} from './speedtest-engine.ts';

const QUICK: SpeedtestTiming = { directionMs: 500, warmUpMs: 100, pings: 3, limitMs: 25_000 };

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map(closeServer)));

/** A LibreSpeed server, and the requests that it received. */
async function serve(listener?: RequestListener, folder = '/') {
  const paths: string[] = [];
  const piece = Buffer.alloc(25 * 1024 * 1024);
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    paths.push(`${request.method} ${path}`);
    if (listener !== undefined) return listener(request, response);
    request.resume();
    if (path === `${folder}empty.php`) return request.on('end', () => response.end());
    if (path.startsWith(`${folder}garbage.php?ckSize=`)) return response.end(piece);
    response.statusCode = 404;
    return response.end();
  });
  servers.push(server);
  const port = await listenOnLoopback(server);
  return { paths, base: `http://127.0.0.1:${port}` };
}

/** How many there are at the time of the call. */
const connectionsOf = (server: Server | undefined) => () =>
  new Promise((resolve) => server?.getConnections((_error, count) => resolve(count)));

function contextFor(speedtestServer: string | null, signal = new AbortController().signal) {
  const lines: string[] = [];
  const phases: string[] = [];
  const context = {
    ...TOOL_CONTEXT,
    signal,
    onOutput: (text: string) => lines.push(text),
    onProgress: (phase: string) => phases.push(phase),
    settings: { ...TOOL_SETTINGS, speedtestServer },
  };
  return { context, lines, phases };
}

test('ping, download and upload, each on its line', async () => {
  const { base } = await serve();
  const { context, lines, phases } = contextFor(base);
  const { output, result } = await createSpeedtest(QUICK)(context);
  expect(output).toMatch(/^Ping: \d+\.\d\d ms\nDownload: \d+\.\d\d Mbit\/s\nUpload: \d+\.\d\d Mbit\/s\n$/);
  expect(lines.join('')).toBe(output);
  expect(result.downloadMbps).toBeGreaterThan(0);
  expect(result.uploadMbps).toBeGreaterThan(0);
  const { pingMs, downloadMbps, uploadMbps } = result;
  expect(output).toBe(
    resultLine('Ping', pingMs) + resultLine('Download', downloadMbps) + resultLine('Upload', uploadMbps),
  );
  expect(phases).toContain('ping');
});

/**
 * A link of which a test says how fast it is, and a clock that goes only while something moves on it.
 * @param uploadBytes of an upload, which ends when all of them have moved; a download never ends
 */
function startLink(mbpsAt: (ms: number) => number, uploadBytes = Number.POSITIVE_INFINITY) {
  let now = 1_000_000;
  const startedAt = now;
  const underWay = new Set<{ left: number; count(bytes: number): void; end(): void }>();
  const isUpload = uploadBytes < Number.POSITIVE_INFINITY;
  const clock = {
    now: () => now,
    async sleep(ms: number) {
      for (let i = 0; i < ms; i++) {
        // Streams begin, or begin again, first.
        for (let turn = 0; turn < 5; turn++) await Promise.resolve();
        const bytes = (mbpsAt(now - startedAt) * 1_000_000) / 8 / 1_000 / underWay.size;
        if (isUpload) now++;
        for (const each of underWay) {
          each.left -= bytes;
          if (!isUpload) each.count(bytes);
          if (each.left > 0) continue;
          each.count(uploadBytes);
          each.end();
        }
        if (!isUpload) now++;
      }
    },
  };
  const exchange = (count: (bytes: number) => void) =>
    new Promise<void>((resolve) => {
      const one = { left: uploadBytes, count, end };
      underWay.add(one);
      function end() {
        underWay.delete(one);
        resolve();
      }
    });
  return { clock, exchange, session: { endExchanges: () => underWay.forEach(({ end }) => void end()) } };
}

test('download: the rate is all bytes of all streams over the time', async () => {
  const { clock, exchange, session } = startLink(() => 94.25);
  expect(await measureRate(session, DEFAULT_TIMING, () => {}, 'download', exchange, clock)).toBe(94.25);
});

test.each([
  ['many that are quick', 100_000],
  ['few', 500_000],
  ['some that outlast the measurement', 1_200_000],
])('upload: %s count as a whole, over the time until their answers', async (_, bytes) => {
  const { clock, exchange, session } = startLink(() => 50, bytes);
  const rate = await measureRate(session, DEFAULT_TIMING, () => {}, 'upload', exchange, clock);
  expect(Math.abs(rate - 50)).toBeLessThan(1.5);
});

test('uploads that were answered in the warm-up, or after the time to wait for them, do not count', async () => {
  const { clock, exchange, session } = startLink((ms) => (ms < 1_000 ? 100 : 0), 500_000);
  const measured = measureRate(session, DEFAULT_TIMING, () => {}, 'upload', exchange, clock);
  await expect(measured).rejects.toThrow('the upload moved no data');
});

test('what moves in the warm-up does not count', async () => {
  const { clock, exchange, session } = startLink((ms) => (ms < DEFAULT_TIMING.warmUpMs ? 3 : 50));
  expect(await measureRate(session, DEFAULT_TIMING, () => {}, 'download', exchange, clock)).toBe(50);
});

test('a machine that wakes up late measures the same rate: the time counts that has really passed', async () => {
  const { clock, exchange, session } = startLink(() => 50);
  const late = { ...clock, sleep: (ms: number) => clock.sleep(ms + 5_000) };
  expect(await measureRate(session, DEFAULT_TIMING, () => {}, 'download', exchange, late)).toBe(50);
});

test('a cancelled test stops asking, and keeps the lines measured until then', async () => {
  const { base, paths } = await serve();
  const controller = new AbortController();
  const { context, lines } = contextFor(base, controller.signal);
  const ended = createSpeedtest({ ...QUICK, directionMs: 20_000 })(context);
  ended.catch(() => {});
  await vi.waitUntil(() => lines.length > 0, { timeout: 60_000, interval: 1 });
  controller.abort();
  await expect(ended).rejects.toMatchObject({ reason: 'cancelled', output: expect.stringMatching(/^Ping: /) });
  // What had been sent before may arrive until the connections are gone; nothing opens another one.
  await expect.poll(connectionsOf(servers[0])).toBe(0);
  const after = paths.length;
  await sleep(200);
  expect(paths).toHaveLength(after);
});

test('a server that refuses, and one that says no, are failures that name it', async () => {
  const { base } = await serve((_request, response) => void response.writeHead(429).end());
  for (const [server, why] of [
    [base, 'status 429'],
    ['http://127.0.0.1:1', '127.0.0.1:1'],
  ] as const) {
    const failure = { reason: 'tool_failed', message: expect.stringContaining(why) };
    await expect(createSpeedtest(QUICK)(contextFor(server).context)).rejects.toMatchObject(failure);
  }
});

test('a server that answers before it has taken what was sent has no upload speed', async () => {
  const { base } = await serve(({ method, url, socket }, response) => {
    if (method === 'POST') {
      // Node.js would read and discard the rest behind an answer of its own.
      socket.pause();
      return socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    }
    if (!url?.startsWith('/garbage.php')) return response.end();
    // Slowly, because the time of a direction is long here, for the upload of a slow machine.
    response.writeHead(200, { 'content-length': 25 * 1024 * 1024 });
    const drip = setInterval(() => response.write(Buffer.alloc(10_000)), 20);
    return response.on('close', () => clearInterval(drip));
  });
  await expect(
    createSpeedtest({ ...QUICK, directionMs: 4_000, limitMs: 120_000 })(contextFor(base).context),
  ).rejects.toMatchObject({
    reason: 'tool_failed',
    message: expect.stringContaining('answered before it had taken what was sent'),
    output: expect.stringMatching(/^Ping: .*\nDownload: .*\n$/),
  });
});

const pageOnly = (path: string) => (path.includes('empty') ? '' : '<html>');

test.each([
  ['a page for everything', () => '<html>Please sign in</html>', 'instead of 0'],
  ['a page in place of the download', pageOnly, 'instead of 26214400'],
])('%s is no server for speed tests', async (_, answerTo, why) => {
  const { base } = await serve((request, response) => {
    request.resume();
    response.end(answerTo(request.url ?? ''));
  });
  await expect(createSpeedtest(QUICK)(contextFor(base).context)).rejects.toMatchObject({
    reason: 'tool_failed',
    message: expect.stringMatching(new RegExp(`${why}: it is no server for speed tests`)),
  });
});

test('a server that falls silent runs into the limit', async () => {
  const { base } = await serve(() => {});
  const speedtest = createSpeedtest({ ...QUICK, limitMs: 300 });
  await expect(speedtest(contextFor(base).context)).rejects.toMatchObject({ reason: 'timed_out' });
});

test('a server that breaks off half way keeps the lines measured until then', async () => {
  const { base } = await serve((request, response) => {
    request.resume();
    if (request.url?.startsWith('/garbage.php')) return request.socket.resetAndDestroy();
    return response.end();
  });
  await expect(createSpeedtest(QUICK)(contextFor(base).context)).rejects.toMatchObject({
    reason: 'tool_failed',
    output: expect.stringMatching(/^Ping: [\d.]+ ms\n$/),
  });
});

test('the requests of both dialects', () => {
  expect(cloudflareServer('https://speed.example')).toMatchObject({
    name: 'speed.example',
    download: new URL('https://speed.example/__down?bytes=25000000'),
    upload: new URL('https://speed.example/__up'),
  });
  expect(libreSpeedServers('http://speed.example/a').map(({ download }) => download.href)).toEqual([
    'http://speed.example/a/garbage.php?ckSize=25',
    'http://speed.example/a/backend/garbage.php?ckSize=25',
  ]);
});
