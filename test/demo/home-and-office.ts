/**
 * What a home, an office and a workshop would hold: for `npm run demo`, for pictures of the screens, and to look for faults in
 * them. The names exist nowhere; MACs are locally administered, addresses private or of documentation.
 */
import type { DeviceRecord } from '../../shared/device.ts';
import { agentId } from '../../shared/identity.ts';
import { addEndedJobs } from './ended-jobs.ts';
import { addMade, type FilledSystem, succeed } from './filled-system.ts';
import { addFleet } from './fleet.ts';
import { addOutage, addRuns, addSpeeds, addVerdicts, type Line } from './measured.ts';
import { addHeard, STORAGE } from './recognised.ts';
import { addDay, addEdits, addFound, addLostAgent, watch } from './watched.ts';

/** Ids of what a screen can show one of. */
export interface FilledIds {
  device: string;
  joined: string;
  job: string;
  hook: string;
  check: string;
  person: string;
}

const DAY_MS = 86_400_000;
const FIBRE: Line = { down: 942, up: 38, provider: 'AS64501 Example Fibre', address: '203.0.113.80' };

export interface Row {
  name: string;
  type: string;
  vendor: string;
  group?: string;
  location?: string;
  parent?: string;
  port?: string;
  status?: 'online' | 'offline' | 'down' | 'archived' | 'new';
  favourite?: boolean;
  owner?: string;
}

/** The place in this list makes the MAC and the IP address. */
const INFRASTRUCTURE: readonly Row[] = [
  { name: 'gateway', type: 'Router', vendor: 'AVM', parent: 'Internet', location: 'Cellar', favourite: true },
  { name: 'switch-cellar', type: 'Switch', vendor: 'Ubiquiti', parent: 'gateway', port: '1', location: 'Cellar' },
  { name: 'switch-office', type: 'Switch', vendor: 'Ubiquiti', parent: 'switch-cellar', port: '8', location: 'Office' },
  { name: 'ap-ground-floor', type: 'AP', vendor: 'Ubiquiti', parent: 'switch-cellar', port: '2', location: 'Hall' },
  { name: 'ap-attic', type: 'AP', vendor: 'Ubiquiti', parent: 'switch-cellar', port: '3', location: 'Attic' },
];

/** What there are several of, and where. */
const KINDS: readonly (Row & { count: number })[] = [
  {
    count: 2,
    name: 'nas',
    type: 'NAS',
    vendor: 'Synology',
    parent: 'switch-cellar',
    group: 'Servers',
    favourite: true,
  },
  { count: 3, name: 'proxmox', type: 'Server', vendor: 'Intel', parent: 'switch-cellar', group: 'Servers' },
  { count: 6, name: 'workstation', type: 'Desktop', vendor: 'ASUSTek', parent: 'switch-office', location: 'Office' },
  { count: 3, name: 'printer', type: 'Printer', vendor: 'Brother', parent: 'switch-office', location: 'Office' },
  { count: 8, name: 'phone', type: 'Phone', vendor: 'Apple', parent: 'ap-ground-floor', group: 'Family' },
  { count: 5, name: 'tablet', type: 'Tablet', vendor: 'Samsung', parent: 'ap-attic', group: 'Family' },
  { count: 6, name: 'camera', type: 'Camera', vendor: 'Reolink', parent: 'switch-cellar', group: 'Security' },
  { count: 12, name: 'plug', type: 'Smart plug', vendor: 'Espressif', parent: 'ap-ground-floor', group: 'Smart home' },
  { count: 4, name: 'speaker', type: 'Speaker', vendor: 'Sonos', parent: 'ap-attic', group: 'Smart home' },
  { count: 3, name: 'television', type: 'TV', vendor: 'LG', parent: 'ap-ground-floor', location: 'Living room' },
];
/** How one of them is now, by its place in the list: few are wrong. */
const DOWN_EVERY = 22;
const AWAY_EVERY = 7;
const HOME = [...INFRASTRUCTURE, ...devicesOf(KINDS)];
const OFFICE = [...INFRASTRUCTURE, ...devicesOf(KINDS.slice(2, 6))];
/** When those of a kind have come or gone over the last day, by turns, in hours ago; the next one of the kind takes the next line. */
const HABITS: Record<string, readonly (readonly number[])[]> = {
  Desktop: [[15.2, 2.1], [14.4, 1.3], [], [13.1, 2.9], [16.3, 1.8]],
  Phone: [[12.3, 3.2], [], [11.6, 8.4, 6.1, 2.2], [10.7, 1.6], [23.1, 20.4]],
  Tablet: [[18.2, 4.4, 2.6, 0.7], [], [9.3, 3.9]],
  TV: [[21.5, 5.2], [19.1, 4.3], []],
  Printer: [[17.6, 3.3], []],
  NAS: [[20.4, 19.8]],
  Speaker: [[22.4, 21.7], [], [], []],
};

