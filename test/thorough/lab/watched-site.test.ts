/** A site that two built agents watch, with broker, ingest and database between what they see and `GET /events`. */
import { expect, test } from 'vitest';
import type * as z from 'zod';
import type { ListedDevice } from '../../../shared/api/device-list.ts';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { Agent, Site } from '../../../shared/api/records.ts';
import { isObserved } from '../../../shared/event-text.ts';
import { BROKER_PORT, type CloudSide, startCloudSide } from '../../lab/cloud-side.ts';
import { describeLab } from '../../lab/describe-lab.ts';
import type { Lab, LabProcess } from '../../lab/lab.ts';
import { AGENT, HOSTS, ROUTER } from '../../lab/plan.ts';
import { waitFor } from '../../support/wait-for.ts';

const SITE = 'flat';
/** The shortest that can be set. */
const INTERVAL_S = 30;
const EVERYBODY = [AGENT, ROUTER, ...Object.values(HOSTS)].map(({ mac }) => mac).sort();
/** Some cycles, the time until the broker gives up a connection, and the longest pause before a new one. */
const PATIENCE_MS = 180_000;

/** The name of each agent, and the host on which it runs. */
const HOST_OF = { first: 'agent', second: 'desktop' } as const;
type Name = keyof typeof HOST_OF;

let cloud: CloudSide;
const processes = new Map<Name, LabProcess>();
/** Cycles of discovery that each agent has ended, over all its processes. */
const cycles = { first: 0, second: 0 };
const ask: CloudSide['ask'] = (...request) => cloud.ask(...request);

async function start(name: Name): Promise<void> {
  const onLine = (line: string) => {
    if (line.includes('"cycle of discovery"')) cycles[name]++;
  };
  processes.set(name, await cloud.startAgent(name, HOST_OF[name], onLine));
}

async function prepare(lab: Lab): Promise<void> {
  cloud = await startCloudSide(lab, SITE);
  for (const name of ['first', 'second'] as const) await cloud.enrol(name, HOST_OF[name]);
  const discovery = { enabled: true, networks: 'auto', intervalSeconds: INTERVAL_S };
  await ask('PATCH', `/sites/${SITE}`, { discovery });
  await Promise.all([start('first'), start('second')]);
}

describeLab('a watched site', { timeout: 600_000, prepare }, (lab) => {
  const allDevices = async () =>
    (await ask<{ devices: z.infer<typeof ListedDevice>[] }>('GET', '/devices?fields=all')).devices;
  const agents = async () => (await ask<{ agents: Agent[] }>('GET', `/sites/${SITE}/agents`)).agents;
  const staleSince = async () => (await ask<Site>('GET', `/sites/${SITE}`)).staleSince;

  /** As by a power cut of its host: it says nothing any more. */
  async function kill(name: Name): Promise<void> {
    await processes.get(name)?.kill('SIGKILL');
    await processes.get(name)?.exited;
  }

  const stateIs = (name: Name, state: Agent['state']) =>
    waitFor(
      `agent ${name} ${state}`,
      async () => (await agents()).some((agent) => agent.id === `${SITE}:${name}` && agent.state === state),
      PATIENCE_MS,
    );

  /** Waits until the agent has ended this many more cycles, and what it told of them has been stored. */
  async function moreCycles(name: Name, count: number): Promise<void> {
    const until = cycles[name] + count;
    await waitFor(`${count} cycles of ${name}`, () => cycles[name] >= until, PATIENCE_MS);
  }

  /** Everything that has happened so far. */
  async function history(): Promise<DeviceEvent[]> {
    const { events, nextCursor } = await ask<{ events: DeviceEvent[]; nextCursor: string | null }>(
      'GET',
      '/events?limit=1000',
    );
    expect(nextCursor).toBeNull();
    return events;
  }

  /** What was told of the agents and the site, the newest first. */
  const observed = async () => (await history()).map(({ type }) => type).filter(isObserved);

  /** What has happened to devices since, and what people see of the site, but for the time at which devices were seen last. */
  async function shown() {
    // Whether anybody watches them is what some of these tests change.
    const devices = (await allDevices()).map(({ devLastConnection: _, watch: __, ...record }) => record);
    return {
      events: (await history()).flatMap(({ id, type }) => (isObserved(type) ? [] : [`${id} ${type}`])),
      devices,
      totals: await ask('GET', '/devices/totals'),
    };
  }

  test('two agents see every device, and each is told once, as found by the first look', async () => {
    const isSeenByBoth = async (mac: string) => {
      const device = await ask<{ seenBy: unknown[] }>('GET', `/devices/${mac}`).catch(() => null);
      return device?.seenBy.length === 2;
    };
    const seenByBoth = async () => (await Promise.all(EVERYBODY.map(isSeenByBoth))).every((isSeen) => isSeen);
    await waitFor('two agents that have seen every device', seenByBoth, PATIENCE_MS);
    // Names are asked for after devices were told of.
    await Promise.all([moreCycles('first', 2), moreCycles('second', 2)]);
    const devices = await allDevices();
    expect(devices.map(({ devMac }) => devMac).sort()).toEqual(EVERYBODY);
    expect(devices.every(({ devPresentLastScan }) => devPresentLastScan === 1)).toBe(true);
    const events = await history();
    const found = events.filter(({ type }) => type === 'found').map(({ count = 0 }) => count);
    expect(found.reduce((sum, count) => sum + count, 0)).toBe(EVERYBODY.length);
    for (const type of ['new', 'online', 'offline', 'down', 'deleted'])
      expect(events.map((event) => event.type)).not.toContain(type);
  });

  test('an agent that is killed and started again makes no event of a device', async () => {
    const before = await shown();
    await kill('first');
    await stateIs('first', 'offline');
    await start('first');
    await stateIs('first', 'online');
    await moreCycles('first', 2);
    expect(await shown()).toEqual(before);
    expect((await observed()).slice(0, 2)).toEqual(['agent-back', 'agent-lost']);
  });

  test('when one of two agents is gone, nothing changes of what the other one sees', async () => {
    const before = await shown();
    await kill('first');
    await stateIs('first', 'offline');
    await moreCycles('second', 2);
    expect(await shown()).toEqual(before);
    expect(await staleSince()).toBeNull();
  });

  test('the uplink of the last agent is cut: no event, and the answers say since when nobody watches', async () => {
    const before = await shown();
    await lab.on(
      'router',
      `nft 'add table inet uplink; add chain inet uplink passing { type filter hook forward priority 0; };
       add rule inet uplink passing tcp dport ${BROKER_PORT} drop; add rule inet uplink passing tcp sport ${BROKER_PORT} drop'`,
    );
    const since = await waitFor('a stale site', async () => (await staleSince()) ?? undefined, PATIENCE_MS);
    await moreCycles('second', 2); // It goes on without the cloud.
    expect(await shown()).toEqual(before);
    expect((await cloud.send('GET', '/devices')).headers.get('lanreach-stale-since')).toBe(since);
    // Of one change the last event comes first.
    expect((await observed()).slice(0, 2)).toEqual(['site-dark', 'agent-lost']);
  });

  test('the uplink is back: no event, and the site is watched again', async () => {
    const before = await shown();
    await lab.on('router', "nft 'delete table inet uplink'");
    await waitFor('a watched site', async () => (await staleSince()) === null, PATIENCE_MS);
    await moreCycles('second', 1);
    expect(await shown()).toEqual(before);
    expect((await cloud.send('GET', '/devices')).headers.get('lanreach-stale-since')).toBe('none');
    expect((await observed()).slice(0, 2)).toEqual(['site-back', 'agent-back']);
  });
});
