/**
 * What one hostile tenant does to a hundred: the answers that 99 others get with it and without it, on one system in one
 * run, in phases that take turns. Nothing is told to the server but what a tenant can send.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Endpoint, send } from './api.ts';
import { csvOf, generateDevices } from './devices.ts';
import type { HostileTenant } from './hostile.ts';
import { openConnection, requestText } from './load.ts';
import { type Figure, figure, single } from './report.ts';
import { sampleOf } from './sampling.ts';
import { startServer } from './server.ts';
import type { Conditions } from './system.ts';

const TENANTS = 99;
const DEVICES = 100;
/** All of them together make so many requests a second, each at its time, whether the last one is answered or not. */
const PER_SECOND = 20;
const WHOLE = { pairs: 4, phaseMs: 15_000 };
const QUICK = { pairs: 2, phaseMs: 6_000 };
/** What of the hostile tenant's is under way when a phase ends is not counted for the next one. */
const SETTLE_MS = 5_000;

interface Tenant extends Endpoint {
  site: string;
  /** Its requests, which it makes in turn: what a console, a script and a small import ask. */
  requests: readonly Buffer[];
}

/** The time of a request that was refused, or failed. */
const REFUSED = Number.POSITIVE_INFINITY;

/** Milliseconds until each answer, by the kind of request. */
type Answers = Map<string, number[]>;

export async function measureFairness({ builds, folder, quick, say }: Conditions): Promise<Figure[]> {
  const { pairs, phaseMs } = quick ? QUICK : WHOLE;
  const server = await startServer(builds[0] ?? '', join(folder, 'data'), { TOKEN_REQUESTS_PER_MINUTE: '6000' });
  try {
    say(`making ${TENANTS} tenants, and one that is hostile`);
    const tenants: Tenant[] = [];
    for (let n = 0; n < TENANTS; n++) tenants.push(await addTenant(server, `t${n}`));
    const hostile = await startHostile(await addSite(server, 'hostile'));
    try {
      await phase(tenants, 3_000); // So that the code of every request has been compiled.
      const alone: Answers = new Map();
      const beside: Answers = new Map();
      for (let pair = 0; pair < pairs; pair++) {
        say(`phase ${pair + 1} of ${pairs}, without it and with it`);
        collect(alone, await phase(tenants, phaseMs));
        hostile.go();
        await sleep(1_000);
        collect(beside, await phase(tenants, phaseMs));
        await hostile.rest();
        await sleep(SETTLE_MS);
      }
      return figuresOf(alone, beside, await hostile.counts());
    } finally {
      await hostile.stop();
    }
  } finally {
    await server.stop();
  }
}

async function addSite(server: Endpoint, site: string): Promise<Endpoint & { site: string }> {
  await send(server, 'POST', '/sites', { json: { id: site } });
  const scopes = ['devices:read', 'devices:write', 'nettools:run', 'admin'];
  const { text } = await send(server, 'POST', '/tokens', { json: { name: site, scopes, sites: [site] } });
  return { url: server.url, token: JSON.parse(text).token, site };
}

async function addTenant(server: Endpoint, name: string): Promise<Tenant> {
  const tenant = await addSite(server, name);
  const devices = generateDevices(DEVICES);
  await send(tenant, 'POST', '/devices/import', { site: name, file: csvOf(devices) });
  const [device] = devices;
  const request = (method: string, path: string, json?: unknown) =>
    Buffer.from(requestText(tenant.url, method, path, { ...tenant, ...(json === undefined ? {} : { json }) }));
  const requests = [
    request('GET', '/devices'),
    request('GET', '/devices/totals'),
    request('POST', '/devices/search', { query: '10.0.0.1' }),
    request('GET', '/devices?sort=name&limit=20'),
    request('GET', '/search?q=laptop'),
    request('PATCH', `/devices/${device?.devMAC}`, { devFavorite: 1 }),
    request('PATCH', `/devices/${device?.devMAC}`, { devFavorite: 0 }),
    request('POST', '/devices/import', { content: Buffer.from(csvOf(devices.slice(0, 20))).toString('base64') }),
  ];
  return { ...tenant, requests };
}

