/** `npm run bench`: measures the performance goals on the system that `npm start` starts. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runToEnd } from '../local/child-process.ts';
import { childEnvironment, muteVersionNotice, readConfig } from '../local/config.ts';
import { codeOf } from '../shared/errno.ts';
import { findLambdaRuntime, LAMBDA_RUNTIME } from '../test/lambda/runtime.ts';
import { providePackages } from '../test/support/own-packages.ts';
import { measureConsole } from './console.ts';
import { measureDiscovery } from './discovery.ts';
import { type Conditions, type Measured, measureAll } from './figures.ts';
import { measureFunctions } from './functions.ts';
import { History, historyEntry, historyTable } from './history.ts';
import { measureHostile } from './hostile.ts';
import { findIsolation, relay } from './isolation.ts';
import { measureNodes } from './nodes.ts';
import {
  allReached,
  asMarkdown,
  asText,
  comparisonTable,
  figuresTable,
  machineText,
  Report,
  requestsTable,
} from './report.ts';
import { measureWaiting } from './waiting.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RESULTS = {
  system: join(ROOT, 'bench', 'results.json'),
  functions: join(ROOT, 'bench', 'functions.json'),
  hostile: join(ROOT, 'bench', 'hostile.json'),
  discovery: join(ROOT, 'bench', 'discovery.json'),
  console: join(ROOT, 'bench', 'console.json'),
  waiting: join(ROOT, 'bench', 'waiting.json'),
  node: join(ROOT, 'bench', 'nodes.json'),
};
const HISTORY = join(ROOT, 'bench', 'history.json');
type Part = keyof typeof RESULTS;

/** Load per core above which other processes affect the figures. */
const QUIET_LOAD = 0.25;
const GIT_WITHIN_MS = 10_000;
const HELP = `Usage: npm run bench [-- [--functions | --hostile | --discovery | --console | --waiting |
                           --node PROGRAM] [--quick] [--keep] [--markdown] [--strict]]

Measures a system as npm start starts it, on free ports and in a folder of its own, beside an empty route and a bare
database in the same run. That takes about six minutes; other work on this host spoils the figures, and the ratios less
than the times. They are printed, and written to bench/results.json.

  --quick      leave out 100,000 devices and what takes long; less than two minutes; the figures are only printed
  --keep       add the ratios to bench/history.json, under the commit that is checked out
  --node PROGRAM
               measure the same requests on the Node.js that runs this and on that one instead, in the same rounds; two
               minutes, with --quick one; bench/nodes.json
  --functions  measure the functions that a deployment would upload instead, under the runtime of Lambda, which is
               installed for that; a minute; bench/functions.json
  --hostile    measure how long everybody waits while somebody sends the worst requests there are; three minutes;
               bench/hostile.json
  --discovery  measure cycles of discovery and the memory of an agent that knows many devices; five minutes;
               bench/discovery.json
  --console    measure the web console in Chromium, which has to be installed; ten minutes; bench/console.json
  --waiting    measure callers who wait for long commands, and how soon they are told; two minutes; bench/waiting.json
  --markdown   measure nothing, print the last figures as Markdown, and the history
  --strict     end with 1 when a figure misses its goal, or has one and was skipped
`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  functions: { type: 'boolean' },
  hostile: { type: 'boolean' },
  discovery: { type: 'boolean' },
  console: { type: 'boolean' },
  waiting: { type: 'boolean' },
  node: { type: 'string' },
  quick: { type: 'boolean' },
  keep: { type: 'boolean' },
  markdown: { type: 'boolean' },
  strict: { type: 'boolean' },
  /** Set when this program runs itself: the folder for temporary files, and for the report. */
  'inside-with': { type: 'string' },
  /** Set with it when that is in a network namespace. */
  isolated: { type: 'boolean' },
} as const;

type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS });
  if (values.help) return print(HELP);
  const folder = values['inside-with'];
  const part = partOf(values);
  if (folder !== undefined) return measure(part, folder, values);
  const report = values.markdown ? await readKept(part) : await measureAndKeep(part, args, values);
  if (report === null) return 1;
  print(await textOf(part, report, values.markdown ?? false));
  return values.strict && !allReached(report.figures) ? 1 : 0;
}

function partOf(values: Options): Part {
  if (values.node !== undefined) return 'node';
  return (
    (['functions', 'hostile', 'discovery', 'console', 'waiting'] as const).find((name) => values[name]) ?? 'system'
  );
}

/** Null when the measurement has failed, and has said why. */
async function measureAndKeep(part: Part, args: string[], { keep, quick }: Options): Promise<Report | null> {
  if (keep && (part !== 'system' || quick)) throw new Error('--keep is for the whole run, without other options');
  const commit = keep ? await commitHere() : null;
  const report = await (part === 'functions' ? measureBuilt() : inProcess(args, REPORT, readReport));
  if (report === null) return null;
  if (!quick) await writeJson(RESULTS[part], report);
  if (commit !== null) await writeJson(HISTORY, [...(await readHistory()), historyEntry(report, commit)]);
  return report;
}

