/** `npm run bench`: measures what is built, beside another build if one is given. */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { muteVersionNotice } from '../../local/config.ts';
import { measureConsole } from './console.ts';
import { markdown, type Report } from './report.ts';
import { type Conditions, measureSystem } from './system.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PARTS = ['system', 'console', 'costs'] as const;
type Part = Exclude<(typeof PARTS)[number], 'costs'>;

/** Load per core above which other processes affect the figures. */
const QUIET_LOAD = 0.25;
const HELP = `Usage: npm run bench [-- [system | console | costs] [--against FOLDER] [--quick]]

Measures a system as npm start starts it, on free ports and in a folder of its own: requests, starts, imports, commands,
memory. That takes about six minutes. The figures are printed as Markdown.

  console           the start of the web console in Chromium instead, which has to be installed
  costs             what AWS would charge instead: computed, for DEPLOY.md, whose tables are replaced
  --against FOLDER  compare the system with another build, such as a worktree of another commit with its packages and
                    dist/: both run at once and are measured in turn
  --quick           leave out 100,000 devices and what takes long
`;

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      against: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const part = PARTS.find((name) => name === (positionals[0] ?? 'system'));
  if (values.help || part === undefined || positionals.length > 1) {
    process.stdout.write(HELP);
    return values.help ? 0 : 2;
  }
  if (part === 'costs') {
    await import(new URL('costs.js', import.meta.url).href); // A program of its own, because it needs the CDK.
    return 0;
  }
  muteVersionNotice();
  const { against, quick } = values;
  const folder = await mkdtemp(join(tmpdir(), 'lanreach-bench-'));
  try {
    const builds = against === undefined ? [ROOT] : [ROOT, resolve(against)];
    process.stdout.write(markdown(await measure(part, { builds, folder, quick, say })));
    return 0;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measure(part: Part, conditions: Conditions): Promise<Report> {
  const machine = machineHere();
  if (part === 'console') return { machine, figures: await measureConsole(conditions) };
  return { machine, ...(await measureSystem(conditions)) };
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

function say(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}

process.exitCode = await main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`bench: ${error.message}\n`);
  return 1;
});
