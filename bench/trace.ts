/** `npm run bench -- --trace`: where the time of a command goes, step by step. */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { COMMAND_STEPS, type CommandStep } from '../shared/agent/command-steps.ts';
import { openApi } from './api.ts';
import { NAME, startNameServer } from './name-server.ts';
import { startRunningSystem } from './running-system.ts';
import { sampleOf } from './sampling.ts';
import type { Mark } from './trace-recorder.ts';

const RECORDER = new URL('trace-recorder.js', import.meta.url);
const WARM_UP = 40;
const COUNT = 200;
/** After each answer, so that its result is stored before the next command. */
const PAUSE_MS = 30;

interface Traced {
  name: string;
  /** When each request was sent and answered: Unix, ms. */
  requests: { sent: number; answered: number }[];
}

/** The table as text: for each step the median time since the one before it, and since the request. */
export async function traceCommands(folder: string, isolated: boolean): Promise<string> {
  const marksFolder = join(folder, 'marks');
  await mkdir(marksFolder);
  const recorder = `${pathToFileURL(RECORDER.pathname)}?folder=${encodeURIComponent(marksFolder)}`;
  const system = await startRunningSystem(join(folder, 'data'), {}, { nodeOptions: [`--import=${recorder}`] });
  const traced: Traced[] = [];
  const api = openApi(system.url, system.token);
  try {
    traced.push(await trace('interfaces', () => api.send('GET', '/nettools/interfaces')));
    if (isolated) {
      const server = await startNameServer();
      const json = { devLastIP: NAME };
      traced.push(await trace('nslookup', () => api.send('POST', '/nettools/nslookup', { json })));
      server.close();
    }
  } finally {
    api.close();
    await system.stop(); // The recorders write what they have when their process ends.
  }
  const marks = await readMarks(marksFolder);
  return traced.map((one) => tableOf(one, marks)).join('\n');
}

async function trace(name: string, send: () => Promise<unknown>): Promise<Traced> {
  const requests: Traced['requests'] = [];
  for (let i = 0; i < WARM_UP + COUNT; i++) {
    const sent = now();
    await send();
    if (i >= WARM_UP) requests.push({ sent, answered: now() });
    await sleep(PAUSE_MS);
  }
  return { name, requests };
}

const now = () => performance.timeOrigin + performance.now();

async function readMarks(folder: string): Promise<Mark[]> {
  const files = await readdir(folder);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const marks = texts.flatMap((text) => JSON.parse(text) as Mark[]);
  return marks.sort((a, b) => a.at - b.at);
}

function tableOf({ name, requests }: Traced, marks: readonly Mark[]): string {
  // One command at a time, so that those between sending and answer are of this request.
  const ways = requests.map(({ sent, answered }) => {
    const ofThis = marks.filter(({ at }) => at >= sent && at <= answered);
    return { sent, answered, at: new Map(ofThis.map(({ step, at }) => [step, at])) };
  });
  const steps = (Object.keys(COMMAND_STEPS) as CommandStep[]).filter((step) => ways.every(({ at }) => at.has(step)));
  const lines = [line('after ms', 'step ms', `${name}, medians of ${requests.length}`)];
  for (const [i, step] of steps.entries()) {
    const before = steps[i - 1];
    const since = ways.map(({ sent, at }) => (at.get(step) ?? sent) - sent);
    const took = ways.map(
      ({ sent, at }, n) => (since[n] ?? 0) - (before === undefined ? 0 : (at.get(before) ?? sent) - sent),
    );
    lines.push(line(median(since), median(took), COMMAND_STEPS[step]));
  }
  const last = steps.at(-1);
  const whole = ways.map(({ sent, answered }) => answered - sent);
  const rest = ways.map(({ sent, answered, at }) => answered - (last === undefined ? sent : (at.get(last) ?? sent)));
  lines.push(line(median(whole), median(rest), 'the caller has the answer'));
  return `${lines.join('\n')}\n`;
}

function median(values: readonly number[]): string {
  return sampleOf(values).p50.toFixed(2);
}

function line(after: string, took: string, what: string): string {
  return `${after.padStart(9)} ${took.padStart(8)}  ${what}`;
}
