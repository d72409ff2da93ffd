/** Sites that agents watch, and who came and went there over the last day, as if those agents had reported it. */

import type { StoredDevice } from '../../functions/devices/collection/device-codec.ts';
import { rows } from '../../functions/table/rows.ts';
import { PROTOCOL_VERSION, type Presence } from '../../shared/agent/messages.ts';
import { BLANK_DEVICE, type DeviceField, type DeviceRecord } from '../../shared/device.ts';
import { type AgentId, agentId, nameOfAgent, type SiteId, siteOfAgent } from '../../shared/identity.ts';
import { storeAgent } from '../support/stored-site.ts';
import type { FilledSystem } from './filled-system.ts';

const HOUR_MS = 3_600_000;
/** What is noticed within it goes in one message. */
const MESSAGE_MS = HOUR_MS / 2;

/** How long their programs have run. */
const DAYS_UP_MS = 9 * 24 * HOUR_MS;

/** When a device came or went, by turns: hours ago, the first change first. */
export type Turns = ReadonlyMap<string, readonly number[]>;

/** Counts an agent as connected that watches this network; what a real one of the name says is older, and ignored. */
export async function watch(
  { context }: FilledSystem,
  agent: AgentId,
  network: string,
  host: string,
  more: Partial<Presence> = {},
): Promise<void> {
  const { settings, sites } = context;
  const site = siteOfAgent(agent);
  if (!(await sites.agents(site)).some(({ id }) => id === agent)) await storeAgent(context, site, nameOfAgent(agent));
  await sites.change(site, ({ discovery }) => ({ discovery: { ...discovery, enabled: true, networks: [network] } }));
  await sites.recordPresence(agent, {
    ...{ v: PROTOCOL_VERSION, t: 'presence', state: 'online', version: settings.version },
    session: Date.now() + HOUR_MS,
    programs: { nmap: '7.93', traceroute: '2.1.2', ping: '20221126', 'arp-scan': '1.10.0' },
    capabilities: ['raw-sockets'],
    networks: [network],
    host: {
      name: host,
      platform: 'Debian GNU/Linux 12 (bookworm)',
      addresses: [network.replace(/0\/\d+$/, '9')],
      startedAt: Date.now() - DAYS_UP_MS,
    },
    load: { running: 0, queued: 0 },
    discovery: { state: 'on', accuracy: 'full', networks: [network] },
    ...more,
  });
  await sites.updateStaleness(site);
}

/** From so many hours ago to so many; the last one has ended too. */
const CONNECTED: readonly (readonly [from: number, to: number, end: string])[] = [
  [160, 121, 'stopped'],
  [120.5, 60, 'connection_lost'],
  [52, 26, 'service_stopped'],
  [25.9, 0.7, 'timed_out'],
];

/** An agent that was there on most of the last days and is not any more, as its service knows it. */
export async function addLostAgent(lanreach: FilledSystem, agent: AgentId, network: string): Promise<void> {
  const { sites, table } = lanreach.context;
  const now = Date.now();
  await watch(lanreach, agent, network, 'pi-attic', {
    ...{ session: now, version: '0.3.0', capabilities: [] },
    programs: { nmap: '7.93', ip: '6.1.0', 'arp-scan': null, traceroute: '2.1.2' },
    discovery: { state: 'on', accuracy: 'reduced', networks: [network] },
    update: { able: true, last: { version: '0.3.0', state: 'done', reason: null, at: now - 50 * HOUR_MS } },
  });
  const gone = {
    clientId: agent,
    versionNumber: 1,
    timestamp: now - 0.7 * HOUR_MS,
    eventType: 'disconnected',
  } as const;
  await sites.recordConnectionEvent(agent, { ...gone, disconnectReason: 'MQTT_KEEP_ALIVE_TIMEOUT' });
  const secondsOf = (hoursAgo: number) => Math.round((now - hoursAgo * HOUR_MS) / 1000);
  const links = JSON.stringify(CONNECTED.map(([from, to, end]) => [secondsOf(from), secondsOf(to), end]));
  await table.update(rows.agent(agent), { set: { links, endsAt: now + 200 * 24 * HOUR_MS } });
}

