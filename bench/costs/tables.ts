/** The tables of costs in DEPLOY.md, as Markdown. */
import { CLOUD_WAITING } from '../../api/context/config.ts';
import { type Deployment, deploymentWith } from './deployment.ts';
import { discoveryTable } from './discovery.ts';
import { markdownTable } from './markdown-table.ts';
import {
  firewallCost,
  type Load,
  type MonthlyCosts,
  monitoringCost,
  monthlyCosts,
  totalOf,
  waitingCost,
} from './month.ts';

/** Seconds for which the request of a command waits; no longer than the second, unless set otherwise. */
const WAITS = [10, CLOUD_WAITING.longestWaitS, 60, 280] as const;
const USUAL_WAIT = WAITS[0];

/** The calls of one site are a dashboard that asks every 13 seconds. */
const LOADS = {
  idle: { sites: 1, devices: 100, calls: 0, commands: 0, waitSeconds: USUAL_WAIT },
  one: { sites: 1, devices: 100, calls: 200_000, commands: 1_000, waitSeconds: USUAL_WAIT },
  many: { sites: 1_000, devices: 100_000, calls: 5_000_000, commands: 300_000, waitSeconds: USUAL_WAIT },
} satisfies Record<string, Load>;

/** By the setting `monitoring`; `full` has the firewall as well, which is paid for by itself. */
export interface Deployments {
  basic: Deployment;
  full: Deployment;
}

/** @param root folder of the project */
export function deployments(root: string): Deployments {
  return {
    basic: deploymentWith(root, { monitoring: 'basic' }),
    full: deploymentWith(root, { monitoring: 'full', firewall: 'yes' }),
  };
}

export function costTables(of: Deployments): string[] {
  return [overviewTable(of), waitingTable(of), discoveryTable(of.basic.memoryGb)];
}

export function idleSiteCost({ basic }: Deployments): number {
  return totalOf(monthlyCosts(basic, LOADS.idle));
}

function overviewTable({ basic, full }: Deployments): string {
  const cases = [
    { head: 'one idle site', deployment: basic, load: LOADS.idle },
    { head: 'one site, 100 devices', deployment: basic, load: LOADS.one },
    { head: '1,000 sites, 100 devices each', deployment: full, load: LOADS.many },
  ];
  const costs = cases.map(({ deployment, load }) => monthlyCosts(deployment, load));
  const row = (name: string, cell: (one: (typeof cases)[number]) => string) => [name, ...cases.map(cell)];
  const line = (name: string, part: keyof MonthlyCosts) => [name, ...costs.map((all) => dollars(all[part]))];
  const more = monitoringCost(full) - monitoringCost(basic);
  return markdownTable([
    row('', ({ head }) => head),
    row('`monitoring`', ({ deployment }) => (deployment === full ? '`full`' : '`basic`')),
    row('calls of the API', ({ load }) => count(load.calls)),
    row(`commands, each waited for ${USUAL_WAIT} seconds`, ({ load }) => count(load.commands)),
    line('API Gateway', 'gateway'),
    line('Lambda', 'functions'),
    line('IoT Core: agents connected, messages, rules', 'broker'),
    line('DynamoDB, with its backup', 'database'),
    line('queues, which Lambda asks all the time', 'queues'),
    line(`logs, traces (one in ${1 / basic.traced})`, 'logs'),
    line('data sent, 5 KB an answer', 'sent'),
    line(`alarms on ${basic.alarmMetrics} metrics; \`full\`: on ${full.alarmMetrics}, a dashboard`, 'monitoring'),
    ['**together**', ...costs.map((all) => `**${dollars(totalOf(all))}**`)],
    row('`monitoring=full`', ({ deployment }) => (deployment === full ? 'included' : `+ ${dollars(more)}`)),
    row('`firewall=yes`', ({ load }) => `+ ${dollars(firewallCost(full.firewallRules ?? 0, load))}`),
  ]);
}

function waitingTable({ basic, full }: Deployments): string {
  const rows = [
    { name: 'one site, 1,000 commands', deployment: basic, load: LOADS.one },
    { name: '1,000 sites, 300,000 commands', deployment: full, load: LOADS.many },
  ].flatMap(({ name, deployment, load }) => {
    const loads = WAITS.map((waitSeconds) => ({ ...load, waitSeconds }));
    return [
      [`${name}: waiting`, ...loads.map((one) => dollars(waitingCost(deployment, one)))],
      ['**all costs together**', ...loads.map((one) => `**${dollars(totalOf(monthlyCosts(deployment, one)))}**`)],
    ];
  });
  return markdownTable([['', ...WAITS.map((seconds) => `${seconds} seconds`)], ...rows]);
}

const dollars = (value: number) => value.toFixed(2);
const count = (value: number) => value.toLocaleString('en');