/** @returns the short hash of the commit that is measured */
async function commitHere(): Promise<string> {
  const git = async (...args: string[]) => {
    const { code, output } = await runToEnd(['git', '-C', ROOT, ...args], {
      env: childEnvironment(),
      timeoutMs: GIT_WITHIN_MS,
    });
    if (code !== 0) throw new Error(`--keep needs the commit, and git does not tell it: ${output}`);
    return output;
  };
  const changed = await git(
    'status',
    '--porcelain',
    '--untracked-files=no',
    '--',
    ROOT,
    ':!bench/*.json',
    ':!bench/*.md',
  );
  const added = await git('ls-files', '--others', '--exclude-standard', '--', '*.ts', '*.tsx');
  if (changed + added !== '') {
    throw new Error(`--keep measures a commit, and these files differ from it:\n${changed}${added}`);
  }
  return git('rev-parse', '--short=7', 'HEAD');
}

/**
 * Runs this program again, in a network namespace if that is permitted, and removes the folder of everything that was
 * started when it has ended, however it has.
 * @param result name of the file in that folder that it leaves behind, for `read`
 */
async function inProcess<T>(args: string[], result: string, read: (file: string) => Promise<T>): Promise<T | null> {
  const folder = await mkdtemp(join(tmpdir(), 'lanreach-bench-'));
  try {
    const inside = await findIsolation(folder);
    const isolated = inside === null ? [] : ['--isolated'];
    const argv = [process.execPath, ...process.execArgv, process.argv[1] ?? '', ...args] as const;
    const whole = [...argv, '--inside-with', folder, ...isolated] as const;
    const env = { ...childEnvironment(), TMPDIR: folder };
    const command = inside === null ? whole : inside(whole);
    const code = await relay(command, env, (line) => process.stderr.write(`${line}\n`));
    return code === 0 ? await read(join(folder, result)) : null;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const REPORT = 'report.json';

async function measure(part: Part, folder: string, { isolated = false, quick = false, node }: Options): Promise<0> {
  muteVersionNotice();
  const machine = machineHere(process.versions.node, isolated);
  const measured = await measurePart(part, { dataFolder: join(folder, 'data'), isolated, quick, say }, node ?? '');
  await writeJson(join(folder, REPORT), { machine, ...measured } satisfies Report);
  return 0;
}

async function measurePart(part: Part, conditions: Conditions, node: string): Promise<Measured> {
  switch (part) {
    case 'hostile':
      return { figures: await measureHostile(conditions.dataFolder, say), requests: [] };
    case 'discovery':
      return { figures: await measureDiscovery(conditions), requests: [] };
    case 'console':
      return { figures: await measureConsole(conditions, join(ROOT, 'dist', 'console')), requests: [] };
    case 'waiting':
      return { figures: await measureWaiting(conditions.dataFolder, say), requests: [] };
    case 'node': {
      const versions = [process.versions.node, await versionOf(node)] as const;
      const requests = await measureNodes(conditions, { programs: [process.execPath, node], versions });
      return { figures: [], requests };
    }
    default:
      return measureAll(conditions);
  }
}

async function versionOf(node: string): Promise<string> {
  const { code, output } = await runToEnd([node, '--version'], {
    env: childEnvironment(),
    timeoutMs: GIT_WITHIN_MS,
  });
  const version = /^v(\d+\.\d+\.\d+)/.exec(output)?.[1];
  if (code !== 0 || version === undefined) throw new Error(`${node} is no Node.js: ${output}`);
  return version;
}

async function measureBuilt(): Promise<Report> {
  muteVersionNotice();
  const { childEnvironment: env, installPrograms } = readConfig();
  await providePackages(LAMBDA_RUNTIME, { root: ROOT, env, install: installPrograms, say });
  const runtime = await findLambdaRuntime(ROOT);
  if (typeof runtime === 'string') throw new Error(runtime);
  const machine = machineHere(runtime.nodeVersion, false);
  return { machine, figures: await measureFunctions({ root: ROOT, runtime, say }), requests: [] };
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

async function writeJson(file: string, content: Report | History): Promise<void> {
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
}

async function readReport(file: string): Promise<Report> {
  return Report.parse(JSON.parse(await readFile(file, 'utf8')));
}

/** What was measured last. */
function readKept(part: Part): Promise<Report> {
  return readReport(RESULTS[part]).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    const option = part === 'node' ? '--node PROGRAM' : `--${part}`;
    const command = part === 'system' ? 'npm run bench' : `npm run bench -- ${option}`;
    throw new Error(`There are no figures in ${RESULTS[part]} yet. Measure them with: ${command}`);
  });
}

async function readHistory(): Promise<History> {
  return History.parse(JSON.parse(await readFile(HISTORY, 'utf8')));
}

async function textOf(part: Part, { machine, figures, requests }: Report, isMarkdown: boolean): Promise<string> {
  const tables = part === 'node' ? [comparisonTable(requests)] : requests.map(requestsTable);
  if (figures.length > 0) tables.push(figuresTable(figures));
  if (isMarkdown && part === 'system') tables.push(historyTable(await readHistory()));
  return [`${machineText(machine)}\n`, ...tables.map(isMarkdown ? asMarkdown : asText)].join('\n');
}

function print(text: string): 0 {
  process.stdout.write(text);
  return 0;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`bench: ${error.message}\n`);
  return 1;
});