/** What an agent has reported of a day: who came and went of those that were there at first. */
export async function addDay(lanreach: FilledSystem, site: SiteId, name: string, turns: Turns): Promise<void> {
  const { devices } = lanreach.context;
  const now = Date.now();
  const origin = { actor: agentId(site, name), cause: 'sighting' } as const;
  const { snapshot } = await devices.read(site);
  const there = [...turns].filter(([mac]) => snapshot.get(mac)?.record.devPresentLastScan === 1);
  const all = there.flatMap(([mac, hours]) => hours.map((ago) => ({ mac, at: now - ago * HOUR_MS })));
  const messageOf = ({ at }: { at: number }) => Math.ceil(at / MESSAGE_MS);
  const messages = [...new Set(all.map(messageOf))].sort((one, other) => one - other);
  for (const message of messages) {
    const reported = all.filter((one) => messageOf(one) === message);
    await devices.change(site, origin, (snapshot) => {
      const known = reported.flatMap(({ mac, at }) => {
        const device = snapshot.get(mac);
        return device === undefined ? [] : [{ device, at }];
      });
      return {
        put: known.map(({ device, at }) => turned(device, name, at)),
        remove: [],
        noticed: new Map(known.map(({ device, at }) => [device.key, at])),
      };
    });
  }
  const seenNow = textOf(now);
  await devices.change(site, origin, ({ devices: those }) => ({
    put: those
      .filter(({ record }) => record.devPresentLastScan === 1)
      .map((device) => ({ ...device, record: { ...device.record, devLastConnection: seenNow } })),
    remove: [],
  }));
}

/** The same device after it has come or gone. */
function turned(device: StoredDevice, agent: string, at: number): StoredDevice {
  const online = device.record.devPresentLastScan !== 1;
  return {
    ...device,
    sightings: { ...device.sightings, [agent]: { epoch: 1, n: 1, online, since: Math.floor(at) } },
    record: { ...device.record, devPresentLastScan: online ? 1 : 0, devLastConnection: textOf(at) },
  };
}

/** What a person has changed, so many hours ago. */
export async function addEdits(
  { context, token }: FilledSystem,
  site: SiteId,
  edits: readonly { mac: string; hoursAgo: number; set: Partial<DeviceRecord> }[],
): Promise<void> {
  const { devices } = context;
  const [actor = ''] = token.replace(/^lr_/, '').split('.');
  for (const { mac, hoursAgo, set } of edits) {
    await devices.change(site, { actor, cause: 'edit' }, (snapshot) => {
      const known = snapshot.get(mac);
      if (known === undefined) throw new Error(`There is no ${mac}`);
      const byPerson = [...new Set([...(known.byPerson ?? []), ...(Object.keys(set) as DeviceField[])])];
      return {
        put: [{ ...known, record: { ...known.record, ...set }, byPerson }],
        remove: [],
        noticed: new Map([[mac, Date.now() - hoursAgo * HOUR_MS]]),
      };
    });
  }
}

/** Devices that an agent has found, so many hours ago. */
export async function addFound(
  { context }: FilledSystem,
  agent: AgentId,
  found: readonly { mac: string; ip: string; vendor: string; hoursAgo: number }[],
): Promise<void> {
  const now = Date.now();
  await context.devices.change(siteOfAgent(agent), { actor: agent, cause: 'sighting' }, () => ({
    put: found.map(({ mac, ip, vendor, hoursAgo }) => {
      const at = now - hoursAgo * HOUR_MS;
      return {
        key: mac,
        sightings: { [nameOfAgent(agent)]: { epoch: 1, n: 1, online: true, since: Math.floor(at) } },
        record: {
          ...BLANK_DEVICE,
          ...{ devMac: mac, devLastIP: ip, devVendor: vendor, devIsNew: 1, devPresentLastScan: 1 },
          ...{ devFirstConnection: textOf(at), devLastConnection: textOf(now) },
        },
      };
    }),
    remove: [],
    noticed: new Map(found.map(({ mac, hoursAgo }) => [mac, now - hoursAgo * HOUR_MS])),
  }));
}

const textOf = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
