/** From the first packets of the 28 devices of a home to `GET /devices`. It prints what it measures. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KnownState, writeKnownState } from '../../../agent/discovery/known-devices-file.ts';
import { newDevice } from '../../../agent/discovery/new-device.ts';
import { withHeard } from '../../../agent/discovery/observations.ts';
import { STATE } from '../../../agent/state/layout.ts';
import type { DeviceEvidence } from '../../../shared/api/device-evidence.ts';
import type { DeviceRecord } from '../../../shared/device.ts';
import { type Home, startHome } from '../../lab/home/home.ts';
import { AGENT, AP, CORE, EVERYBODY, HOSTILE, HOSTS, portOf, ROUTER } from '../../lab/home/plan.ts';
import { PREFIX } from '../../lab/home/terms.ts';
import { labSupport } from '../../lab/lab.ts';
import { type Inside, startInside } from '../../lab/system-inside.ts';
import { bundleProgram } from '../../support/bundle-program.ts';
import { waitFor } from '../../support/wait-for.ts';

const unsupported = labSupport();
if (unsupported !== null) console.warn(`Recognition is not tested in the lab: ${unsupported}`);

/** The shortest that can be set. */
const INTERVAL_S = 30;
/** From the first packet of a device to its row, where nobody waits for a cycle; the machine may stand still meanwhile. */
const FIRST_SIGHT_MS = { median: 2_000, most: 10_000 };
const ENOUGH = Math.ceil(EVERYBODY.length * 0.8);
const FLOOD_S = 30;
/** Of a device with an alert, where the scans come each minute. */
const DOWN_WITHIN_S = 75;
/** So many packets within half a second are the look for hosts of a cycle. */
const BURST = 100;
/** What a flood may cost the agent for good. */
const MAX_GROWTH_MB = 60;
const MIB = 1_024;

