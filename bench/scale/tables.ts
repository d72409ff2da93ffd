/** The tables of docs/scale.md, as Markdown. */
import { devicesKeptIn } from '../../store/devices/snapshots.ts';
import type { Deployment } from '../costs/deployment.ts';
import { dailyUse } from '../costs/discovery.ts';
import { COMMAND, type Load, monthlyCosts, RECONNECT, totalOf } from '../costs/month.ts';
import { dollars, driversTable, THOUSAND_SITES } from '../costs/tables.ts';
import { table } from '../report.ts';
import { type Outage, playOutage, presenceTrueAfter } from './fleet.ts';
import { costOfLargeSite, type LargeSite, useOf } from './large-site.ts';
import { ingestRate, LIST_UNITS, QUOTAS, STAGE_REQUESTS } from './limits.ts';
import { BUSY_HOUR, executionsOfWaiting, SECONDS_A_MONTH } from './waiting.ts';

/** Each site has one agent, 100 devices, and discovery switched on. */
const LOADS: Load[] = [
  { ...THOUSAND_SITES, sites: 1, calls: 200_000, commands: 1_000 },
  THOUSAND_SITES,
  { ...THOUSAND_SITES, sites: 10_000, calls: 50_000_000, commands: 3_000_000 },
  { ...THOUSAND_SITES, sites: 100_000, calls: 500_000_000, commands: 30_000_000 },
];
/** Devices come and go by day. */
const BUSY_HOUR_OF_DEVICES = 2;
/** A function that answers short requests is busy so long with one. */
const REQUEST_SECONDS = 0.06;
const SECONDS_A_DAY = 86_400;
/** A person who enrols an agent by a code of its own. */
const MINUTES_FOR_A_CODE = 3;
const WORKING_DAY_MINUTES = 8 * 60;

export function scaleTables(of: Deployment): string[] {
  return [sitesTable(of), returnTable(), largeSiteTable(of), driversTable(of)];
}

function sitesTable(of: Deployment): string {
  const row = (name: string, cell: (load: Load) => string) => [name, ...LOADS.map(cell)];
  const busy = (perMonth: number) => (perMonth / SECONDS_A_MONTH) * BUSY_HOUR;
  const requests = ({ calls, commands }: Load) => busy(calls + commands);
  const discovery = dailyUse(THOUSAND_SITES.devicesPerSite);
  const mean = (perDay: number) => perDay / SECONDS_A_DAY;
  const sightings = ({ sites }: Load) => mean(sites * discovery.messages) * BUSY_HOUR_OF_DEVICES;
  /** An agent loses its connection once a day. */
  const toIngest = (load: Load) =>
    sightings(load) + mean(load.sites * RECONNECT.handled) + busy(load.commands) * COMMAND.handled;
  const ingestMb = (of.memoryGb.Ingest ?? 0) * 1024;
  return table(
    row('', ({ sites }) => `${whole(sites)} ${sites === 1 ? 'site' : 'sites'}`),
    [
      row(`requests a second, of ${STAGE_REQUESTS}`, (load) => few(requests(load))),
      row(`executions, of ${QUOTAS.executionsOfNewAccount} or ${whole(QUOTAS.executions)}: short requests`, (load) =>
        whole(Math.ceil(requests(load) * REQUEST_SECONDS)),
      ),
      row('the same: waiting for commands of 25 s', ({ commands }) =>
        whole(executionsOfWaiting({ perMonth: commands, seconds: 25 })),
      ),
      row(`messages to ingest a second; two instances bear ${whole(ingestRate(2))}`, (load) => few(toIngest(load))),
      row(`devices, of ${whole(devicesKeptIn(ingestMb))} in the memory of ingest`, ({ sites, devicesPerSite }) =>
        whole(sites * devicesPerSite),
      ),
      row(`read units a second of the list of sites, of ${whole(QUOTAS.partitionReads)}`, (load) =>
        few(sightings(load) * LIST_UNITS.readsOfSightings + busy(load.commands) * 2),
      ),
      row('agents that leave in five minutes, by themselves', ({ sites }) => few(mean(sites) * 300)),
      row(`time to enrol all agents, ${QUOTAS.certificates} a second`, ({ sites }) =>
        duration(sites / QUOTAS.certificates),
      ),
      row(`the same by hand, ${MINUTES_FOR_A_CODE} minutes for a code`, ({ sites }) =>
        days((sites * MINUTES_FOR_A_CODE) / WORKING_DAY_MINUTES),
      ),
      row('US dollars a month', (load) => dollars(totalOf(monthlyCosts(of, load)))),
    ],
  );
}

/** Agents, and attempts to connect that IoT Core lets through in a second. */
const FLEETS = [
  [10_000, QUOTAS.connectsOfSmallRegion],
  [100_000, QUOTAS.connectsOfSmallRegion],
  [100_000, QUOTAS.connects],
] as const;
const OUTAGE_SECONDS = 600;
const INSTANCES = [2, 10];

function returnTable(): string {
  const rows = FLEETS.map(([agents, connectsPerSecond]) => {
    const outage: Outage = { agents, seconds: OUTAGE_SECONDS, connectsPerSecond };
    const back = playOutage(outage);
    return [
      whole(agents),
      whole(connectsPerSecond),
      duration(back.connected.length),
      ...INSTANCES.map((instances) => duration(presenceTrueAfter(outage, back, ingestRate(instances)))),
    ];
  });
  const presence = INSTANCES.map((count) => `presence is right: ingest ×${count}`);
  return table(['agents', 'let in a second', 'all connected after', ...presence], rows);
}

const CHANGED_PER_MINUTE = [1_000, 10_000, 15_000, 100_000];
/** Ten instances that are asked as often as a dashboard asks. */
const LARGE_SITE: Omit<LargeSite, 'changedPerMinute'> = { devices: 100_000, instances: 10, askedEverySeconds: 13 };

function largeSiteTable(of: Deployment): string {
  const cases = CHANGED_PER_MINUTE.map((changedPerMinute) => ({ ...LARGE_SITE, changedPerMinute }));
  const row = (name: string, cell: (site: LargeSite) => string) => [name, ...cases.map(cell)];
  return table(
    row('devices that change in a minute', ({ changedPerMinute }) => whole(changedPerMinute)),
    [
      row('the writer is busy', (site) => percent(useOf(site).writerBusy)),
      row('a reader after 13 seconds', (site) => (useOf(site).reloads ? 'loads all' : 'catches up')),
      row('US dollars a month', (site) => dollars(costOfLargeSite(site, of))),
    ],
  );
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
const few = (value: number) => (value < 0.01 ? '< 0.01' : value < 10 ? value.toFixed(2) : whole(value));
const percent = (share: number) => (share < 0.01 ? '< 1 %' : `${whole(share * 100)} %`);
const days = (value: number) => (value < 1 ? '< 1 day' : `${whole(value)} days`);
function duration(seconds: number): string {
  if (seconds < 1) return '< 1 s';
  if (seconds > 7_200) return `${(seconds / 3_600).toFixed(1)} h`;
  return seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}
