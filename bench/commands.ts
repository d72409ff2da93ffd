/** Commands through the API: added latency, time to the first output, time to cancel, memory growth. */
import { setTimeout as sleep } from 'node:timers/promises';
import { INTERFACES_ARGS } from '../agent/tools/interfaces.ts';
import { runToEnd } from '../local/child-process.ts';
import { childEnvironment } from '../local/config.ts';
import { findProgram } from '../local/programs.ts';
import { openApi } from './api.ts';
import { lookUp, NAME, startNameServer } from './name-server.ts';
import { type Figure, figure, memoryFigure, skippedFigure } from './report.ts';
import type { RunningSystem } from './running-system.ts';
import { sampleOf, timed } from './sampling.ts';

/** Commands in parallel, and commands per caller. */
const IN_FLIGHT = [
  { callers: 1, warmUp: 10, count: 100 },
  { callers: 10, warmUp: 2, count: 20 },
  { callers: 50, warmUp: 1, count: 6 },
];
/** For the median, with one command at a time. */
const ADDED_GOAL_MS = 5;
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

export async function measureCommands(system: RunningSystem, isolated: boolean): Promise<Figure[]> {
  return [
    ...(await measureNslookup(system, isolated)),
    ...(await measureInterfaces(system)),
    ...(await measureScans(system)),
  ];
}

async function measureNslookup(system: RunningSystem, isolated: boolean): Promise<Figure[]> {
  const name = 'POST /nettools/nslookup, added to the bare look-up';
  if (!isolated) {
    const reason = 'needs a network namespace: a look-up here would ask a real name server';
    return [skippedFigure(name, ADDED_GOAL_MS, reason)];
  }
  const server = await startNameServer();
  try {
    return await measureAdded(system, name, lookUp, 'POST', '/nettools/nslookup', { devLastIP: NAME });
  } finally {
    server.close();
  }
}

async function measureInterfaces(system: RunningSystem): Promise<Figure[]> {
  const name = 'GET /nettools/interfaces, added to the bare command';
  const env = childEnvironment();
  const ip = findProgram('ip', env.PATH ?? '');
  if (ip === null) return [skippedFigure(name, ADDED_GOAL_MS, 'needs the program ip')];
  const bare = () => runToEnd([ip, ...INTERFACES_ARGS], { env, timeoutMs: COMMAND_WITHIN_MS });
  return measureAdded(system, name, bare, 'GET', '/nettools/interfaces');
}

/**
 * Each caller measures in turn, directly and through the API, so that other load on the host affects both alike. The
 * difference is that of the medians, and that of the 99th percentiles.
 */
async function measureAdded(
  { url, token }: RunningSystem,
  name: string,
  bare: () => Promise<unknown>,
  method: string,
  path: string,
  json?: unknown,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { callers, warmUp, count } of IN_FLIGHT) {
    const bareMs: number[] = [];
    const wholeMs: number[] = [];
    const apis = Array.from({ length: callers }, () => openApi(url, token));
    for (let round = 0; round < warmUp + count; round++) {
      const bareNow = await Promise.all(apis.map(() => timed(bare)));
      const wholeNow = await Promise.all(
        apis.map(async (api) => (await api.send(method, path, json === undefined ? {} : { json })).ms),
      );
      if (round < warmUp) continue;
      bareMs.push(...bareNow);
      wholeMs.push(...wholeNow);
    }
    for (const api of apis) api.close();
    const [whole, alone] = [sampleOf(wholeMs), sampleOf(bareMs)];
    const added = { p50: whole.p50 - alone.p50, p99: whole.p99 - alone.p99, count: whole.count };
    const full = callers === 1 ? name : `${name}, ${callers} at once`;
    figures.push(figure(full, 'ms', callers === 1 ? ADDED_GOAL_MS : null, added));
  }
  return figures;
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
    await Promise.all(
      apis.map(async (api) => {
        while (left-- > 0) await api.send('GET', '/nettools/interfaces');
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