describe.skipIf(unsupported !== null)('recognition in a home', { timeout: 300_000 }, () => {
  let home: Home;
  let inside: Inside;

  beforeAll(async () => {
    home = await startHome();
    for (const { name } of [ROUTER, CORE, AP]) await home.powerOn(name);
    inside = await startInside(home.lab, 'known', 8791, { DISCOVER: 'auto' });
    const credentials = [{ version: '2c', networks: [`${PREFIX}.0/24`], community: 'public' }];
    const file = join(home.folder, 'known', 'agents', 'home-main', STATE.snmp);
    await writeFile(file, JSON.stringify(credentials), { mode: 0o600 });
    await settings({ intervalSeconds: INTERVAL_S, recognize: false });
  });
  afterAll(async () => {
    await home?.close();
  });

  const read = async <T>(path: string) => (await (await inside.request('GET', path)).json()) as T;
  const devices = async () => (await read<{ devices: DeviceRecord[] }>('/devices?fields=all')).devices;
  const evidence = (mac: string) => read<DeviceEvidence>(`/devices/${mac}/evidence`);

  async function settings(discovery: object): Promise<void> {
    const answer = await inside.request('PATCH', '/sites/home', { discovery });
    if (!answer.ok) throw new Error(`PATCH /sites/home: ${await answer.text()}`);
  }

  /** What a script prints on the agent's host. */
  async function said(script: string): Promise<string> {
    const child = await home.lab.run(['sh', '-c', script]);
    let text = '';
    for await (const piece of child.stdout) text += piece;
    return text.trim();
  }
  const packetsSent = async () =>
    Number(
      await said(
        'cat /sys/class/net/eth0/statistics/tx_packets || sed -n "s/.*eth0://p" /proc/net/dev | awk \'{print $10}\'',
      ),
    );
  /** Does something with the agent's process of a system, as `$p` in a shell. */
  const withAgent = (system: string, script: string) => {
    const isAgent = `tr '\\0' ' ' < $p/cmdline | grep -q 'dist/agent[.]js run' && grep -q '/${system}/agents/' $p/environ`;
    return said(`for p in /proc/[0-9]*; do if ${isAgent}; then ${script}; fi; done 2>/dev/null`);
  };
  /** Resident memory of the agent in MB. */
  async function agentMemory(system = 'known'): Promise<number> {
    return Math.round(Number(/\d+/.exec(await withAgent(system, 'grep VmRSS $p/status'))?.[0] ?? Number.NaN) / MIB);
  }
  /** What the agent's host sends from the start of one cycle, which is a burst, to that of the next. */
  async function packetsOfCycle(): Promise<number> {
    const begun = async () => {
      for (let last = await packetsSent(); ; ) {
        await sleep(500);
        const now = await packetsSent();
        if (now - last > BURST) return last;
        last = now;
      }
    };
    const first = await begun();
    await sleep((INTERVAL_S / 2) * 1_000);
    return (await begun()) - first;
  }

  test('a device that is turned on is there at once', async () => {
    await waitFor('the first cycle', async () => (await devices()).some(({ devMac }) => devMac === CORE.mac), 120_000);
    const seenAt = new Map<string, number>();
    const isOver = new AbortController();
    const watching = (async () => {
      while (!isOver.signal.aborted) {
        for (const { devMac } of await devices()) if (!seenAt.has(devMac)) seenAt.set(devMac, Date.now());
        await sleep(50);
      }
    })();
    const onAt = new Map<string, number>();
    for (const { name, mac } of HOSTS) {
      onAt.set(mac, await home.powerOn(name));
      await sleep(300);
    }
    await waitFor('every device', () => HOSTS.every(({ mac }) => seenAt.has(mac)), 120_000);
    isOver.abort();
    await watching;
    const took = HOSTS.map(({ mac }) => (seenAt.get(mac) ?? 0) - (onAt.get(mac) ?? 0)).sort((a, b) => a - b);
    const median = took[Math.floor(took.length / 2)] ?? Number.NaN;
    console.log(`first sight: n=${took.length} min ${took[0]} median ${median} max ${took.at(-1)} ms`);
    expect(median).toBeLessThan(FIRST_SIGHT_MS.median);
    expect(took.at(-1)).toBeLessThan(FIRST_SIGHT_MS.most);
  });

  test('kinds and names are right, and no kind is wrong', async () => {
    const off = await packetsOfCycle();
    await settings({ recognize: true });
    const first = await packetsOfCycle();
    const result = async () => {
      const rows = await devices();
      const judged = await Promise.all(EVERYBODY.map(async (host) => ({ host, ...(await evidence(host.mac)) })));
      return judged.map(({ host, judgement }) => {
        const row = rows.find(({ devMac }) => devMac === host.mac);
        const kind = judgement.kind?.value ?? null;
        return {
          host: host.name,
          name: row?.devName ?? '',
          kind,
          confidence: judgement.kind?.confidence ?? null,
          vendor: row?.devVendor ?? '',
          model: row?.devModel ?? '',
          isRight: kind === host.truth.kind,
          isWrong: kind !== null && kind !== host.truth.kind,
          isNamed: host.truth.name?.test(row?.devName ?? '') ?? false,
          isModelRight: host.truth.model?.test(row?.devModel ?? '') ?? null,
        };
      });
    };
    const count = (all: Awaited<ReturnType<typeof result>>, field: 'isRight' | 'isNamed') =>
      all.filter((each) => each[field]).length;
    await expect
      .poll(async () => count(await result(), 'isRight'), { timeout: 90_000, interval: 2_000 })
      .toBeGreaterThanOrEqual(ENOUGH)
      .catch(() => {});
    const all = await result();
    console.table(all);
    const later = await packetsOfCycle();
    console.log(`kinds ${count(all, 'isRight')}, names ${count(all, 'isNamed')} of ${all.length}`);
    console.log(`packets sent a cycle: ${off} without asking, ${first} in the first with it, ${later} later`);
    console.log(`agent: ${await agentMemory()} MB`);
    expect(all.filter(({ isWrong }) => isWrong)).toEqual([]);
    expect(count(all, 'isRight')).toBeGreaterThanOrEqual(ENOUGH);
    expect(count(all, 'isNamed')).toBeGreaterThanOrEqual(20);
  });

  test('the switch tells where devices hang', async () => {
    const wired = HOSTS.filter(({ behind }) => behind === undefined);
    const places = async () =>
      Promise.all(
        EVERYBODY.filter(({ name }) => name !== 'core').map(async ({ name, mac }) => ({
          name,
          place: (await evidence(mac)).judgement.place?.value ?? null,
        })),
      );
    const right = (all: Awaited<ReturnType<typeof places>>) =>
      all.filter(
        ({ name, place }) =>
          wired.some((host) => host.name === name) && place?.parent === CORE.mac && place.port === portOf(name).label,
      );
    await expect
      .poll(async () => right(await places()).length, { timeout: 60_000, interval: 2_000 })
      .toBe(wired.length)
      .catch(() => {});
    const all = await places();
    console.table(all.map(({ name, place }) => ({ name, parent: place?.parent, port: place?.port })));
    expect(
      right(all)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(wired.map(({ name }) => name).sort());
    // Who is behind the access point is not said to hang at a port of the switch by itself.
    for (const { name, place } of all.filter((each) =>
      HOSTS.some(({ name, behind }) => name === each.name && behind === 'ap'),
    ))
      expect([AP.mac, undefined], name).toContain(place?.parent);
  });

  test('a hostile neighbour costs little, and changes nothing of others', async () => {
    const before = await devices();
    const knownBefore = await Promise.all(EVERYBODY.map(({ mac }) => evidence(mac)));
    const memory = [await agentMemory()];
    const program = await bundleProgram(
      join(import.meta.dirname, '..', '..', 'lab', 'home', 'hostile.ts'),
      home.folder,
    );
    const hostile = await home.lab.run([process.execPath, program, String(FLOOD_S)], { host: HOSTILE.name });
    const told: string[] = [];
    createInterface({ input: hostile.stdout }).on('line', (line) => told.push(line));
    createInterface({ input: hostile.stderr }).on('line', (line) => console.error(`hostile: ${line}`));
    await waitFor(
      'the hostile neighbour',
      async () => (await devices()).some(({ devMac }) => devMac === HOSTILE.mac),
      90_000,
    );
    hostile.stdin.write('flood\n');
    while (!told.some((line) => line.includes('flooded'))) {
      await sleep(2_000);
      memory.push(await agentMemory());
    }
    await sleep(INTERVAL_S * 1_000);
    memory.push(await agentMemory());
    console.log(
      `flood: ${told.at(-1)}; agent ${memory[0]} MB before, at most ${Math.max(...memory)}, ${memory.at(-1)} after`,
    );
    const after = await devices();
    const macs = (rows: DeviceRecord[]) => rows.map(({ devMac }) => devMac).sort();
    expect(macs(after)).toEqual([...macs(before), HOSTILE.mac].sort());
    const known = await Promise.all(EVERYBODY.map(({ mac }) => evidence(mac)));
    expect(known.filter(({ observations }) => JSON.stringify(observations).includes('OWNED'))).toEqual([]);
    const kinds = (all: DeviceEvidence[]) => all.map(({ mac, judgement }) => `${mac} ${judgement.kind?.value}`);
    expect(kinds(known)).toEqual(kinds(knownBefore));
    expect(home.metadataAsked()).toBe(0);
    expect((memory.at(-1) ?? 0) - (memory[0] ?? 0)).toBeLessThan(MAX_GROWTH_MB);
    expect(after.find(({ devMac }) => devMac === AGENT.mac)?.devPresentLastScan).toBe(1);
  });

  test('a laptop with a new made-up MAC is the same laptop', async () => {
    const laptop = HOSTS.find(({ name }) => name === 'macbook') ?? expect.fail();
    const program = await bundleProgram(
      join(import.meta.dirname, '..', '..', 'lab', 'home', 'new-mac.ts'),
      home.folder,
    );
    const joinWith = async (mac: string) => {
      const child = await home.lab.run([process.execPath, program, laptop.name, mac], { host: laptop.name });
      await text(child.stdout);
    };
    await joinWith(laptop.mac);
    const knows = async () => (await evidence(laptop.mac)).observations.some(({ source }) => source === 'dhcp-name');
    await waitFor('its name by DHCP', knows, 120_000);
    const other = '8E:1D:43:99:01:35';
    const at = Date.now();
    await joinWith(other);
    const isJoined = async () => (await read<{ devMac?: string }>(`/devices/${other}`)).devMac === laptop.mac;
    await waitFor('the new MAC', isJoined, 120_000);
    console.log(`new MAC: the same laptop after ${Date.now() - at} ms`);
    expect((await devices()).map(({ devMac }) => devMac)).not.toContain(other);
  });

  test('a device with an alert that goes is down soon', async () => {
    await settings({ intervalSeconds: 60 });
    const { mac } = HOSTS.find(({ name }) => name === 'ups') ?? expect.fail();
    await inside.request('PATCH', `/devices/${mac}`, { devAlertDown: 1 });
    await sleep(65_000); // The agent hears of the alert with its next message.
    const at = Date.now();
    await home.lab.on('ups', 'ip link set eth0 down');
    const isDown = async () => {
      const { events } = await read<{ events: { device: { mac: string } | null }[] }>('/events?type=down');
      return events.some(({ device }) => device?.mac === mac);
    };
    await waitFor('the event', isDown, 180_000);
    const tookS = (Date.now() - at) / 1000;
    console.log(`down: after ${tookS.toFixed(0)} s`);
    expect(tookS).toBeLessThan(DOWN_WITHIN_S);
  });

  test('an agent that knows 4,000 devices needs at most 100 MB', async () => {
    const crowded = await startInside(home.lab, 'crowd', 8793, { DISCOVER: 'off' });
    // As if it had found them before it was killed: it is started again, and reads what it knows.
    await writeKnownState(join(home.folder, 'crowd', 'agents', 'home-main', STATE.knownDevices), crowd(4_000));
    await withAgent('crowd', 'kill -9 $(basename $p)');
    const discovery = { enabled: true, networks: 'auto', intervalSeconds: INTERVAL_S };
    await crowded.request('PATCH', '/sites/home', { discovery });
    const count = async () => {
      const answer = await crowded.request('GET', '/devices/totals');
      return ((await answer.json()) as number[])[0] ?? 0;
    };
    const telling: number[] = [];
    const look = async () => {
      telling.push(await agentMemory('crowd'));
      return (await count()) > 4_000;
    };
    await waitFor('the devices to be told', look, 120_000);
    await sleep(5_000);
    // All is told, and read anew: from here on it is as in any later hour.
    await withAgent('crowd', 'kill -9 $(basename $p)');
    await sleep(1.2 * INTERVAL_S * 1_000);
    const later = await agentMemory('crowd');
    console.log(
      `agent with 4,000 devices: ${later} MB; at most ${Math.max(...telling.filter(Number.isFinite))} MB while it told them at once`,
    );
    const one = (await (await crowded.request('GET', `/devices/${macOf(1)}/evidence`)).json()) as DeviceEvidence;
    expect(one.observations.filter(({ source }) => source === 'mdns-text')).toHaveLength(20);
    expect(later).toBeLessThanOrEqual(100);
  });
});

const macOf = (number: number) =>
  `00:11:32:00:${[number >> 8, number & 255].map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(':')}`;

/** What an agent knows of so many devices, each with 20 observations, and has told nobody yet. */
function crowd(size: number): KnownState {
  const at = Date.now() - 3_600_000;
  const devices = Array.from({ length: size }, (_, number) => {
    const heard = Array.from({ length: 20 }, (_, key) => ({
      source: 'mdns-text' as const,
      value: `_http._tcp key${key}=${number} ${'of no further meaning '.repeat(2)}`,
    }));
    const ip = `10.9.${number >> 8}.${number & 255}`;
    const device = newDevice(
      { mac: macOf(number), ip, addresses: [{ ip, at }], network: '10.9.0.0/20', baseline: true },
      at,
    );
    return { ...device, n: number + 1, observedN: number + 1, observations: withHeard([], heard, at) };
  });
  return { epoch: at, lastChange: size, confirmed: 0, digestedAt: null, devices, waiting: [], networks: [] };
}
