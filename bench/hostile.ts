/**
 * The worst that somebody with a valid token can ask for, and how long everybody else waits meanwhile. One thread
 * answers all requests, so that the longest wait for `/health` is the longest piece of work without a pause.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { csvOf, generateDevices } from './devices.ts';
import { type Figure, figure, memoryFigure } from './report.ts';
import { type RunningSystem, startRunningSystem } from './running-system.ts';
import { sampleOf } from './sampling.ts';

const DEVICES = 100_000;
const GOAL_MS = 250;
const MEMORY_GOAL_MB = 1_000;
/** Between two questions for /health. */
const PROBE_EVERY_MS = 5;
/** Before and behind each request, so that its own work and that of the collector of garbage is seen. */
const SETTLE_MS = 500;
const TIMEOUT_MS = 120_000;
const ROUNDS = 3;
/** Each keeps a processor busy for about ten seconds: loopback answers at once. */
const SCANS = ['127.0.0.0/22', '127.0.4.0/22'];
const ACKNOWLEDGED_EVERY_MS = 200;
/** After so long the API takes the agent for silent. */
const ACKNOWLEDGED_GOAL_MS = 1_500;
const MB = 1024 * 1024;

interface Worst {
  name: string;
  method: string;
  path: string;
  body: Buffer;
  contentType: string;
  /** How it must be answered. */
  status: number;
  /** How many of them at once; default: one. */
  atOnce?: number;
  changes?: boolean;
}

export async function measureHostile(dataFolder: string, say: (text: string) => void): Promise<Figure[]> {
  say('starting');
  const system = await startRunningSystem(dataFolder);
  try {
    let largestMb = 0;
    const figures: Figure[] = [];
    for (const worst of [filling(), ...requests(), emptying()]) {
      say(worst.name);
      const waits: number[] = [];
      // What changes the collection can be asked for once.
      while (waits.length < (worst.changes ? 1 : ROUNDS)) {
        const { longestMs, serverMb } = await measure(system, worst);
        waits.push(longestMs);
        largestMb = Math.max(largestMb, serverMb);
      }
      figures.push(figure(worst.name, 'ms', GOAL_MS, sampleOf(waits)));
    }
    figures.push(memoryFigure('memory of the server, at most', MEMORY_GOAL_MB, largestMb));
    say('scans that keep the host of the agent busy');
    figures.push(await measureBusyHost(system));
    return figures;
  } finally {
    await system.stop();
  }
}

/** How long the agent takes to acknowledge a command while scans of its own host keep all processors busy. */
async function measureBusyHost(system: RunningSystem): Promise<Figure> {
  const headers = { authorization: `Bearer ${system.token}`, 'content-type': 'application/json' };
  const stream = { ...headers, accept: 'text/event-stream' };
  let running = SCANS.length;
  const scans = SCANS.map(async (scan) => {
    const body = Buffer.from(JSON.stringify({ scan, mode: 'normal' }));
    const status = await ask(system.url, 'POST', '/nettools/nmap', { headers: stream, body });
    if (status !== 200) throw new Error(`a scan of ${scan}: expected the status 200, got ${status}`);
    running--;
  });
  await sleep(SETTLE_MS);
  const waits: number[] = [];
  const async = { ...headers, prefer: 'respond-async' };
  while (running === SCANS.length) {
    const startedAt = performance.now();
    const status = await ask(system.url, 'GET', '/nettools/interfaces', { headers: async });
    if (status !== 202) throw new Error(`a command beside scans: expected the status 202, got ${status}`);
    waits.push(performance.now() - startedAt);
    await sleep(ACKNOWLEDGED_EVERY_MS);
  }
  await Promise.all(scans);
  return figure('a command is acknowledged beside two scans', 'ms', ACKNOWLEDGED_GOAL_MS, sampleOf(waits));
}

function filling(): Worst {
  return { ...upload('import of 100,000 rows', '', csvOf(generateDevices(DEVICES)), 200), changes: true };
}

