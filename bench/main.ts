/** `npm run bench`: measures the performance goals on the system that `npm start` starts. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { muteVersionNotice, readConfig } from '../local/config.ts';
import { findLambdaRuntime, LAMBDA_RUNTIME } from '../test/lambda/runtime.ts';
import { providePackages } from '../test/support/own-packages.ts';
import { measureConsole } from './console.ts';
import { costsTable } from './costs.ts';
import { measureDiscovery } from './discovery.ts';
import { measureAll } from './figures.ts';
import { measureFunctions } from './functions.ts';
import { measureHostile } from './hostile.ts';
import { findIsolation, relay } from './isolation.ts';
import { allReached, type Figure, machineText, markdownTable, Report, textTable } from './report.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RESULTS = {
  system: join(ROOT, 'bench', 'results.json'),
  functions: join(ROOT, 'bench', 'functions.json'),
  hostile: join(ROOT, 'bench', 'hostile.json'),
  discovery: join(ROOT, 'bench', 'discovery.json'),
  console: join(ROOT, 'bench', 'console.json'),
};
type Part = keyof typeof RESULTS;

/** Load per core above which other processes affect the figures. */
const QUIET_LOAD = 0.25;
const HELP = `Usage: npm run bench [-- [--functions | --hostile | --discovery | --console | --costs] [--markdown] [--strict]]

Measures a system as npm start starts it, on free ports and in a folder of its own. That takes about four minutes; other
work on this host spoils the figures. They are printed, and written to bench/results.json.

  --functions  measure the functions that a deployment would upload instead, under the runtime of Lambda, which is
               installed for that; a minute; bench/functions.json
  --hostile    measure how long everybody waits while somebody sends the worst requests there are; three minutes;
               bench/hostile.json
  --discovery  measure cycles of discovery and the memory of an agent that knows many devices; two minutes;
               bench/discovery.json
  --console    measure the web console in Chromium, which has to be installed; ten minutes; bench/console.json
  --costs      measure nothing, print what discovery costs in the cloud, as it stands in DEPLOY.md
  --markdown   measure nothing, print the last figures as Markdown
  --strict     end with 1 when a figure is over its goal
`;

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean', short: 'h' },
      functions: { type: 'boolean' },
      hostile: { type: 'boolean' },
      discovery: { type: 'boolean' },
      console: { type: 'boolean' },
      costs: { type: 'boolean' },
      markdown: { type: 'boolean' },
      strict: { type: 'boolean' },
      /** Set when this program runs itself in a network namespace: the folder for temporary files. */
      'inside-with': { type: 'string' },
    },
  });
  if (values.help) return print(HELP);
  if (values.costs) return print(costsTable());
  const part = (['functions', 'hostile', 'discovery', 'console'] as const).find((name) => values[name]) ?? 'system';
  if (values['inside-with'] !== undefined) return measure(part, values['inside-with'], true);
  const results = RESULTS[part];
  if (!values.markdown) {
    const code = await (part === 'functions' ? measureBuilt() : measureIsolated(part, args));
    if (code !== 0) return code;
  }
  const { machine, figures } = await readReport(results);
  print(`${machineText(machine)}\n\n${values.markdown ? markdownTable(figures) : textTable(figures)}`);
  return values.strict && !allReached(figures) ? 1 : 0;
}

/** Runs this program again in a network namespace; without one if that is not permitted. */
async function measureIsolated(part: Part, args: string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'lanreach-bench-'));
  try {
    const inside = await findIsolation(folder);
    if (inside === null) return await measure(part, folder, false);
    const program = process.argv[1] ?? '';
    return await relay(
      inside([process.execPath, ...process.execArgv, program, ...args, '--inside-with', folder]),
      (line) => process.stderr.write(`${line}\n`),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(part: Part, folder: string, isolated: boolean): Promise<0> {
  const machine = machineHere(process.versions.node, isolated);
  const dataFolder = join(folder, 'data');
  return writeReport(RESULTS[part], { machine, figures: await figuresOf(part, { dataFolder, isolated, say }) });
}

function figuresOf(part: Part, options: Parameters<typeof measureAll>[0]): Promise<Figure[]> {
  switch (part) {
    case 'hostile':
      return measureHostile(options.dataFolder, say);
    case 'discovery':
      return measureDiscovery(options);
    case 'console':
      return measureConsole(options, join(ROOT, 'dist', 'console'));
    default:
      return measureAll(options);
  }
}

async function measureBuilt(): Promise<0> {
  muteVersionNotice();
  const { childEnvironment: env, installPrograms } = readConfig();
  await providePackages(LAMBDA_RUNTIME, { root: ROOT, env, install: installPrograms, say });
  const runtime = await findLambdaRuntime(ROOT);
  if (typeof runtime === 'string') throw new Error(runtime);
  const machine = machineHere(runtime.nodeVersion, false);
  const figures = await measureFunctions({ root: ROOT, runtime, say });
  return writeReport(RESULTS.functions, { machine, figures });
}

const say = (text: string) => process.stderr.write(`bench: ${text}\n`);

function machineHere(node: string, isolated: boolean): Report['machine'] {
  const machine = {
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    os: `${type()} ${release()}`,
    node,
    loadBefore: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    isolated,
  };
  if (machine.loadBefore > machine.cores * QUIET_LOAD) {
    say(`this host is busy (load ${machine.loadBefore}): the figures will be worse than on an idle host`);
  }
  return machine;
}

async function writeReport(file: string, report: Report): Promise<0> {
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
  return 0;
}

async function readReport(file: string): Promise<Report> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(`There are no figures in ${file} yet. Run: npm run bench`);
  });
  return Report.parse(JSON.parse(text));
}

function print(text: string): 0 {
  process.stdout.write(text);
  return 0;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`bench: ${error.message}\n`);
  return 1;
});
