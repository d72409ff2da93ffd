/** The metrics of sites: the names that NetAlertX uses, summed over the sites, and our own for each site. */
import { ReleaseVersion } from '../../shared/agent/release.ts';
import { Agent } from '../../shared/api/records.ts';
import { type Category, type CategoryCounts, type DeviceRecord, statusOf } from '../../shared/device.ts';
import type { SiteId } from '../../shared/identity.ts';
import { type Family, gauge } from '../http/text-format.ts';

export interface SiteNumbers {
  site: SiteId;
  counts: CategoryCounts;
  agents: readonly Pick<Agent, 'state' | 'version'>[];
  /** Whether it is unmonitored at the moment, although discovery is on. */
  isStale: boolean;
  /** Outages that are not over. */
  outages: number;
  checksDown: number;
  hasInternet: boolean;
}

const TOTALS: readonly [name: string, help: string, category: Category][] = [
  ['netalertx_connected_devices', 'Devices that are online', 'online'],
  ['netalertx_offline_devices', 'Devices that are not online, those that are down included', 'offline'],
  ['netalertx_down_devices', 'Devices that are not online and should be', 'down'],
  ['netalertx_new_devices', 'Devices that are marked as new', 'new'],
  ['netalertx_archived_devices', 'Devices that are archived, which no other number includes', 'archived'],
  ['netalertx_favorite_devices', 'Devices that are marked as favorites', 'favorites'],
  ['netalertx_my_devices', 'Devices that are not archived', 'my'],
];

export function siteFamilies(sites: readonly SiteNumbers[], version: string): Family[] {
  const total = (category: Category) => sites.reduce((sum, { counts }) => sum + counts[category], 0);
  const bySite = (name: string, help: string, samples: (site: SiteNumbers) => [Record<string, string>, number][]) => {
    const all = sites.flatMap((one) =>
      samples(one).map(([labels, value]) => ({ labels: { site: one.site, ...labels }, value })),
    );
    return { name, help, type: 'gauge', samples: all } satisfies Family;
  };
  return [
    ...TOTALS.map(([name, help, category]) => gauge(name, help, total(category))),
    bySite(
      'lanreach_devices',
      'Devices of a site by their status',
      ({ counts: { online, offline, down, archived } }) => [
        [{ status: 'online' }, online],
        [{ status: 'offline' }, offline - down],
        [{ status: 'down' }, down],
        [{ status: 'archived' }, archived],
      ],
    ),
    bySite('lanreach_devices_new', 'Devices of a site that are marked as new', ({ counts }) => [[{}, counts.new]]),
    bySite('lanreach_agents', 'Agents of a site by their state', ({ agents }) =>
      Agent.shape.state.options.map((state) => [{ state }, agents.filter((one) => one.state === state).length]),
    ),
    bySite('lanreach_agents_by_version', 'Agents of a site by the release that they run', ({ agents }) =>
      [...countsOf(agents.map(releaseOf))].map(([version, count]) => [{ version }, count]),
    ),
    bySite('lanreach_site_stale', '1 while discovery is on and no agent of the site is connected', ({ isStale }) => [
      [{}, Number(isStale)],
    ]),
    bySite('lanreach_outages', 'Outages of a site that are not over', ({ outages }) => [[{}, outages]]),
    bySite('lanreach_checks_down', 'Checks of a site that fail at each agent that makes them', ({ checksDown }) => [
      [{}, checksDown],
    ]),
    bySite('lanreach_internet_lost', '1 while a site has lost the internet, by its checks', ({ hasInternet }) => [
      [{}, Number(!hasInternet)],
    ]),
    {
      ...{ name: 'lanreach_build_info', help: 'The version of the service', type: 'gauge' },
      samples: [{ labels: { version }, value: 1 }],
    },
  ];
}

/** `other` for a version that is no release, because agents may report anything. */
const releaseOf = ({ version }: Pick<Agent, 'version'>): string => ReleaseVersion.safeParse(version).data ?? 'other';

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of [...words].sort()) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The last run of a check by an agent. */
export interface CheckNumbers {
  site: SiteId;
  agent: string;
  check: string;
  /** Its label. */
  name: string;
  /** Seconds until the reply; null without one. */
  rttS: number | null;
  /** Share of lost packets. */
  loss: number;
}

/** One series for each check and agent with a recent measurement. */
export function checkFamilies(checks: readonly CheckNumbers[]): Family[] {
  if (checks.length === 0) return [];
  const family = (name: string, help: string, measure: (one: CheckNumbers) => number | null): Family => ({
    name,
    help,
    type: 'gauge',
    samples: checks.flatMap((one) => {
      const value = measure(one);
      const { site, agent, check, name: label } = one;
      return value === null ? [] : [{ labels: { site, check, name: label, agent }, value }];
    }),
  });
  return [
    family('lanreach_check_up', '1 when the last run of a check was answered, else 0', ({ rttS }) =>
      Number(rttS !== null),
    ),
    family('lanreach_check_rtt_seconds', 'Time until the answer in the last run of a check', ({ rttS }) => rttS),
    family(
      'lanreach_check_loss_ratio',
      'Part of the packets that the last run of a check has lost',
      ({ loss }) => loss,
    ),
  ];
}

export interface ListedDevice {
  site: SiteId;
  record: DeviceRecord;
}

/** One series for each device, with the labels of NetAlertX, and the site. */
export function deviceFamilies(devices: readonly ListedDevice[]): Family[] {
  const samples = new Map<string, { labels: Record<string, string>; value: number }>();
  for (const { site, record } of devices) {
    const status = statusOf(record);
    const labels = {
      site,
      device: record.devName,
      mac: record.devMac,
      ip: record.devLastIP,
      vendor: record.devVendor,
      first_connection: record.devFirstConnection,
      last_connection: record.devLastConnection,
      dev_type: record.devType,
      device_status: status.charAt(0).toUpperCase() + status.slice(1),
    };
    // Two devices without a MAC may look the same, but each series must be unique.
    samples.set(JSON.stringify(labels), { labels, value: 1 });
  }
  const help = 'Every device, with its state in the labels; the value is always 1';
  return [{ name: 'netalertx_device_status', help, type: 'gauge', samples: [...samples.values()] }];
}