/**
 * Without a request to an agent: there need not be one.
 * @param strangers further devices at home
 * @param days of measurements, and of devices that come and go
 */
export async function fillSystem(lanreach: FilledSystem, strangers: readonly Row[], days: number): Promise<FilledIds> {
  await lanreach.importCsv(csvOf([...HOME, ...strangers], 1));
  await addSite(lanreach, 'office', 'Office in Leipzig', csvOf(OFFICE, 2));
  await addSite(lanreach, 'workshop', 'Workshop', csvOf(INFRASTRUCTURE.slice(0, 3), 3));
  await addSite(lanreach, 'holiday-flat', 'Holiday flat');
  await addHistory(lanreach);
  const joined = await addEvidence(lanreach);
  const [actor = ''] = lanreach.token.replace(/^lr_/, '').split('.');
  const [job = ''] = await addEndedJobs(lanreach, 'home', actor);
  await addWatchers(lanreach, days);
  await addTokens(lanreach);
  const hook = await addHooks(lanreach);
  const check = await addMeasurements(lanreach, days);
  const person = await addFleet(lanreach);
  return { device: macOf(1, INFRASTRUCTURE.length), joined, job, hook, check, person };
}

function devicesOf(kinds: typeof KINDS): Row[] {
  return kinds
    .flatMap(({ count, ...kind }) =>
      Array.from({ length: count }, (_, i) => ({ ...kind, name: `${kind.name}-${i + 1}` })),
    )
    .map((row, i) => ({ status: statusAt(i), ...row }));
}

function statusAt(i: number): NonNullable<Row['status']> {
  if (i % DOWN_EVERY === 8) return 'down';
  return i % AWAY_EVERY === 2 ? 'offline' : 'online';
}

/** What does not move comes and goes on one day of so many. */
const RARELY: Record<string, number> = { NAS: 20, Speaker: 9, Printer: 2 };

/** When the devices of these rows have come or gone, over so many days. One that is down now went some hours ago. */
function turnsOf(rows: readonly Row[], site: number, days: number): Map<string, readonly number[]> {
  const turns = rows.map(({ type, status }, i): [string, readonly number[]] => {
    const habits = HABITS[type] ?? [];
    const usual = habits[i % habits.length] ?? [];
    const earlier = Array.from({ length: days - 1 }, (_, day) => days - 1 - day)
      .filter((day) => (day + i) % (RARELY[type] ?? 1) === 0)
      .flatMap((day) => usual.map((hours) => hours + 24 * day + ((day * 7 + i * 3) % 10) / 20 - 0.25));
    if (status === 'down') return [macOf(site, i), [4.6]];
    return [macOf(site, i), status === 'online' ? [...earlier, ...usual] : []];
  });
  return new Map(turns);
}

function csvOf(rows: readonly Row[], site: number): string {
  const columns = [
    'devMac,devName,devLastIP,devType,devVendor,devGroup,devLocation,devParentMAC,devParentPort,devFavorite',
    'devPresentLastScan,devAlertDown,devIsArchived,devIsNew,devFirstConnection,devLastConnection',
  ].join(',');
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const lines = rows.map((row, i) => {
    const { name, type, vendor, group = '', location = '', parent = '', port = '', status = 'online' } = row;
    const parentAt = rows.findIndex((other) => other.name === parent);
    const flags = [
      row.favourite === true,
      status === 'online' || status === 'new' || status === 'down', // That it goes down comes later.
      status === 'down',
      status === 'archived',
      status === 'new',
    ];
    return [
      macOf(site, i),
      ...[name, `192.168.${site === 1 ? 178 : site}.${i + 1}`, type, vendor, group, location].map(cell),
      parentAt === -1 ? parent : macOf(site, parentAt),
      port,
      ...flags.map(Number),
      timeText(status === 'new' ? 1 : 400 - i),
      timeText(status === 'offline' ? (i % 9) + 1 : 0),
    ].join(',');
  });
  return [columns, ...lines, ''].join('\n');
}

