/**
 * The most expensive requests that a valid token permits, and how long other requests are delayed meanwhile. One thread
 * answers all requests, so the longest latency of `/health` is the longest work without a pause.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { csvOf, generateDevices } from './devices.ts';
import { type Figure, figure, memoryFigure } from './report.ts';
import { type RunningSystem, startRunningSystem } from './running-system.ts';
import { sampleOf } from './sampling.ts';
import { json, upload, type WorstRequest, worstRequests } from './worst-requests.ts';

const DEVICES = 100_000;
const GOAL_MS = 250;
const MEMORY_GOAL_MB = 1_000;
/** Between two requests for /health. */
const PROBE_EVERY_MS = 5;
/** Before and after each request, to include garbage collection. */
const SETTLE_MS = 500;
const TIMEOUT_MS = 120_000;
const ROUNDS = 3;
/** Each keeps a processor busy for about ten seconds, because loopback answers at once. */
const SCANS = ['127.0.0.0/22', '127.0.4.0/22'];
const ACKNOWLEDGED_EVERY_MS = 200;
/** After this time the API reports the agent as silent. */
const ACKNOWLEDGED_GOAL_MS = 1_500;

export async function measureHostile(dataFolder: string, say: (text: string) => void): Promise<Figure[]> {
  say('starting');
  const system = await startRunningSystem(dataFolder);
  try {
    let largestMb = 0;
    const figures: Figure[] = [];
    for (const worst of [filling(), ...worstRequests(), emptying()]) {
      say(worst.name);
      const waits: number[] = [];
      // A request that changes the collection can be sent only once.
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

/** How long the agent takes to acknowledge a command while scans keep all processors of its host busy. */
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

function filling(): WorstRequest {
  return { ...upload('import of 100,000 rows', '', csvOf(generateDevices(DEVICES)), 200), changes: true };
}

function emptying(): WorstRequest {
  return { ...json('delete all 100,000 devices', 'DELETE', '/devices', 200, () => ({})), changes: true };
}

/** Sends the requests, and polls /health meanwhile. */
async function measure(
  system: RunningSystem,
  { name, method, path, body, contentType, status, atOnce = 1 }: WorstRequest,
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

/** @returns the status of the response, when it is complete */
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
    // A body that is too large is refused while it is being sent, which may break the connection.
    sent.once('error', (error) => (status === undefined ? reject(error) : undefined));
    sent.end(body);
  });
}
