/** Commands through the API: added latency, throughput, processor time, time to the first output, time to cancel, memory growth. */
import { setTimeout as sleep } from 'node:timers/promises';
import { INTERFACES_ARGS } from '../agent/tools/interfaces.ts';
import { runToEnd } from '../local/child-process.ts';
import { childEnvironment } from '../local/config.ts';
import { findProgram } from '../local/programs.ts';
import { type Api, openApi, Refused } from './api.ts';
import { requestText } from './load.ts';
import type { LoadGenerator } from './load-generator.ts';
import { lookUp, NAME, startNameServer } from './name-server.ts';
import { atLeast, type Figure, figure, memoryFigure, rateFigure, ratioFigure, skippedFigure } from './report.ts';
import type { ProcessorTime, RunningSystem } from './running-system.ts';
import { repeatInTurn, type Sample, sampleOf, timed } from './sampling.ts';

/**
 * With one command at a time. The first hundred cost up to twice as much, until Node.js has compiled what they run: with
 * less of a warm-up, what is measured first would seem to be the slower command.
 */
const ALONE = { warmUp: 150, count: 100 };
const ALONE_QUICK = { warmUp: 100, count: 40 };
/** With several in flight: rounds, and how long the bare commands and then those through the API are measured in each. */
const MANY = { inFlight: 10, rounds: 4, sliceMs: 2_000 };
const MANY_QUICK = { inFlight: 10, rounds: 2, sliceMs: 1_500 };
/**
 * Part of the commands that may be refused. An agent of a host that stands still for two seconds counts as silent, which
 * says nothing of LanReach.
 */
const MAX_REFUSED = 0.01;
const ADDED_GOALS_MS = { nslookup: 5, interfaces: 6 };
const PER_SECOND_GOAL = 150;
const CPU_GOAL_MS = 12;
const SCANS = 40;
/** Takes some seconds, and prints something at its start. */
const SCAN = { scan: '127.0.0.0/24', mode: 'skipdiscovery' };
const FIRST_LINE_GOAL_MS = 150;
const GONE_GOAL_MS = 1_000;
const COMMAND_WITHIN_MS = 5_000;
const SETTLE_MS = 5_000;
const WARM_UP_JOBS = 300;
/** Normal variation of a heap. */
const GROWTH_GOAL_MB = 15;

export interface CommandConditions {
  generator: LoadGenerator;
  /** Whether it runs in a network namespace that no packet can leave, with our own name server. */
  isolated: boolean;
  quick: boolean;
}

export async function measureCommands(system: RunningSystem, conditions: CommandConditions): Promise<Figure[]> {
  return [
    ...(await measureNslookup(system, conditions)),
    ...(await measureInterfaces(system, conditions)),
    ...(conditions.quick ? [] : await measureScans(system)),
  ];
}

/** A command, and the same without the API. */
interface Compared {
  name: string;
  bareName: string;
  bare(): Promise<unknown>;
  method: string;
  path: string;
  json?: unknown;
  addedGoalMs: number;
}

async function measureNslookup(system: RunningSystem, conditions: CommandConditions): Promise<Figure[]> {
  const name = 'POST /nettools/nslookup';
  if (!conditions.isolated) {
    const reason = 'needs a network namespace: a look-up here would ask a real name server';
    return [skippedFigure(name, ADDED_GOALS_MS.nslookup, reason)];
  }
  const server = await startNameServer();
  try {
    const json = { devLastIP: NAME };
    const addedGoalMs = ADDED_GOALS_MS.nslookup;
    return await measureCompared(system, conditions, {
      name,
      bareName: 'look-up',
      bare: lookUp,
      method: 'POST',
      path: '/nettools/nslookup',
      json,
      addedGoalMs,
    });
  } finally {
    server.close();
  }
}

async function measureInterfaces(system: RunningSystem, conditions: CommandConditions): Promise<Figure[]> {
  const name = 'GET /nettools/interfaces';
  const env = childEnvironment();
  const ip = findProgram('ip', env.PATH ?? '');
  if (ip === null) return [skippedFigure(name, ADDED_GOALS_MS.interfaces, 'needs the program ip')];
  return measureCompared(system, conditions, {
    name,
    bareName: 'ip',
    bare: () => runToEnd([ip, ...INTERFACES_ARGS], { env, timeoutMs: COMMAND_WITHIN_MS }),
    method: 'GET',
    path: '/nettools/interfaces',
    addedGoalMs: ADDED_GOALS_MS.interfaces,
  });
}

async function measureCompared(
  system: RunningSystem,
  { generator, quick }: CommandConditions,
  compared: Compared,
): Promise<Figure[]> {
  const { name, bareName, addedGoalMs } = compared;
  const alone = await measureAlone(system, compared, quick ? ALONE_QUICK : ALONE);
  const many = await measureMany(system, generator, compared, quick ? MANY_QUICK : MANY);
  const cpu = (part: string, goal: number | null, ms: number) =>
    figure(`${name}: CPU ${part}`, 'ms', goal, { p50: ms, p99: ms, count: 1 });
  const { server, engine, agent, programs } = many.spent;
  return [
    figure(`${name}: added to the bare ${bareName}`, 'ms', addedGoalMs, {
      p50: alone.whole.p50 - alone.bare.p50,
      p99: alone.whole.p99 - alone.bare.p99,
      count: alone.whole.count,
    }),
    ratioFigure(`${name}: of the bare ${bareName}`, '×', null, alone.whole.p50 / alone.bare.p50),
    rateFigure(`${name}: ten in flight`, atLeast(PER_SECOND_GOAL), many.perSecond),
    ratioFigure(`${name}: ten in flight, of the bare ${bareName}`, '%', null, many.percentOfBare),
    cpu('of a command', CPU_GOAL_MS, server + engine + agent + programs),
    cpu('of the server', null, server),
    cpu('of the database', null, engine),
    cpu('of the agent', null, agent),
    cpu('of its programs', null, programs),
  ];
}