/** Locally administered, so that it belongs to no real device. */
function macOf(site: number, i: number): string {
  return `02:00:5E:00:0${site}:${i.toString(16).padStart(2, '0').toUpperCase()}`;
}

function timeText(daysAgo: number): string {
  return new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 19).replace('T', ' ');
}

async function addSite(lanreach: FilledSystem, id: string, name: string, csv?: string): Promise<void> {
  await succeed(lanreach, 'POST', '/sites', { body: { id, name } });
  if (csv !== undefined) await lanreach.importCsv(csv, id);
}

/** What people have changed, which makes the events. */
async function addHistory(lanreach: FilledSystem): Promise<void> {
  const edits: [number, number, Partial<DeviceRecord>][] = [
    [5, 30, { devName: 'nas-backup', devOwner: 'Ada', devComments: 'Backs up every night' }],
    [7, 29, { devGroup: 'Servers', devLocation: 'Rack' }],
    [12, 28, { devFavorite: 1 }],
    [20, 27, { devName: 'Grandmother’s phone', devOwner: 'Oma' }],
    [33, 26, { devIsArchived: 1 }],
    [34, 25, { devAlertDown: 1 }],
    [5, 9.5, { devName: 'nas-1' }],
  ];
  const made = edits.map(([at, hoursAgo, set]) => ({ mac: macOf(1, at), hoursAgo, set }));
  await addEdits(lanreach, 'home', made);
  await succeed(lanreach, 'DELETE', `/devices/${macOf(1, 50)}`, { site: 'home' });
}

/**
 * What a storage says of itself, at which ports a switch has seen some cameras, and phones that come with another MAC each
 * day.
 * @returns the key of one that is joined already, on another site
 */
async function addEvidence(lanreach: FilledSystem): Promise<string> {
  const at = (name: string) => HOME.findIndex((row) => row.name === name);
  const office = macOf(1, at('switch-office'));
  await addHeard(lanreach, 'home', [
    { mac: macOf(1, at('nas-1')), said: STORAGE, free: ['devType', 'devModel'] },
    ...['camera-1', 'camera-3', 'camera-4'].map((name, i) => ({
      mac: macOf(1, at(name)),
      said: [['parent-bridge', `${office} Gi0/${i + 3}`]] as const,
      free: ['devParentMAC', 'devParentPort'] as const,
    })),
    ...['phone-3', 'phone-4', 'phone-5'].map((name, i) => pocketPhone(macOf(1, at(name)), i)),
  ]);
  const [phone = '', ...others] = [0, 1, 2].map((i) => macOf(2, INFRASTRUCTURE.length + i));
  await addHeard(lanreach, 'office', [phone, ...others].map(pocketPhone));
  await succeed(lanreach, 'POST', `/devices/${phone}/join`, { site: 'office', body: { macs: others } });
  return phone;
}

/** One that was there on one day only, some days ago. */
function pocketPhone(mac: string, day: number) {
  const [from, to] = [day + 3, day + 2.5].map(timeText);
  return {
    mac,
    said: [
      ['mdns', 'oma-pocket'],
      ['dhcp-name', 'oma-pocket'],
    ] as const,
    record: {
      devRandomMAC: 1,
      devPresentLastScan: 0,
      devAlertDown: 0,
      devFirstConnection: from ?? '',
      devLastConnection: to ?? '',
    } as const,
  };
}

