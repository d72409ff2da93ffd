/** The same requests on two versions of Node.js: a system on each, asked in the same rounds. */
import { join } from 'node:path';
import { openApi } from './api.ts';
import { csvOf, generateDevices } from './devices.ts';
import type { Conditions } from './figures.ts';
import { startLoadGenerator } from './load-generator.ts';
import type { RequestTable } from './report.ts';
import { emptyRoute, requestsOf } from './requests.ts';
import { measureRounds, type Subject } from './rounds.ts';
import { type RunningSystem, startRunningSystem } from './running-system.ts';
import { startEmptyRoute } from './yardsticks.ts';

const DEVICES = 10_000;
const ROUNDS = { rounds: 8, sliceMs: 200 };
const QUICK_ROUNDS = { rounds: 4, sliceMs: 100 };

/** Programs of Node.js, and their versions. */
export interface Nodes {
  programs: readonly [string, string];
  versions: readonly [string, string];
}

/** @returns a table for each version, with the same requests; the first is the yardstick of the second */
export async function measureNodes({ dataFolder, quick, say }: Conditions, nodes: Nodes): Promise<RequestTable[]> {
  await using generator = await startLoadGenerator();
  const systems: RunningSystem[] = [];
  try {
    const subjects: Subject[][] = [];
    await using first = await startEmptyRoute(nodes.programs[0]);
    await using second = await startEmptyRoute(nodes.programs[1]);
    for (const [i, program] of nodes.programs.entries()) {
      say(`starting on Node ${nodes.versions[i]}, with ${DEVICES.toLocaleString('en')} devices`);
      const system = await startRunningSystem(join(dataFolder, String(i)), {}, { node: program });
      systems.push(system);
      const api = openApi(system.url, system.token);
      await api.send('POST', '/devices/import', { file: csvOf(generateDevices(DEVICES)) }).finally(() => api.close());
      subjects.push([emptyRoute(i === 0 ? first : second), ...(await requestsOf(system, 'home', DEVICES))]);
    }
    const tables: RequestTable[] = nodes.versions.map((version) => ({ title: `Node ${version}`, rows: [] }));
    const [ofFirst = [], ofSecond = []] = subjects;
    for (const [i, subject] of ofFirst.entries()) {
      const same = ofSecond[i];
      if (same === undefined) continue;
      say(subject.name);
      const rows = await measureRounds(generator, quick ? QUICK_ROUNDS : ROUNDS, [subject, same]);
      for (const [at, row] of rows.entries()) tables[at]?.rows.push(row);
    }
    return tables;
  } finally {
    for (const system of systems) await system.stop();
  }
}
