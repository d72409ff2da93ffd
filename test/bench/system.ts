/** What `npm start` starts: its requests, starts, imports, commands and memory, on one build or on two in turn. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from './api.ts';
import { commandGoals, measureCommands, measureScans } from './commands.ts';
import { csvOf, generateDevices } from './devices.ts';
import { loadDuring, requestText } from './load.ts';
import { type Figure, figure, type Goal, type RequestTable, single } from './report.ts';
import { measureReads } from './requests.ts';
import { inTurn, sampleOf } from './sampling.ts';
import { type Server, startServer } from './server.ts';

const SMALL = 10_000;
const LARGE = 100_000;
const HOME = 'home';

const WHOLE = { rounds: { rounds: 8, sliceMs: 200 }, starts: 5, imports: 3, settleMs: 5_000 };
const QUICK = { rounds: { rounds: 4, sliceMs: 100 }, starts: 3, imports: 1, settleMs: 2_000 };

export interface Conditions {
  /** Of the project, built: this one, and the one that it is compared with, if there is one. */
  builds: readonly string[];
  /** For all that is started. */
  folder: string;
  /** Whether it leaves out 100,000 devices and what takes long. */
  quick: boolean;
  say(text: string): void;
}

export async function measureSystem({
  builds,
  folder,
  quick,
  say,
}: Conditions): Promise<{ figures: Figure[]; requests: RequestTable[] }> {
  const extent = quick ? QUICK : WHOLE;
  const start = (build: number) => startServer(builds[build] ?? '', join(folder, `data-${build}`));
  say('starting');
  const servers: Server[] = [];
  const figures: Figure[] = [];
  const memory = (name: string, goal: Goal, of: (server: Server) => number | null) => {
    const values = servers.map(of).filter((mb) => mb !== null);
    figures.push(single(name, 'MB', goal, values));
  };
  const memories = (state: string, goal: Goal) => {
    memory(`memory of the whole system, ${state}`, goal, (server) => server.memory().whole);
    memory(`memory of the whole system, ${state}, shared pages once`, null, (server) => server.memory().once);
  };
  try {
    for (const build of builds.keys()) servers.push(await start(build));
    await sleep(extent.settleMs);
    memory('memory of the agent, idle', { atMost: 100 }, (server) => server.memory().agent);
    memories('idle', null);

    say(`importing ${thousands(SMALL)} devices`);
    const small = csvOf(generateDevices(SMALL));
    const imports = servers.map((): Import[] => []);
    for (let i = 0; i < extent.imports; i++) {
      for (const [build, server] of servers.entries()) {
        imports[build]?.push(await importFile(server, await addSite(server, `small-${i}`), small, SMALL));
      }
    }
    figures.push(...importFigures(SMALL, null, imports));
    const again: Import[][] = [];
    for (const server of servers) again.push([await importFile(server, 'small-0', small, SMALL, true)]);
    figures.push(figure(`import of the same ${thousands(SMALL)} rows again`, 's', null, again.map(secondsOf)));

    for (const server of servers) await importFile(server, HOME, small, SMALL);
    say(`starting with ${thousands(SMALL)} devices`);
    figures.push(...(await measureStarts(servers, start, extent.starts)));
    say(`reading ${thousands(SMALL)} devices`);
    const requests = [await measureReads(servers, HOME, SMALL, extent.rounds)];
    await sleep(extent.settleMs);
    memories(`${thousands(SMALL)} devices`, { atMost: 180 });

    say('running commands');
    const commands = await measureCommands(servers, quick);
    requests.push(commands);
    figures.push(...commandGoals(commands));
    if (!quick) {
      figures.push(...(await measureScans(servers)));
      say(`importing ${thousands(LARGE)} devices`);
      const large = csvOf(generateDevices(LARGE));
      const once: Import[][] = [];
      for (const server of servers) once.push([await importFile(server, await addSite(server, 'large'), large, LARGE)]);
      figures.push(...importFigures(LARGE, { atMost: 9 }, once));
      say(`reading ${thousands(LARGE)} devices`);
      requests.push(await measureReads(servers, 'large', LARGE, extent.rounds));
      await sleep(extent.settleMs);
      memories(`${thousands(LARGE)} devices`, { atMost: 350 });
    }
    return { figures, requests };
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** Starts every server again and again, and leaves the last ones in its place. */
async function measureStarts(
  servers: Server[],
  start: (build: number) => Promise<Server>,
  count: number,
): Promise<Figure[]> {
  const firsts = servers.map((): number[] => []);
  const ready = await inTurn([...servers.keys()], { warmUp: 0, count }, async (build) => {
    await servers[build]?.stop();
    const startedAt = performance.now();
    const server = await start(build);
    const readyMs = performance.now() - startedAt;
    servers[build] = server;
    firsts[build]?.push(await firstListMs(server));
    return readyMs;
  });
  return [
    figure('start until ready', 'ms', null, ready),
    figure(`first GET /devices of ${thousands(SMALL)} after a start`, 'ms', { atMost: 300 }, firsts.map(sampleOf)),
  ];
}

/** Also checks the content, because an answer that lacks devices would be fast. */
async function firstListMs(server: Server): Promise<number> {
  const { ms, text } = await send(server, 'GET', '/devices');
  const { devices } = JSON.parse(text);
  if (devices.length !== SMALL) throw new Error(`Expected ${SMALL} devices, got ${devices.length}`);
  return ms;
}

interface Import {
  ms: number;
  /** The most resident memory of the server meanwhile. */
  serverMb: number;
  /** The longest that somebody else had to wait meanwhile. */
  longestWaitMs: number;
}

/** @param unchanged whether the site has all the rows already, so that nothing is to be written */
async function importFile(server: Server, site: string, csv: string, rows: number, unchanged = false): Promise<Import> {
  const health = requestText(server.url, 'GET', '/health');
  const others = { url: server.url, requests: [health], status: 200, connections: 1, pauseMs: 5 };
  const { done, peakMb } = await server.peakDuring(() =>
    loadDuring(others, () => send(server, 'POST', '/devices/import', { site, file: csv })),
  );
  const { inserted, updated, change } = JSON.parse(done.done.text);
  if (inserted !== rows || updated !== (unchanged ? rows : 0) || (change === null) !== unchanged) {
    throw new Error(`Expected ${rows} rows to be taken, got ${done.done.text.slice(0, 300)}`);
  }
  return { ms: done.done.ms, serverMb: peakMb, longestWaitMs: Math.max(0, ...done.latenciesMs) };
}

function importFigures(rows: number, goal: Goal, imports: readonly (readonly Import[])[]): Figure[] {
  const name = `import of ${thousands(rows)} rows`;
  const most = imports.map((ofBuild) => Math.max(...ofBuild.map(({ serverMb }) => serverMb)));
  const waits = imports.map((ofBuild) => sampleOf(ofBuild.map(({ longestWaitMs }) => longestWaitMs)));
  return [
    figure(name, 's', goal, imports.map(secondsOf)),
    single(`${name}: memory of the server, at most`, 'MB', { atMost: 350 }, most),
    figure(`${name}: longest wait of others`, 'ms', null, waits),
  ];
}

function secondsOf(imports: readonly Import[]) {
  return sampleOf(imports.map(({ ms }) => ms / 1_000));
}

function addSite(server: Server, id: string): Promise<string> {
  return send(server, 'POST', '/sites', { body: { id } }).then(() => id);
}

function thousands(count: number): string {
  return count.toLocaleString('en');
}