/** Home and office are watched, and were over the last day; the workshop was never, and the flat is empty. */
async function addWatchers(lanreach: FilledSystem, days: number): Promise<void> {
  await watch(lanreach, agentId('home', 'main'), '192.168.178.0/24', 'nuc');
  // No process answers for it: commands go to the one that has nothing to do.
  await watch(lanreach, agentId('home', 'cellar'), '192.168.178.0/24', 'raspberrypi', {
    load: { running: 1, queued: 1 },
  });
  await watch(lanreach, agentId('office', 'main'), '192.168.2.0/24', 'leipzig-01');
  await addFound(lanreach, agentId('home', 'cellar'), [
    { mac: macOf(1, 0xa1), ip: '192.168.178.81', vendor: 'Espressif', hoursAgo: 7.4 },
    { mac: macOf(1, 0xa2), ip: '192.168.178.82', vendor: 'Xiaomi', hoursAgo: 2.3 },
  ]);
  await addDay(lanreach, 'home', 'main', turnsOf(HOME, 1, days));
  await addDay(lanreach, 'office', 'main', turnsOf(OFFICE, 2, days));
}

async function addTokens(lanreach: FilledSystem): Promise<void> {
  const soon = new Date(Date.now() + 3 * DAY_MS).toISOString();
  await lanreach.createToken({ name: 'Dashboard in the hall', scopes: ['devices:read'] });
  await lanreach.createToken({ name: 'Night scan', scopes: ['nettools:run'], expiresAt: soon });
  await lanreach.createToken({
    name: 'Home assistant',
    scopes: ['devices:read', 'devices:write'],
    sites: ['home', 'office'],
  });
}

async function addHooks(lanreach: FilledSystem): Promise<string> {
  const body = { url: 'https://hooks.example.org/lan/7d0e5a1b3f9c', events: ['new', 'down'], enabled: false };
  const hook = await addMade(lanreach, 'hooks', 'home', body);
  await addMade(lanreach, 'hooks', 'home', { ...body, url: 'https://chat.example.org/in', format: 'slack' });
  return hook;
}

/**
 * What agents have measured that have no connection: no test asks a network for it.
 * @returns the id of a check
 */
async function addMeasurements(lanreach: FilledSystem, days: number): Promise<string> {
  const site = 'office';
  const own = [await addMade(lanreach, 'checks', 'home', { kind: 'internet', label: 'Internet', agents: ['cellar'] })];
  await addRuns(lanreach, 'home', own, { hours: 24 * days + 2, agent: 'cellar' });
  await addVerdicts(lanreach, 'home', own, { agent: 'cellar' });
  for (const [at, label] of [[INFRASTRUCTURE.length, 'nas-1'] as const, [0, 'gateway'] as const]) {
    const body = { kind: 'ping', device: macOf(1, at), label, agents: ['cellar'] };
    const ping = await addMade(lanreach, 'checks', 'home', body);
    await addRuns(lanreach, 'home', [ping], { hours: 24 * days + 26, gap: [31, 29], agent: 'cellar' });
  }
  await addSpeeds(lanreach, 'home', 60, FIBRE);
  await addLostAgent(lanreach, agentId(site, 'attic'), '192.168.2.0/24');
  await succeed(lanreach, 'PATCH', '/sites/workshop', { body: { reachableAt: 'vpn.example.org' } });
  const checks = [
    { kind: 'ping', device: macOf(2, INFRASTRUCTURE.length), label: 'workstation-1' },
    { kind: 'internet', label: 'Internet' },
    { kind: 'http', url: 'https://nas.example.org/', label: 'Web page of the nas' },
    { kind: 'site', toSite: 'workshop' },
  ];
  const ids: string[] = [];
  for (const body of checks) ids.push(await addMade(lanreach, 'checks', site, body));
  const nightly = { name: 'Ports, every night', tool: 'nmap', cron: '0 2 * * *' };
  const schedules = [
    { ...nightly, arguments: { scan: '192.168.2.0/24', mode: 'fast' } },
    { name: 'Speed test', tool: 'speedtest', everySeconds: 21_600, enabled: false },
  ];
  for (const body of schedules) await addMade(lanreach, 'schedules', site, body);
  const failing = { check: ids[2] ?? '', hours: 0.7, reason: 'the connection was refused' };
  await addRuns(lanreach, site, ids, { hours: 24 * days + 2, gap: [9, 7], failing });
  await addVerdicts(lanreach, site, ids, { failing });
  await addSpeeds(lanreach, site, 60);
  const members = [5, 6, 7, 8].map((at) => macOf(2, at));
  for (const hoursAgo of [1_130, 470, 1].filter((hours) => hours <= 24 * days))
    await addOutage(lanreach, site, members, hoursAgo);
  return ids[0] ?? '';
}
