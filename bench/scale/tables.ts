/** The tables of docs/scale.md, as Markdown. */
import { dailyUse, monthlyCost } from '../costs/discovery.ts';
import { markdownTable } from '../costs/markdown-table.ts';
import { COMMAND, type Load, monthlyCosts, RECONNECT, totalOf } from '../costs/month.ts';
import type { Deployments } from '../costs/tables.ts';
import { type Outage, playOutage, presenceTrueAfter } from './fleet.ts';
import { costOfLargeSite, type LargeSite, useOf } from './large-site.ts';
import { INGEST_CEILING, ingestRate, QUOTAS, STAGE_REQUESTS } from './limits.ts';
import {
  BUSY_HOUR,
  breakEvenSeconds,
  costOfWaiting,
  executionsOfWaiting,
  LONGEST_WAIT_SECONDS,
  SECONDS_A_MONTH,
  type WaysToWait,
} from './waiting.ts';
import { playWriters } from './writers.ts';

/** Each site has one agent, 100 devices, and discovery switched on. */
const LOADS: Load[] = [
  { sites: 1, devices: 100, calls: 200_000, commands: 1_000, waitSeconds: 10 },
  { sites: 1_000, devices: 100_000, calls: 5_000_000, commands: 300_000, waitSeconds: 10 },
  { sites: 100_000, devices: 10_000_000, calls: 500_000_000, commands: 30_000_000, waitSeconds: 10 },
];
const COMMAND_SECONDS = [10, 60, 280];
/** Of one short request. */
const REQUEST_SECONDS = 0.06;
const SECONDS_A_DAY = 86_400;

export function scaleTables(of: Deployments): string[] {
  return [sitesTable(of), returnTable(), largeSiteTable(of), writersTable(), waitingTable(of)];
}

function sitesTable({ basic, full }: Deployments): string {
  const row = (name: string, cell: (load: Load) => string) => [name, ...LOADS.map(cell)];
  const busy = (perMonth: number) => (perMonth / SECONDS_A_MONTH) * BUSY_HOUR;
  const requests = ({ calls, commands }: Load) => busy(calls + commands);
  const discovery = dailyUse(100);
  const mean = (perDay: number) => perDay / SECONDS_A_DAY;
  /** An agent loses its connection once a day. */
  const toIngest = ({ sites, commands }: Load) =>
    mean(sites * (discovery.messages + RECONNECT.handled)) + busy(commands) * COMMAND.handled;
  const throughBroker = ({ sites, commands }: Load) =>
    mean(sites * (discovery.iotUnits + RECONNECT.messages)) + busy(commands) * COMMAND.messages;
  const price = (load: Load, commandSeconds: number) => {
    const deployment = load.sites === 1 ? basic : full;
    const waitSeconds = Math.min(commandSeconds, LONGEST_WAIT_SECONDS);
    const perSite = totalOf(monthlyCost(discovery, deployment.memoryGb));
    return dollars(totalOf(monthlyCosts(deployment, { ...load, waitSeconds })) + load.sites * perSite);
  };
  return markdownTable([
    row('', ({ sites }) => `${whole(sites)} ${sites === 1 ? 'site' : 'sites'}`),
    row('calls and commands a month', ({ calls, commands }) => `${whole(calls)} + ${whole(commands)}`),
    row(`requests a second; stage ${STAGE_REQUESTS}, account ${whole(QUOTAS.gatewayRequests)}`, (load) =>
      few(requests(load)),
    ),
    row('the same if every site shows a dashboard', ({ sites }) => few(sites / 13)),
    row(`executions of short requests; ${QUOTAS.executionsOfNewAccount}, later ${whole(QUOTAS.executions)}`, (load) =>
      few(requests(load) * REQUEST_SECONDS),
    ),
    ...COMMAND_SECONDS.map((seconds) =>
      row(`executions that wait, to the end of ${seconds} s`, ({ commands }) =>
        whole(executionsOfWaiting({ perMonth: commands, seconds })),
      ),
    ),
    row(`the same, of at most ${LONGEST_WAIT_SECONDS} s`, ({ commands }) =>
      whole(executionsOfWaiting({ perMonth: commands, seconds: LONGEST_WAIT_SECONDS })),
    ),
    row(`messages to ingest a second; at most ${whole(INGEST_CEILING)}`, (load) => few(toIngest(load))),
    row(`messages of IoT Core a second; ${whole(QUOTAS.brokerMessages)}`, (load) => few(throughBroker(load))),
    row('agents that leave in five minutes, by themselves', ({ sites }) => few(mean(sites) * 300)),
    row(`time to enrol all agents, ${QUOTAS.certificates} a second`, ({ sites }) =>
      duration(sites / QUOTAS.certificates),
    ),
    row('US dollars a month, commands of 10 s', (load) => price(load, 10)),
    row(`the same, commands of ${LONGEST_WAIT_SECONDS} s and longer`, (load) => price(load, Infinity)),
  ]);
}