function requests(): Worst[] {
  const hostile = Array.from({ length: 100 }, (_, i) => `*0*0*0*0*0*0*0*.${i}`);
  return [
    dryRun('5.2 million rows', `devName\n${'a\n'.repeat(5_200_000)}`, 413),
    dryRun('200,000 rows', `devName\n${'a\n'.repeat(200_000)}`, 200),
    dryRun('9.9 MB of wrong rows', `devMac\n${'x\n'.repeat(4_950_000)}`, 413),
    dryRun('200,000 wrong rows', `devMac\n${'x\n'.repeat(200_000)}`, 200),
    dryRun('9.9 MB of blank lines', `devMac\n${'\n'.repeat(9_900_000)}`, 200),
    dryRun('9.9 MB in one cell', `devName\n${'a'.repeat(9_900_000)}`, 400),
    dryRun('9.9 MB of cells in one row', `devName\n${','.repeat(9_900_000)}`, 400),
    dryRun('9.9 MB of names of columns', `devName${',a'.repeat(4_900_000)}`, 400),
    json('7.5 MB of NULs in base64', 'POST', '/devices/import?dryRun=true', 400, () => ({
      content: Buffer.alloc(7.4 * MB).toString('base64'),
    })),
    text(
      '10 MB of broken base64',
      'POST',
      '/devices/import?dryRun=true',
      400,
      `{"content":"${'a '.repeat(5_200_000)}"}`,
    ),
    text('4 million levels of JSON', 'POST', '/devices/import?dryRun=true', 400, '['.repeat(4_000_000)),
    text('5 million values in JSON', 'POST', '/devices/import?dryRun=true', 400, `[${'1,'.repeat(5_000_000)}1]`),
    form('9.9 MB of fields in a form', filled('', `${PART}\r\n`), 400),
    form('9.9 MB that look like the end of a form', filled(PART, `\r\n--${BOUNDARY.slice(1)}`), 400),
    json('4.9 million scopes', 'POST', '/tokens', 413, () => token(4_900_000)),
    json('30,000 scopes', 'POST', '/tokens', 400, () => token(30_000)),
    json('100,000 wrong MACs', 'DELETE', '/devices?dryRun=true', 400, () => ({ macs: many(100_000, 'wrong') })),
    json('100,000 numbers for MACs', 'DELETE', '/devices?dryRun=true', 400, () => ({ macs: many(100_000, 1) })),
    json('100 hostile patterns', 'DELETE', '/devices?dryRun=true', 400, () => ({ macs: hostile })),
    json('20 hostile patterns', 'DELETE', '/devices?dryRun=true', 200, () => ({ macs: hostile.slice(0, 20) })),
    {
      ...json('20 hostile patterns, five times at once', 'DELETE', '/devices?dryRun=true', 200, () => ({
        macs: hostile.slice(0, 20),
      })),
      atOnce: 5,
    },
    {
      ...dryRun('200,000 rows, four times at once', `devName\n${'a\n'.repeat(200_000)}`, 200),
      atOnce: 4,
    },
  ];
}

function emptying(): Worst {
  return { ...json('delete all 100,000 devices', 'DELETE', '/devices', 200, () => ({})), changes: true };
}

const token = (scopes: number) => ({ name: 'worst', sites: '*', scopes: many(scopes, 1) });
const many = <T>(count: number, value: T): T[] => Array<T>(count).fill(value);

const BOUNDARY = 'lanreach-bench-boundary';
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n`;

/** 9.9 MB of this, over and over. */
function filled(start: string, piece: string): string {
  return start + piece.repeat((9_900_000 - start.length) / piece.length);
}

function form(name: string, content: string, status: number, path = '/devices/import?dryRun=true'): Worst {
  const contentType = `multipart/form-data; boundary=${BOUNDARY}`;
  return { name, method: 'POST', path, body: Buffer.from(content), contentType, status };
}

function upload(name: string, query: string, csv: string, status: number): Worst {
  return form(name, `${PART}${csv}\r\n--${BOUNDARY}--\r\n`, status, `/devices/import${query}`);
}

function dryRun(name: string, csv: string, status: number): Worst {
  return upload(`dry run of an import: ${name}`, '?dryRun=true', csv, status);
}

function text(name: string, method: string, path: string, status: number, content: string): Worst {
  return { name, method, path, body: Buffer.from(content), contentType: 'application/json', status };
}

function json(name: string, method: string, path: string, status: number, value: () => unknown): Worst {
  return text(name, method, path, status, JSON.stringify(value()));
}

/** Makes the requests, and asks for /health all the while. */
async function measure(
  system: RunningSystem,
  { name, method, path, body, contentType, status, atOnce = 1 }: Worst,
): Promise<{ longestMs: number; serverMb: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let longestMs = 0;
  let serverMb = 0;
  let probing = true;
  const probes = (async () => {
    while (probing) {
      const startedAt = performance.now();
      await ask(system.url, 'GET', '/health', { agent });
      longestMs = Math.max(longestMs, performance.now() - startedAt);
      serverMb = Math.max(serverMb, system.memory().serverMb);
      await sleep(PROBE_EVERY_MS);
    }
  })();
  try {
    await sleep(SETTLE_MS);
    const headers = {
      authorization: `Bearer ${system.token}`,
      'content-type': contentType,
      'content-length': String(body.length),
    };
    const answers = Array.from({ length: atOnce }, () => ask(system.url, method, path, { headers, body }));
    for (const answer of await Promise.all(answers)) {
      if (answer !== status) throw new Error(`${name}: expected the status ${status}, got ${answer}`);
    }
    await sleep(SETTLE_MS);
  } finally {
    probing = false;
    await probes.finally(() => agent.destroy());
  }
  return { longestMs, serverMb };
}

interface Asked {
  agent?: Agent;
  headers?: Record<string, string>;
  body?: Buffer;
}

/** @returns the status of the answer, when all of it has come */
function ask(url: string, method: string, path: string, { agent, headers = {}, body }: Asked): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, timeout: TIMEOUT_MS, ...(agent === undefined ? { agent: false } : { agent }) };
    let status: number | undefined;
    const sent = request(`${url}${path}`, options, (response) => {
      status = response.statusCode ?? 0;
      response.resume();
      response.once('error', reject);
      response.once('end', () => resolve(status ?? 0));
    });
    sent.once('timeout', () => sent.destroy(new Error(`${method} ${path} was not answered in time`)));
    // A body that is too large is refused while it is being sent.
    sent.once('error', (error) => (status === undefined ? reject(error) : undefined));
    sent.end(body);
  });
}
