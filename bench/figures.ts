/** The measurements of a system as `npm start` starts it, and their goals. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { type Api, openApi } from './api.ts';
import { measureCommands, measureGrowth } from './commands.ts';
import { csvOf, generateDevices } from './devices.ts';
import { requestText } from './load.ts';
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts';
import {
  atLeast,
  countFigure,
  type Figure,
  figure,
  memoryFigure,
  type RequestTable,
  ratioFigure,
  skippedFigure,
} from './report.ts';
import { bareGetItem, emptyRoute, goalsOf, NAMES, requestsOf } from './requests.ts';
import { measureRounds, type Rounds } from './rounds.ts';
import { type RunningSystem, startRunningSystem } from './running-system.ts';
import { type Sample, sampleOf } from './sampling.ts';
import { startEmptyRoute, startEngine, type Yardstick } from './yardsticks.ts';

const TINY = 1_000;
const SMALL = 10_000;
const LARGE = 100_000;
const JOBS = 1_000;
const READERS = [1_000, 2_000];
const ANSWERED_WITHIN_MS = 30_000;
/** Between two requests of somebody else while a file is imported. */
const OTHERS_EVERY_MS = 5;

interface Extent {
  rounds: Rounds;
  /** How often the system is started again, and how often the smaller file is imported. */
  starts: number;
  imports: number;
  /** Time for timers to run, and for garbage to be collected. */
  settleMs: number;
}

const WHOLE: Extent = { rounds: { rounds: 8, sliceMs: 200 }, starts: 5, imports: 3, settleMs: 5_000 };
const QUICK: Extent = { rounds: { rounds: 4, sliceMs: 100 }, starts: 3, imports: 1, settleMs: 2_000 };

export interface Conditions {
  dataFolder: string;
  /** Whether it runs in a network namespace that no packet can leave, with our own name server. */
  isolated: boolean;
  /** Whether it leaves out 100,000 devices and what takes long. */
  quick: boolean;
  say(text: string): void;
}

export interface Measured {
  figures: Figure[];
  requests: RequestTable[];
}

export async function measureAll(conditions: Conditions): Promise<Measured> {
  const { dataFolder, say } = conditions;
  await using generator = await startLoadGenerator();
  await using empty = await startEmptyRoute();
  await using engine = await startEngine();
  const bench = { ...conditions, generator, empty, engine, extent: conditions.quick ? QUICK : WHOLE };
  const own = await measureOwn(bench);
  say("the cloud's way: another database, of which nothing is remembered");
  const cloud = await measureCloudsWay(bench, join(dataFolder, '..', 'cloud'));
  return { figures: [...own.figures, ...cloud.figures], requests: [...own.requests, ...cloud.requests] };
}

interface Bench extends Conditions {
  generator: LoadGenerator;
  empty: Yardstick;
  engine: Yardstick;
  extent: Extent;
}

async function measureOwn(bench: Bench): Promise<Measured> {
  const { dataFolder, extent, quick, say } = bench;
  const requests: RequestTable[] = [];
  const figures: Figure[] = [];
  const imports: Import[] = [];
  const small = csvOf(generateDevices(SMALL));
  say('starting');
  let system = await startRunningSystem(dataFolder);
  try {
    await sleep(extent.settleMs);
    const idle = memoryFigure('memory of the agent, idle', 80, system.memory().agentMb);
    await importFile(bench, system, await addSite(system, 'tiny'), csvOf(generateDevices(TINY)), TINY);
    requests.push(await measureReads(bench, system, 'tiny', TINY));
    imports.push(await importFile(bench, system, 'home', small, SMALL));
    requests.push(await measureReads(bench, system, 'home', SMALL));
    await sleep(extent.settleMs);
    const memory = memoryFigures(system, SMALL, 220);
    const readers = await measureReaders(bench, system);

    say('running commands');
    const commands = await measureCommands(system, bench);
    if (!quick) say(`running ${thousands(JOBS)} commands`);
    const growth = quick ? [] : await measureGrowth(system, JOBS);

    const firstAnswers: number[] = [];
    for (let start = 1; start <= extent.starts; start++) {
      say(`starting again, ${start} of ${extent.starts}`);
      await system.stop();
      system = await startRunningSystem(dataFolder);
      firstAnswers.push(await withApi(system, listMs));
    }

    const again = await importFile(bench, system, 'home', small, SMALL, true);
    while (imports.length < extent.imports) {
      imports.push(await importFile(bench, system, await addSite(system, `small-${imports.length}`), small, SMALL));
    }
    figures.push(
      ...goalsOf(requests.at(-1)?.rows ?? [], `${thousands(SMALL)} devices`),
      ...readers,
      figure(`GET /devices of ${thousands(SMALL)}, first answer after a start`, 'ms', 300, sampleOf(firstAnswers)),
      ...importFigures(SMALL, null, imports),
      importRate(imports, requests.at(-1)),
      figure(`import of the same ${thousands(SMALL)} rows again`, 's', null, seconds([again.ms])),
    );
    if (!quick) {
      const large = await importFile(
        bench,
        system,
        await addSite(system, 'large'),
        csvOf(generateDevices(LARGE)),
        LARGE,
      );
      requests.push(await measureReads(bench, system, 'large', LARGE));
      await sleep(extent.settleMs);
      figures.push(...importFigures(LARGE, 9, [large]), ...memoryFigures(system, LARGE, 350));
      figures.push(...(await measureDeletion(bench, system, 'large')));
    }
    figures.push(...commands, idle, ...memory, ...growth);
    return { figures, requests };
  } finally {
    await system.stop();
  }
}