/** Agents, and attempts to connect that IoT Core lets through in a second. */
const FLEETS = [
  [1_000, 100],
  [10_000, 100],
  [10_000, 500],
  [100_000, 100],
  [100_000, 500],
  [100_000, 3_000],
] as const;
const OUTAGE_SECONDS = 600;
const INSTANCES = [2, 10, 50];

function returnTable(): string {
  const rows = FLEETS.map(([agents, connectsPerSecond]) => {
    const outage: Outage = { agents, seconds: OUTAGE_SECONDS, connectsPerSecond };
    const back = playOutage(outage);
    return [
      whole(agents),
      whole(connectsPerSecond),
      whole(back.attemptsPerSecond),
      whole(back.refused),
      duration(back.connected.length),
      ...INSTANCES.map((instances) => duration(presenceTrueAfter(outage, back, ingestRate(instances)))),
    ];
  });
  const head = ['agents', 'let through a second', 'attempts a second, at most', 'refused', 'all connected after'];
  return markdownTable([[...head, ...INSTANCES.map((count) => `presence is true: ingest ×${count}`)], ...rows]);
}

const CHANGED_PER_MINUTE = [1, 100, 1_000, 10_000, 15_000, 100_000];
/** Ten instances that are asked as often as a dashboard asks. */
const LARGE_SITE: Omit<LargeSite, 'changedPerMinute'> = { devices: 100_000, instances: 10, askedEverySeconds: 13 };

function largeSiteTable({ full }: Deployments): string {
  const cases = CHANGED_PER_MINUTE.map((changedPerMinute) => ({ ...LARGE_SITE, changedPerMinute }));
  const row = (name: string, cell: (site: LargeSite) => string) => [name, ...cases.map(cell)];
  return markdownTable([
    row('devices that change in a minute', ({ changedPerMinute }) => whole(changedPerMinute)),
    row('the writer is busy', (site) => percent(useOf(site).writerBusy)),
    row('the table is behind by', (site) => {
      const { behindSeconds } = useOf(site);
      return behindSeconds === null ? 'a cycle' : duration(behindSeconds);
    }),
    row('versions a second', (site) => few(useOf(site).versionsPerSecond)),
    row(`write units a second, of ${whole(QUOTAS.partitionWrites)}`, (site) => few(useOf(site).writesPerSecond)),
    row('a reader after 13 seconds', (site) => (useOf(site).reloads ? 'loads all' : 'catches up')),
    row(`read units a second, of ${whole(QUOTAS.partitionReads)}`, (site) => few(useOf(site).readsPerSecond)),
    row('loading all takes', (site) => `${useOf(site).loadSeconds.toFixed(1)} s`),
    row('loading all ends', (site) => (useOf(site).loadEnds ? 'yes' : '**no**')),
    row('US dollars a month', (site) => dollars(costOfLargeSite(site, full.memoryGb))),
  ]);
}

const CHANGES_PER_SECOND = [1, 5, 10, 15];
const PROCESSES = [1, 2, 5, 10];

function writersTable(): string {
  const cell = (processes: number, rate: number) => {
    const { mostMs, givenUp } = playWriters(processes, rate);
    const time = `${(mostMs / 1_000).toFixed(1)} s`;
    return givenUp === 0 ? time : `${time}; ${percent(givenUp)} fail`;
  };
  return markdownTable([
    ['changes a second', ...PROCESSES.map((count) => `${count} ${count === 1 ? 'process' : 'processes'}`)],
    ...CHANGES_PER_SECOND.map((rate) => [whole(rate), ...PROCESSES.map((count) => cell(count, rate))]),
  ]);
}

function waitingTable({ full }: Deployments): string {
  const memoryGb = full.memoryGb.Nettools ?? 0;
  const cases = [300_000, 3_000_000].flatMap((perMonth) =>
    COMMAND_SECONDS.map((seconds) => ({ perMonth, seconds, costs: costOfWaiting({ perMonth, seconds }, memoryGb) })),
  );
  const row = (name: string, way: keyof WaysToWait) => [name, ...cases.map(({ costs }) => dollars(costs[way]))];
  return `${markdownTable([
    ['', ...cases.map(({ perMonth, seconds }) => `${perMonth / 1e6} M of ${seconds} s`)],
    row('a function waits to the end', 'toTheEnd'),
    row(`a function waits ${LONGEST_WAIT_SECONDS} s, then the caller asks every 10 s`, 'thenAsking'),
    row('a notice over MQTT, then one call', 'notice'),
    row('one process waits for all (two tasks)', 'oneWaiter'),
  ])}
One process is cheaper than functions from ${(breakEvenSeconds(memoryGb) / 1e6).toFixed(1)} million waited seconds a month on.
`;
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
const few = (value: number) => (value < 0.01 ? '< 0.01' : value < 10 ? value.toFixed(2) : whole(value));
const dollars = (value: number) => (value < 100 ? value.toFixed(2) : whole(value));
const percent = (share: number) => (share < 0.01 ? '< 1 %' : `${whole(share * 100)} %`);
function duration(seconds: number): string {
  if (seconds < 1) return '< 1 s';
  return seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}
