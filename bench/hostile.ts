/** A tenant that does as much harm as its token and its agent can, in a thread of its own: see `fairness.ts`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { PROTOCOL_VERSION, type Sightings } from '../shared/agent/messages.ts';
import { topics } from '../shared/agent/topics.ts';
import { openApiClient } from '../test/api-client.ts';
import { ackFor, enrolAgent, type StandIn, startStandIn } from '../test/support/enrolled-agent.ts';
import type { Endpoint } from './api.ts';
import { csvOf, generateDevices } from './devices.ts';

export interface HostileTenant extends Endpoint {
  site: string;
}

const DEVICES = 20_000;
/** About 10 MB, as large as a file may be. */
const ROWS = 100_000;
/** Connections that do the same again and again. */
const AT_ONCE = { imports: 3, lists: 8, sorted: 8, searches: 8, everywhere: 4, commands: 40, streams: 40, requests: 8 };
const SIGHTINGS = 400;
const ANSWER_WITHIN_MS = 120_000;

/** Begins with `go`, ends all of it with `rest`, and says then how much of each it was answered. */
export async function beHostile(tenant: HostileTenant): Promise<void> {
  const { url, token, site } = tenant;
  const client = openApiClient(url, token);
  const enrolled = await enrolAgent(client, site, 'main');
  const agent = await startStandIn(client, enrolled, Number(new URL(enrolled.identity.broker).port));
  const files = [ROWS, ROWS - 1].map((rows, i) => formOf(csvOf(generateDevices(rows)), i));
  await ask(tenant, 'POST', '/devices/import', formOf(csvOf(generateDevices(DEVICES)), 0));
  const counts: Record<string, number> = {};
  let stop = new AbortController();
  let running: Promise<unknown> = Promise.resolve();

  function run(): Promise<unknown> {
    const { signal } = stop;
    const again = async (name: string, connections: number, act: (n: number) => Promise<boolean>) => {
      let n = 0;
      const one = async () => {
        while (!signal.aborted) {
          const done = await act(n++).catch(() => false);
          const counted = `${name}, ${done ? 'done' : 'refused or not ended'}`;
          counts[counted] = (counts[counted] ?? 0) + 1;
          if (!done) await sleep(100);
        }
      };
      await Promise.all(Array.from({ length: connections }, one));
    };
    const get = (path: string, headers: Record<string, string> = {}) => ask(tenant, 'GET', path, null, signal, headers);
    return Promise.all([
      again('imports of 10 MB', AT_ONCE.imports, (n) =>
        ask(tenant, 'POST', '/devices/import', files[n % files.length] as FormData, signal),
      ),
      again('lists', AT_ONCE.lists, () => get('/devices')),
      again('sorted lists', AT_ONCE.sorted, (n) => get(`/devices?sort=name&text=${n % 97}`)),
      again('searches', AT_ONCE.searches, (n) =>
        ask(tenant, 'POST', '/devices/search', JSON.stringify({ query: `a${n}` }), signal),
      ),
      again('searches over all sites', AT_ONCE.everywhere, (n) => get(`/search?q=lap${n}`)),
      again('commands', AT_ONCE.commands, () => get('/nettools/interfaces')),
      again('streams', AT_ONCE.streams, () => get('/events', { accept: 'text/event-stream' })),
      again('small requests', AT_ONCE.requests, () => get('/devices/totals')),
      again('messages of sightings', 1, (n) => sight(agent, n)),
      acknowledge(agent, signal),
    ]);
  }

  parentPort?.on('message', async (word: 'go' | 'rest' | 'counts') => {
    if (word === 'go') {
      stop = new AbortController();
      running = run();
    }
    if (word === 'rest') {
      stop.abort();
      await running;
    }
    parentPort?.postMessage({ word, counts });
  });
  parentPort?.postMessage({ word: 'ready', counts });
}

function formOf(csv: string, n: number): FormData {
  const form = new FormData();
  // Another name for every device, so that each import changes all of them.
  form.set('file', new Blob([n === 0 ? csv : csv.replaceAll(/(Laptop|Phone|Desktop|Switch)/g, '$1 x')]), 'devices.csv');
  return form;
}

async function ask(
  { url, token, site }: HostileTenant,
  method: string,
  path: string,
  body: FormData | string | null,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): Promise<boolean> {
  const patience = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'x-site': site,
      ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    body,
    signal: signal === undefined ? patience : AbortSignal.any([signal, patience]),
  });
  for await (const _ of response.body ?? []);
  return response.ok;
}

/** As many as a message may have, each of them changed. */
async function sight(agent: StandIn, n: number): Promise<boolean> {
  const now = Date.now();
  const message: Sightings = {
    v: PROTOCOL_VERSION,
    t: 'sightings',
    epoch: now,
    n: SIGHTINGS,
    covers: null,
    sightings: Array.from({ length: SIGHTINGS }, (_, i) => ({
      mac: `02:00:00:00:${hex(i >> 8)}:${hex(i & 255)}`,
      n: i + 1,
      online: n % 2 === 0,
      since: now,
      seenAt: now,
      ip: `10.9.${i >> 8}.${i & 255}`,
    })),
  };
  await agent.publish(topics.sightings(agent.client), Buffer.from(JSON.stringify(message)));
  return true;
}

const hex = (byte: number) => byte.toString(16).padStart(2, '0').toUpperCase();

/** Takes every command, and never says how it has ended. */
async function acknowledge(agent: StandIn, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const request = await agent.request(signal).catch(() => null);
    if (request !== null) await agent.say(request.replyTo, ackFor(request));
  }
}
