/** `npm run bench`: measures what is built, beside another build if one is given. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, workerData } from 'node:worker_threads';
import { runToEnd } from '../local/child-process.ts';
import { muteVersionNotice, readConfig } from '../local/config.ts';
import { findLambdaRuntime, LAMBDA_RUNTIME } from '../test/lambda/runtime.ts';
import { providePackages } from '../test/support/own-packages.ts';
import { measureConsole } from './console.ts';
import { measureDiscovery } from './discovery.ts';
import { measureFairness } from './fairness.ts';
import { measureFunctions } from './functions.ts';
import { beHostile } from './hostile.ts';
import { markdown, type Report } from './report.ts';
import { type Conditions, measureSystem } from './system.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RESULTS = join(ROOT, 'bench', 'results.json');
const PARTS = ['system', 'functions', 'discovery', 'console', 'fairness', 'costs'] as const;
type Part = Exclude<(typeof PARTS)[number], 'costs'>;

/** Load per core above which other processes affect the figures. */
const QUIET_LOAD = 0.25;
const INSIDE_WITHIN_MS = 30 * 60_000;
const HELP = `Usage: npm run bench [-- [system | functions | discovery | console | fairness | costs] [--against FOLDER] [--quick]]

Measures a system as npm start starts it, on free ports and in a folder of its own: requests, starts, imports, commands,
memory. That takes about six minutes. The figures are printed as Markdown, and written to bench/results.json.

  functions         the functions that a deployment would upload instead, under Lambda's runtime, which is installed
  discovery         a LAN in a network namespace that is watched instead; five minutes
  console           the start of the web console in Chromium instead, which has to be installed
  fairness          what a hostile tenant does to 99 others instead; three minutes
  costs             what AWS would charge, and what breaks first with many sites, instead: computed, for DEPLOY.md and
                    docs/scale.md, whose tables are replaced
  --against FOLDER  compare the system with another build, such as a worktree of another commit with its packages and
                    dist/: both run at once and are measured in turn; nothing is written
  --quick           leave out 100,000 devices and what takes long; nothing is written
`;

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      against: { type: 'string' },
      quick: { type: 'boolean', default: false },
      /** Set when this program runs itself in a network namespace. */
      inside: { type: 'boolean', default: false },
    },
  });
  const part = PARTS.find((name) => name === (positionals[0] ?? 'system'));
  if (values.help || part === undefined || positionals.length > 1) {
    process.stdout.write(HELP);
    return values.help ? 0 : 2;
  }
  if (part === 'discovery' && !values.inside) return runInside(args);
  if (part === 'costs') {
    await import(new URL('costs.js', import.meta.url).href); // A program of its own, because it needs the CDK.
    return 0;
  }
  muteVersionNotice();
  const { against, quick } = values;
  const folder = await mkdtemp(join(tmpdir(), 'lanreach-bench-'));
  try {
    const builds = against === undefined ? [ROOT] : [ROOT, resolve(against)];
    const report = await measure(part, { builds, folder, quick, say });
    process.stdout.write(markdown(report));
    if (!quick && against === undefined) await keep(part, report);
    return 0;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measure(part: Part, conditions: Conditions): Promise<Report> {
  const machine = machineHere();
  switch (part) {
    case 'system':
      return { machine, ...(await measureSystem(conditions)) };
    case 'discovery':
      return { machine, figures: await measureDiscovery(conditions) };
    case 'console':
      return { machine, figures: await measureConsole(conditions) };
    case 'fairness':
      return { machine, figures: await measureFairness(conditions) };
    case 'functions': {
      const { childEnvironment: env, installPrograms } = readConfig();
      await providePackages(LAMBDA_RUNTIME, { root: ROOT, env, install: installPrograms, say });
      const runtime = await findLambdaRuntime(ROOT);
      if (typeof runtime === 'string') throw new Error(runtime);
      return { machine, figures: await measureFunctions(ROOT, runtime, say) };
    }
  }
}

/** Runs this program again in a network namespace without any interface, in which names are looked up at once. */
async function runInside(args: string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'lanreach-bench-'));
  const resolvConf = join(folder, 'resolv.conf');
  await writeFile(resolvConf, 'nameserver 127.0.0.1\n');
  const prepare = 'ip link set lo up && mount --bind "$0" /etc/resolv.conf && exec "$@"';
  const own = [process.execPath, ...process.execArgv, process.argv[1] ?? '', ...args, '--inside'];
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? [] : ['--user', '--map-root-user'];
  try {
    const { code } = await runToEnd(['unshare', ...user, '--net', '--mount', 'sh', '-c', prepare, resolvConf, ...own], {
      timeoutMs: INSIDE_WITHIN_MS,
      onLine: (line) => process.stdout.write(`${line}\n`),
    });
    return code ?? 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function machineHere(): string {
  const { length: cores, 0: cpu } = cpus();
  const load = loadavg()[0] ?? 0;
  if (load > cores * QUIET_LOAD) say(`this host is busy (load ${load.toFixed(1)}): the figures will be worse for it`);
  const date = new Date().toISOString().slice(0, 10);
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  const system = `${type()} ${release()}, Node ${process.versions.node}`;
  return `${date}, ${cores} × ${cpu?.model.trim() ?? 'unknown'}, ${memory}, ${system}, load ${load.toFixed(1)}`;
}

/** Puts the figures beside those of the other parts. */
async function keep(part: Part, report: Report): Promise<void> {
  const kept = JSON.parse(await readFile(RESULTS, 'utf8'));
  const brief = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value);
  await writeFile(RESULTS, `${JSON.stringify({ ...kept, [part]: report }, brief, 2)}\n`);
}

function say(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}

if (isMainThread) {
  process.exitCode = await main(process.argv.slice(2)).catch((error: Error) => {
    process.stderr.write(`bench: ${error.message}\n`);
    return 1;
  });
} else {
  await beHostile(workerData);
}