/** In turn directly and through the API, so that other load on the host affects both alike. */
async function measureAlone(
  { url, token }: RunningSystem,
  { bare, method, path, json }: Compared,
  counts: { warmUp: number; count: number },
): Promise<{ bare: Sample; whole: Sample }> {
  const api = openApi(url, token);
  try {
    return await repeatInTurn(counts, {
      bare: () => timed(bare),
      whole: async () => (await api.send(method, path, json === undefined ? {} : { json })).ms,
    });
  } finally {
    api.close();
  }
}

/** Commands a second, in rounds in turn directly and through the API, and the processor time of each of the latter. */
async function measureMany(
  system: RunningSystem,
  generator: LoadGenerator,
  { name, bare, method, path, json }: Compared,
  { inFlight, rounds, sliceMs }: typeof MANY,
): Promise<{ perSecond: number; percentOfBare: number; spent: ProcessorTime }> {
  const { url, token } = system;
  const requests = [requestText(url, method, path, json === undefined ? { token } : { token, json })];
  const rates: number[] = [];
  const ratios: number[] = [];
  const spent = { server: 0, engine: 0, agent: 0, programs: 0 };
  let commands = 0;
  for (let round = 0; round < rounds; round++) {
    const barePerSecond = await rateOf(bare, inFlight, sliceMs);
    const order = { url, requests, connections: inFlight, warmUp: 1, forMs: sliceMs };
    const measured = await system.processorDuring(() => generator.run(order));
    const { statuses, failed, elapsedMs } = measured.done;
    const { 200: answered = 0, 503: refused = 0, ...others } = statuses;
    if (failed > 0 || Object.keys(others).length > 0 || refused > answered * MAX_REFUSED) {
      const got = `answers by status ${JSON.stringify(statuses)}, and ${failed} connections without an answer`;
      throw new Error(`${name}, ten in flight: expected only answers with the status 200, got ${got}`);
    }
    const perSecond = (answered / elapsedMs) * 1_000;
    rates.push(perSecond);
    ratios.push((perSecond / barePerSecond) * 100);
    commands += answered;
    for (const part of ['server', 'engine', 'agent', 'programs'] as const) spent[part] += measured.spent[part];
  }
  const each = (ms: number) => ms / commands;
  return {
    perSecond: sampleOf(rates).p50,
    percentOfBare: sampleOf(ratios).p50,
    spent: {
      server: each(spent.server),
      engine: each(spent.engine),
      agent: each(spent.agent),
      programs: each(spent.programs),
    },
  };
}

/** How often something is done in a second, with so many at a time. */
async function rateOf(act: () => Promise<unknown>, inFlight: number, forMs: number): Promise<number> {
  let count = 0;
  const ms = await timed(async () => {
    const endsAt = performance.now() + forMs;
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        while (performance.now() < endsAt) {
          await act();
          count++;
        }
      }),
    );
  });
  return (count / ms) * 1_000;
}

/** Scans that are followed from the start, and cancelled at their first line. */
async function measureScans(system: RunningSystem): Promise<Figure[]> {
  const names = [
    'request → first line of a scan',
    'cancel → the process is gone',
    'cancel → the process is gone, p99',
  ] as const;
  if (findProgram('nmap', childEnvironment().PATH ?? '') === null) {
    return names.map((name) => skippedFigure(name, null, 'needs the program nmap'));
  }
  const api = openApi(system.url, system.token);
  const firstMs: number[] = [];
  const goneMs: number[] = [];
  try {
    for (let i = 0; i < SCANS; i++) {
      const { ms, data } = await api.firstEvents('POST', '/nettools/nmap', SCAN, 'output');
      const { id } = data.get('accepted') as { id: string };
      const answered = await api.send('DELETE', `/jobs/${id}`);
      const left = system.running('nmap');
      if (left > 0) throw new Error(`${left} processes of a cancelled scan are still there`);
      firstMs.push(ms);
      goneMs.push(answered.ms);
    }
  } finally {
    api.close();
  }
  const gone = sampleOf(goneMs);
  return [
    figure(names[0], 'ms', FIRST_LINE_GOAL_MS, sampleOf(firstMs)),
    figure(names[1], 'ms', null, gone),
    figure(names[2], 'ms', GONE_GOAL_MS, { p50: gone.p99, p99: gone.p99, count: 1 }),
  ];
}

/** Memory that many commands leave behind, after enough commands to fill all caches and pools. */
export async function measureGrowth(system: RunningSystem, jobs: number): Promise<Figure[]> {
  const apis = Array.from({ length: 4 }, () => openApi(system.url, system.token));
  const run = async (count: number) => {
    let left = count;
    let refused = 0;
    const command = (api: Api) =>
      api.send('GET', '/nettools/interfaces').catch((error) => {
        if (!(error instanceof Refused) || error.status !== 503 || ++refused > count * MAX_REFUSED) throw error;
      });
    await Promise.all(
      apis.map(async (api) => {
        while (left-- > 0) await command(api);
      }),
    );
    await sleep(SETTLE_MS);
    return system.memory();
  };
  try {
    const before = await run(WARM_UP_JOBS);
    const after = await run(jobs);
    const name = (part: string) => `growth of the ${part}, ${jobs.toLocaleString('en')} commands`;
    return [
      memoryFigure(name('agent'), GROWTH_GOAL_MB, after.agentMb - before.agentMb),
      memoryFigure(name('server'), GROWTH_GOAL_MB, after.serverMb - before.serverMb),
    ];
  } finally {
    for (const api of apis) api.close();
  }
}
