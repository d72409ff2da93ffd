/** Cycles of discovery, in a LAN that the benchmark makes: their time, their work, their packets, and the agent's memory. */
import { readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCycle } from '../agent/discovery/cycle.ts';
import { firstSeen } from '../agent/discovery/device-presence.ts';
import { KnownDevices } from '../agent/discovery/known-devices.ts';
import { vendorOf } from '../agent/discovery/vendor.ts';
import { chooseNetworks, readLinks } from '../agent/discovery/watched-networks.ts';
import { createRunProcess } from '../agent/host/run-process.ts';
import { parsePolicy } from '../agent/jobs/policy.ts';
import { STATE } from '../agent/state/layout.ts';
import { openApi } from './api.ts';
import type { Conditions } from './figures.ts';
import { HOSTS, INTERFACE, LARGE_NETWORK, type Lan, SMALL_NETWORK, startLan } from './lan.ts';
import { countFigure, type Figure, figure, memoryFigure, skippedFigure } from './report.ts';
import { type RunningSystem, startRunningSystem } from './running-system.ts';
import { sampleOf } from './sampling.ts';

const KNOWN = 4_000;
const INTERVAL_MS = 60_000;
const MEMORY_GOAL_MB = 100;
const NAMES = 'names by DNS, mDNS and NetBIOS';

export async function measureDiscovery({ dataFolder, isolated, say }: Conditions): Promise<Figure[]> {
  if (!isolated) return [skippedFigure('discovery', null, 'needs a network namespace')];
  say(`making a LAN with ${HOSTS} hosts`);
  let lan: Lan;
  try {
    lan = await startLan();
  } catch (error) {
    return [skippedFigure('discovery', null, `no LAN can be made: ${error instanceof Error ? error.message : error}`)];
  }
  try {
    const figures: Figure[] = [];
    for (const [what, network, rawSockets, count] of [
      ['a /24', SMALL_NETWORK, true, 7],
      ['a /20', LARGE_NETWORK, true, 5],
      ['a /24 without raw sockets', SMALL_NETWORK, false, 3],
    ] as const) {
      say(`cycles of ${what}`);
      figures.push(...(await measureCycles(lan, what, network, rawSockets, count)));
    }
    figures.push(...(await measureAgent(dataFolder, lan, say)));
    return figures;
  } finally {
    await lan.stop();
  }
}

async function measureCycles(
  lan: Lan,
  what: string,
  network: string,
  rawSockets: boolean,
  count: number,
): Promise<Figure[]> {
  const { signal } = new AbortController();
  const run = createRunProcess();
  const known = await KnownDevices.open('/nonexistent/known-devices.json', Date.now(), { error() {} });
  async function cycle() {
    await lan.forget();
    const before = { at: performance.now(), cpuMs: cpuMs(), packets: packetsSent() };
    const { networks } = chooseNetworks(await readLinks(run, signal), [network], parsePolicy({}).discovery);
    const options = { run, signal, networks, rawSockets, now: Date.now, intervalMs: INTERVAL_MS };
    const { failures, valid } = await runCycle(known, { ...options, onChanges: async () => {} });
    if (valid.size !== 1) throw new Error(`A cycle did not count: ${failures[0]?.failure ?? 'nobody has answered'}`);
    return {
      ms: performance.now() - before.at,
      cpuMs: cpuMs() - before.cpuMs,
      packets: packetsSent() - before.packets,
    };
  }
  const first = await cycle();
  const further: Awaited<ReturnType<typeof cycle>>[] = [];
  while (further.length < count) further.push(await cycle());
  const sample = (of: (one: (typeof further)[number]) => number) => sampleOf(further.map(of));
  return [
    ...(rawSockets ? [figure(`${what}: the first cycle, with ${NAMES}`, 'ms', null, sampleOf([first.ms]))] : []),
    figure(
      `${what}: a cycle`,
      'ms',
      null,
      sample(({ ms }) => ms),
    ),
    figure(
      `${what}: processor time of a cycle, with its programs`,
      'ms',
      null,
      sample(({ cpuMs }) => cpuMs),
    ),
    countFigure(`${what}: packets that a cycle sends`, null, sample(({ packets }) => packets).p50),
  ];
}