/** Every tenant in turn makes its next request, at its time. */
async function phase(tenants: readonly Tenant[], forMs: number): Promise<Answers> {
  const answers: Answers = new Map();
  const connections = await Promise.all(tenants.map(({ url }) => openConnection(url)));
  const idle = connections.map((): Promise<unknown> => Promise.resolve());
  const begunAt = performance.now();
  const count = Math.floor((forMs / 1_000) * PER_SECOND);
  try {
    for (let n = 0; n < count; n++) {
      const dueAt = begunAt + (n * 1_000) / PER_SECOND;
      await sleep(Math.max(0, dueAt - performance.now()));
      const tenant = n % tenants.length;
      const requests = tenants[tenant]?.requests ?? [];
      const request = requests[(tenant + Math.floor(n / tenants.length)) % requests.length] ?? Buffer.alloc(0);
      // A client that is still waiting asks later: that is part of its wait.
      idle[tenant] = idle[tenant]!.then(async () => {
        const status = await connections[tenant]!.ask(request).catch(() => null);
        if (status === null) connections[tenant] = await openConnection(tenants[tenant]!.url);
        const name = /^\S+ \/\w+(?:\/\w+)?/.exec(request.toString('latin1', 0, 60))?.[0] ?? '';
        collect(answers, new Map([[name, [status === 200 ? performance.now() - dueAt : REFUSED]]]));
      });
      idle[tenant]?.catch(() => {}); // Awaited below.
    }
    await Promise.all(idle);
    return answers;
  } finally {
    for (const connection of connections) connection.close();
  }
}

function collect(all: Answers, some: Answers): void {
  for (const [name, times] of some) all.set(name, [...(all.get(name) ?? []), ...times]);
}

function figuresOf(alone: Answers, beside: Answers, counts: Record<string, number>): Figure[] {
  const [without, withIt] = [alone, beside].map((answers) => sampleOf([...answers.values()].flat()));
  if (without === undefined || withIt === undefined) throw new RangeError('nothing was measured');
  const refused = [...beside.values()].flat().filter((time) => time === REFUSED).length;
  const ratios = [...alone].map(([name, times]) => {
    const ratio = sampleOf(beside.get(name) ?? []).p99 / sampleOf(times).p99;
    return single(`${name}: p99 with it, to that without it`, '×', null, [ratio]);
  });
  return [
    figure(`${TENANTS} tenants: answer`, 'ms', null, [without]),
    figure(`${TENANTS} tenants: answer, beside a hostile one`, 'ms', null, [withIt]),
    single('p99 with it, to that without it', '×', { atMost: 2 }, [withIt.p99 / without.p99]),
    single('their requests that were refused beside it', '', { atMost: 0 }, [refused]),
    ...ratios,
    ...Object.entries(counts).map(([name, count]) => single(`hostile tenant: ${name}`, '', null, [count])),
  ];
}

/** In a thread of its own, so that what it reads does not hold up those who are measured. */
async function startHostile(tenant: HostileTenant) {
  const worker = new Worker(new URL(import.meta.url), { workerData: tenant });
  const said = (word: string) =>
    new Promise<Record<string, number>>((resolve, reject) => {
      worker.once('error', reject);
      const listen = (message: { word: string; counts: Record<string, number> }) => {
        if (message.word !== word) return;
        worker.off('message', listen);
        worker.off('error', reject);
        resolve(message.counts);
      };
      worker.on('message', listen);
    });
  const ask = (word: string) => {
    const answer = said(word);
    worker.postMessage(word);
    return answer;
  };
  await said('ready');
  return {
    go: () => void ask('go'),
    rest: () => ask('rest'),
    counts: () => ask('counts'),
    stop: () => worker.terminate(),
  };
}
