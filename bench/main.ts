/** `npm run bench`: measures what was promised, on the system that `npm start` starts. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureAll } from './figures.ts';
import { findIsolation, relay } from './isolation.ts';
import { allReached, machineText, markdownTable, Report, textTable } from './report.ts';

const RESULTS = fileURLToPath(new URL('../bench/results.json', import.meta.url));
/** Load per core above which others visibly take part in the figures. */
const QUIET_LOAD = 0.25;
const HELP = `Usage: npm run bench [-- --markdown]

Measures a system as npm start starts it, on free ports and in a folder of its own. That takes about four minutes; other
work on this host spoils the figures. They are printed, and written to bench/results.json.

  --markdown  measure nothing, print the last figures as Markdown
  --strict    end with 1 when a figure is over its goal
`;

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean', short: 'h' },
      markdown: { type: 'boolean' },
      strict: { type: 'boolean' },
      /** Used when we start ourselves in a network namespace: the folder for everything that is only kept meanwhile. */
      'inside-with': { type: 'string' },
    },
  });
  if (values.help) return print(HELP);
  if (values['inside-with'] !== undefined) return measure(values['inside-with'], true);
  if (!values.markdown) {
    const code = await measureIsolated(args);
    if (code !== 0) return code;
  }
  const { machine, figures } = await readReport();
  print(`${machineText(machine)}\n\n${values.markdown ? markdownTable(figures) : textTable(figures)}`);
  return values.strict && !allReached(figures) ? 1 : 0;
}

/** Starts ourselves once more in a network namespace; measures without one where that is not allowed. */
async function measureIsolated(args: string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'lanreach-bench-'));
  try {
    const inside = await findIsolation(folder);
    if (inside === null) return await measure(folder, false);
    const program = process.argv[1] ?? '';
    return await relay(
      inside([process.execPath, ...process.execArgv, program, ...args, '--inside-with', folder]),
      (line) => process.stderr.write(`${line}\n`),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(folder: string, isolated: boolean): Promise<0> {
  const machine = {
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    os: `${type()} ${release()}`,
    node: process.versions.node,
    loadBefore: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    isolated,
  };
  const say = (text: string) => process.stderr.write(`bench: ${text}\n`);
  if (machine.loadBefore > machine.cores * QUIET_LOAD) {
    say(`this host is busy (load ${machine.loadBefore}): the figures will be worse than they are`);
  }
  const figures = await measureAll({ dataFolder: join(folder, 'data'), isolated, say });
  const report: Report = { machine, figures };
  await writeFile(RESULTS, `${JSON.stringify(report, null, 2)}\n`);
  return 0;
}

async function readReport(): Promise<Report> {
  const text = await readFile(RESULTS, 'utf8').catch(() => {
    throw new Error(`There are no figures yet in ${RESULTS}: npm run bench`);
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
