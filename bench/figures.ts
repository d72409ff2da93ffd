/** The measurements, in sequence on one system, and their goals. */

import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { type Api, openApi } from './api.ts';
import { measureCommands, measureGrowth } from './commands.ts';
import { csvOf, generateDevices } from './devices.ts';
import { type Figure, figure, memoryFigure } from './report.ts';
import { startRunningSystem } from './running-system.ts';
import { repeat, repeatInTurn, type Sample, sampleOf } from './sampling.ts';

const SMALL = 10_000;
const LARGE = 100_000;
const QUICK_READS = { warmUp: 1_000, count: 2_000 };
const LISTS = { warmUp: 20, count: 200 };
const JOBS = 1_000;
/** Typical search terms: parts of names, of addresses, and of MACs in several notations. */
const QUERIES = [
  'nas 12',
  '44:19:b6:00:0',
  '10.0.3.',
  'kamera-süd 7',
  '001b.a900.1',
  '10.0.17.40',
  'tv, living room 42',
  'no such device',
];
const STARTS = 5;
const IMPORTS = 3;
/** Time for timers to run, and for garbage of the start to be collected. */
const SETTLE_MS = 5_000;

export interface Conditions {
  dataFolder: string;
  /** Whether it runs in a network namespace that no packet can leave, with our own name server. */
  isolated: boolean;
  say(text: string): void;
}

export async function measureAll({ dataFolder, isolated, say }: Conditions): Promise<Figure[]> {
  say('starting');
  let system = await startRunningSystem(dataFolder);
  let api = openApi(system.url, system.token);
  try {
    await sleep(SETTLE_MS);
    const idle = memoryFigure('memory of the agent, idle', 80, system.memory().agentMb);

    say(`importing ${SMALL} devices`);
    const small = csvOf(generateDevices(SMALL));
    const imports = [await importMs(api, 'home', small, SMALL)];
    say('reading');
    const reads = await measureReads(api);
    await sleep(SETTLE_MS);
    const whole = memoryFigure(`memory of the whole system, ${thousands(SMALL)} devices`, 350, system.memory().wholeMb);

    say('running commands');
    const commands = await measureCommands(system, isolated);
    say(`running ${thousands(JOBS)} commands`);
    const growth = await measureGrowth(system, JOBS);

    const firstAnswers: number[] = [];
    for (let start = 1; start <= STARTS; start++) {
      say(`starting again, ${start} of ${STARTS}`);
      api.close();
      await system.stop();
      system = await startRunningSystem(dataFolder);
      api = openApi(system.url, system.token);
      firstAnswers.push(await listMs(api));
    }

    while (imports.length < IMPORTS) {
      say(`importing ${SMALL} devices again, into an empty site`);
      imports.push(await importMs(api, await addSite(api, `small-${imports.length}`), small, SMALL));
    }
    say(`importing ${LARGE} devices`);
    const large = await importMs(api, await addSite(api, 'large'), csvOf(generateDevices(LARGE)), LARGE);

    return [
      ...reads,
      figure('GET /devices, first answer after a start', 'ms', 500, sampleOf(firstAnswers)),
      figure(`import of ${thousands(SMALL)} rows`, 's', 2, seconds(sampleOf(imports))),
      figure(`import of ${thousands(LARGE)} rows`, 's', 15, seconds(sampleOf([large]))),
      ...commands,
      idle,
      whole,
      ...growth,
    ];
  } finally {
    api.close();
    await system.stop();
  }
}

async function measureReads(api: Api): Promise<Figure[]> {
  const read = (method: string, path: string, json?: unknown) => async () =>
    (await api.send(method, path, { gzip: true, ...(json === undefined ? {} : { json }) })).ms;
  const search = async (round: number) =>
    (await api.send('POST', '/devices/search', { gzip: true, json: { query: QUERIES[round % QUERIES.length] } })).ms;
  const quick = await repeatInTurn(QUICK_READS, {
    'GET /devices/totals': read('GET', '/devices/totals'),
    'GET /devices/latest': read('GET', '/devices/latest'),
    'GET /devices/by-status?status=online': read('GET', '/devices/by-status?status=online'),
    'POST /devices/search': search,
  });
  const broad = await repeat(LISTS, read('POST', '/devices/search', { query: '10.' }));
  return [
    ...Object.entries(quick).map(([name, sample]) => figure(name, 'ms', 2, sample)),
    figure('POST /devices/search that finds every device', 'ms', null, broad),
    figure('GET /devices, gzip', 'ms', 10, await repeat(LISTS, () => listMs(api))),
  ];
}

/** Also checks the content, because a response that lacks devices would be fast. */
async function listMs(api: Api): Promise<number> {
  const { ms, headers, body } = await api.send('GET', '/devices', { gzip: true });
  if (headers['content-encoding'] !== 'gzip') throw new Error('The list of devices came uncompressed');
  const { devices } = JSON.parse(gunzipSync(body).toString());
  if (devices.length !== SMALL) throw new Error(`Expected ${SMALL} devices, got ${devices.length}`);
  return ms;
}

async function importMs(api: Api, site: string, csv: string, rows: number): Promise<number> {
  const { ms, body } = await api.send('POST', '/devices/import', { site, file: csv });
  const { inserted, skipped_lines: skipped } = JSON.parse(body.toString());
  if (inserted !== rows) throw new Error(`Expected ${rows} rows, ${inserted} were taken and ${skipped.length} skipped`);
  return ms;
}

async function addSite(api: Api, id: string): Promise<string> {
  await api.send('POST', '/sites', { json: { id } });
  return id;
}

function seconds({ p50, p99, count }: Sample): Sample {
  return { p50: p50 / 1000, p99: p99 / 1000, count };
}

function thousands(count: number): string {
  return count.toLocaleString('en');
}