async function measureDeletion({ generator, say }: Bench, system: RunningSystem, site: string): Promise<Figure[]> {
  say(`deleting ${thousands(LARGE)} devices`);
  const { done, result } = await generator.during(others(system), () =>
    withApi(system, (api) => api.send('DELETE', '/devices', { site, json: {} })),
  );
  const { deleted_count: deleted } = JSON.parse(done.body.toString());
  if (deleted !== LARGE) throw new Error(`Expected that ${LARGE} devices are deleted, ${deleted} were`);
  const name = `deletion of all ${thousands(LARGE)} devices`;
  return [figure(name, 's', 4, seconds([done.ms])), waitOfOthers(name, [longest(result.latenciesMs)])];
}

async function measureReads(
  { empty, engine, extent, generator, say }: Bench,
  system: RunningSystem,
  site: string,
  devices: number,
): Promise<RequestTable> {
  say(`reading ${thousands(devices)} devices`);
  const subjects = await requestsOf(system, site, devices);
  const rows = await measureRounds(generator, extent.rounds, [emptyRoute(empty), bareGetItem(engine), ...subjects]);
  return { title: `${thousands(devices)} devices`, rows };
}

/** With a database that may have other writers, so that each request asks it, as the functions in the cloud do. */
async function measureCloudsWay({ empty, engine, extent, generator }: Bench, dataFolder: string): Promise<Measured> {
  const system = await startRunningSystem(dataFolder, { DYNAMODB_ENDPOINT: engine.url });
  try {
    await withApi(system, (api) => api.send('POST', '/devices/import', { file: csvOf(generateDevices(TINY)) }));
    const subjects = await requestsOf(system, 'home', TINY, engine.pid);
    const rows = await measureRounds(generator, extent.rounds, [emptyRoute(empty), ...subjects]);
    const totals = rows.find(({ name }) => name === NAMES.totals);
    if (totals === undefined) throw new Error(`${NAMES.totals} was not measured`);
    const name = `${NAMES.totals} in the cloud's way`;
    const one = (value: number): Sample => ({ p50: value, p99: value, count: 1 });
    return {
      figures: [
        figure(`${name}: p50`, 'ms', 1, one(totals.p50Ms)),
        figure(`${name}: CPU of the server`, 'ms', 0.8, one(totals.serverCpuAloneMs)),
        ratioFigure(`${name}: requests/s of the empty route's`, '%', null, totals.percentOfYardstick),
      ],
      requests: [{ title: `${thousands(TINY)} devices, the cloud's way`, rows }],
    };
  } finally {
    await system.stop();
  }
}

/** Everybody asks at the same moment, each over a connection of its own. The server accepts 2,000 connections. */
async function measureReaders({ generator, say }: Bench, { url, token }: RunningSystem): Promise<Figure[]> {
  const figures: Figure[] = [];
  const requests = [requestText(url, 'GET', '/devices/totals', { token })];
  for (const readers of READERS) {
    say(`${thousands(readers)} readers at once`);
    const { statuses, failed } = await generator.run({ url, requests, connections: readers, perConnection: 1 });
    say(`answers by status ${JSON.stringify(statuses)}, and ${failed} connections without an answer`);
    await untilAnswered(url);
    const name = `${thousands(readers)} readers of totals at once: answered with 200`;
    figures.push(countFigure(name, atLeast(readers), statuses[200] ?? 0));
  }
  return figures;
}