/** The agent that `npm start` starts, when it knows thousands of devices, of which those in the LAN are online. */
async function measureAgent(dataFolder: string, lan: Lan, say: (text: string) => void): Promise<Figure[]> {
  say('starting');
  await (await startRunningSystem(dataFolder)).stop(); // It enrols the agent.
  const file = join(dataFolder, 'agents', 'home-main', STATE.knownDevices);
  await writeFile(file, JSON.stringify(knownDevices(lan)), { mode: 0o600 });
  say(`starting with ${KNOWN} known devices`);
  const system = await startRunningSystem(dataFolder, { DISCOVER: LARGE_NETWORK });
  try {
    let most = 0;
    const watch = async (isOver: () => boolean | Promise<boolean>) => {
      while (!(await isOver())) {
        most = Math.max(most, system.memory().agentMb);
        await sleep(200);
      }
    };
    await watch(() => hasDevices(system, HOSTS));
    // The agent tells everything once more; then nothing changes.
    const settled = performance.now() + 10_000;
    await watch(() => performance.now() > settled);
    const before = packetsSent();
    let [file_, writes] = [statSync(file).ino, 0];
    const cyclesEnd = performance.now() + 2.2 * INTERVAL_MS;
    await watch(() => {
      const { ino } = statSync(file);
      if (ino !== file_) [file_, writes] = [ino, writes + 1];
      return performance.now() > cyclesEnd;
    });
    if (packetsSent() - before < 2 * 4_000) throw new Error('The agent has not watched the LAN meanwhile');
    return [
      memoryFigure(`memory of the agent, ${KNOWN} known devices, at most`, MEMORY_GOAL_MB, most),
      countFigure('writes of its state in two cycles without a change', 0, writes),
    ];
  } finally {
    await system.stop();
  }
}

async function hasDevices({ url, token }: RunningSystem, count: number): Promise<boolean> {
  const api = openApi(url, token);
  try {
    const [, online] = JSON.parse((await api.send('GET', '/devices/totals')).body.toString());
    return online >= count;
  } finally {
    api.close();
  }
}

/** The content of the file. The hosts of the LAN come first; the others have been gone for a day. */
function knownDevices({ hosts }: Lan) {
  const at = Date.now() - 86_400_000;
  const devices = Array.from({ length: KNOWN }, (_, i) => {
    const serial = [i >> 8, i & 255].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
    const { mac, ip } = hosts[i] ?? { mac: `00:11:32:99:${serial}`.toUpperCase(), ip: `10.99.${i >> 8}.${i & 255}` };
    return {
      mac,
      n: i + 1,
      ip,
      network: LARGE_NETWORK,
      name: { text: `host-${i}.example.lan`, source: 'dns' },
      vendor: vendorOf(mac),
      gateway: i === 0,
      presence: { ...firstSeen(at), online: i < hosts.length },
      namedAt: Date.now(),
      namedIp: ip,
    };
  });
  return { version: 1, epoch: at, lastChange: KNOWN, confirmed: 0, digestedAt: null, devices };
}

/** Processor time of this process, and of those that it has started and that have ended. */
function cpuMs(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // User and system time of the process and of its children (proc(5), fields 14 to 17), in hundredths of a second.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

/** Packets that this host has sent into the LAN. */
function packetsSent(): number {
  const line = readFileSync('/proc/self/net/dev', 'utf8')
    .split('\n')
    .find((text) => text.trim().startsWith(`${INTERFACE}:`));
  return Number(line?.split(':')[1]?.trim().split(/\s+/)[9] ?? 0);
}
