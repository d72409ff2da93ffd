/**
 * Discovery in a LAN that the benchmark makes: how soon all hosts are listed, and what watching them costs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from './api.ts';
import { HOSTS, INTERFACE, NETWORK, startLan } from './lan.ts';
import { type Figure, single } from './report.ts';
import { type Server, startServer } from './server.ts';
import type { Conditions } from './system.ts';

const CYCLE_MS = 60_000;
const CYCLES = 2;
const LISTED_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 200;

/** On one build, inside a network namespace. */
export async function measureDiscovery({ builds: [root = ''], folder, say }: Conditions): Promise<Figure[]> {
  say(`making a LAN with ${HOSTS} hosts in ${NETWORK}`);
  const lan = await startLan();
  const server = await startServer(root, join(folder, 'data'), { DISCOVER: NETWORK });
  try {
    return await measureNetwork(server);
  } finally {
    await server.stop();
    await lan.stop();
  }
}

async function measureNetwork(server: Server): Promise<Figure[]> {
  const startedAt = performance.now();
  while ((await onlineDevices(server)) < HOSTS) {
    if (performance.now() - startedAt > LISTED_WITHIN_MS) throw new Error(`Not all ${HOSTS} hosts were found`);
    await sleep(LOOK_EVERY_MS);
  }
  const listedMs = performance.now() - startedAt;
  // What the agent tells once more after its first cycle does not belong to a usual one.
  await sleep(10_000);
  const before = { cpuMs: server.processorMs(), packets: packetsSent() };
  let agentMb = 0;
  const endsAt = performance.now() + CYCLES * CYCLE_MS;
  while (performance.now() < endsAt) {
    agentMb = Math.max(agentMb, server.memory().agent);
    await sleep(LOOK_EVERY_MS);
  }
  const packets = (packetsSent() - before.packets) / CYCLES;
  if (packets < HOSTS) throw new Error('The agent has not watched the LAN meanwhile');
  return [
    single(`until ${HOSTS} hosts are listed`, 's', null, [listedMs / 1_000]),
    single('packets of a cycle', '', null, [packets]),
    single('processor time of a minute, all processes', 'ms', null, [(server.processorMs() - before.cpuMs) / CYCLES]),
    single('memory of the agent, at most', 'MB', { atMost: 100 }, [agentMb]),
  ];
}

async function onlineDevices(server: Server): Promise<number> {
  return JSON.parse((await send(server, 'GET', '/devices/totals')).text)[1];
}

/** Packets that this host has sent into the LAN. */
function packetsSent(): number {
  const line = readFileSync('/proc/self/net/dev', 'utf8')
    .split('\n')
    .find((text) => text.trim().startsWith(`${INTERFACE}:`));
  return Number(line?.split(':')[1]?.trim().split(/\s+/)[9] ?? 0);
}