/** Resolves when the server accepts connections again: those of many readers take a moment to close. */
async function untilAnswered(url: string): Promise<void> {
  const deadline = performance.now() + ANSWERED_WITHIN_MS;
  for (;;) {
    const isAnswered = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isAnswered) return;
    if (performance.now() > deadline) throw new Error('The server does not answer any more');
    await sleep(100);
  }
}

function memoryFigures(system: RunningSystem, devices: number, goal: number): Figure[] {
  const { wholeMb, wholeOnceMb } = system.memory();
  const name = `memory of the whole system, ${thousands(devices)} devices`;
  const once = `${name}, shared pages once`;
  return [
    memoryFigure(name, goal, wholeMb),
    wholeOnceMb === null
      ? skippedFigure(once, null, 'the processes may not be looked at', 'MB')
      : memoryFigure(once, null, wholeOnceMb),
  ];
}

interface Import {
  ms: number;
  /** The most resident memory of the server meanwhile. */
  serverMb: number;
  /** The longest that somebody else had to wait meanwhile. */
  longestWaitMs: number;
}

/** @param unchanged whether the site has all the rows already, so that nothing is to be written */
async function importFile(
  { generator, say }: Bench,
  system: RunningSystem,
  site: string,
  csv: string,
  rows: number,
  unchanged = false,
): Promise<Import> {
  say(`importing ${thousands(rows)} devices${unchanged ? ', which are there already' : ''}`);
  const send = () => withApi(system, (api) => api.send('POST', '/devices/import', { site, file: csv }));
  const { done, serverMb } = await system.peakDuring(() => generator.during(others(system), send));
  const { inserted, updated, change } = JSON.parse(done.done.body.toString());
  if (inserted !== rows || updated !== (unchanged ? rows : 0) || (change === null) !== unchanged) {
    throw new Error(`Expected ${rows} rows to be taken, got ${done.done.body.subarray(0, 300)}`);
  }
  return { ms: done.done.ms, serverMb, longestWaitMs: longest(done.result.latenciesMs) };
}

function importFigures(rows: number, goal: number | null, imports: readonly Import[]): Figure[] {
  const name = `import of ${thousands(rows)} rows`;
  return [
    figure(name, 's', goal, seconds(imports.map(({ ms }) => ms))),
    memoryFigure(`${name}: memory of the server, at most`, 350, Math.max(...imports.map(({ serverMb }) => serverMb))),
    waitOfOthers(
      name,
      imports.map(({ longestWaitMs }) => longestWaitMs),
    ),
  ];
}

/** A ratio, because it is about the same on a fast host and on a slow one. */
function importRate(imports: readonly Import[], table: RequestTable | undefined): Figure {
  const empty = table?.rows.find(({ name }) => name === NAMES.empty);
  if (empty === undefined) throw new Error(`${NAMES.empty} was not measured`);
  const rowsPerSecond = SMALL / (sampleOf(imports.map(({ ms }) => ms)).p50 / 1_000);
  const name = `import of ${thousands(SMALL)} rows: rows/s of the empty route's requests/s`;
  return ratioFigure(name, '%', null, (rowsPerSecond / empty.perSecond) * 100);
}

/** The requests of somebody else. */
function others({ url }: RunningSystem) {
  return { url, requests: [requestText(url, 'GET', '/health')], connections: 1, pauseMs: OTHERS_EVERY_MS };
}

function waitOfOthers(name: string, ms: readonly number[]): Figure {
  return figure(`${name}: longest wait of others`, 'ms', null, sampleOf(ms));
}

/** Also checks the content, because a response that lacks devices would be fast. */
async function listMs(api: Api): Promise<number> {
  const { ms, body } = await api.send('GET', '/devices', { gzip: true });
  const { devices } = JSON.parse(gunzipSync(body).toString());
  if (devices.length !== SMALL) throw new Error(`Expected ${SMALL} devices, got ${devices.length}`);
  return ms;
}

async function addSite(system: RunningSystem, id: string): Promise<string> {
  await withApi(system, (api) => api.send('POST', '/sites', { json: { id } }));
  return id;
}

async function withApi<T>({ url, token }: RunningSystem, work: (api: Api) => Promise<T>): Promise<T> {
  const api = openApi(url, token);
  try {
    return await work(api);
  } finally {
    api.close();
  }
}

function longest(ms: readonly number[]): number {
  return ms.reduce((most, one) => Math.max(most, one), 0);
}

function seconds(ms: readonly number[]): Sample {
  const { p50, p99, count } = sampleOf(ms);
  return { p50: p50 / 1000, p99: p99 / 1000, count };
}

function thousands(count: number): string {
  return count.toLocaleString('en');
}
