/** The tables of costs in DEPLOY.md and docs/scale.md, as Markdown. */
import { table } from '../report.ts';
import { type Deployment, deploymentWith } from './deployment.ts';
import {
  BEFORE,
  type Costs,
  firewallCost,
  type Load,
  monthlyCosts,
  NOW,
  thousandCommandsCost,
  thousandEnrolmentsCost,
  thousandSignInsCost,
  totalOf,
} from './month.ts';

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

const SITE = { sites: 1, devicesPerSite: 100, hasDiscovery: true, waitSeconds: 10 };
/** Without calls; with a dashboard that asks every 13 seconds; and a thousand sites. */
const CASES = [
  { head: 'one idle site', monitoring: 'basic', load: { ...SITE, hasDiscovery: false, calls: 0, commands: 0 } },
  { head: 'one site, 100 devices', monitoring: 'basic', load: { ...SITE, calls: 200_000, commands: 1_000 } },
  {
    head: '1,000 sites of 100 devices',
    monitoring: 'full',
    load: { ...SITE, sites: 1_000, calls: 5_000_000, commands: 300_000 },
  },
] as const satisfies { head: string; monitoring: keyof Deployments; load: Load }[];
export const THOUSAND_SITES: Load = CASES[2].load;

/** Of DEPLOY.md. */
export function costTable(of: Deployments): string {
  const costs = CASES.map(({ monitoring, load }) => monthlyCosts(of[monitoring], load));
  const without = CASES.map(({ monitoring, load }) => monthlyCosts(of[monitoring], { ...load, hasDiscovery: false }));
  const row = (name: string, cell: (i: number) => string) => [name, ...CASES.map((_, i) => cell(i))];
  const total = (i: number) => totalOf(costs[i] ?? {});
  return table(
    ['', ...CASES.map(({ head }) => head)],
    [
      row('calls of the API', (i) => count(CASES[i]?.load.calls)),
      row('commands, each waited for 10 seconds', (i) => count(CASES[i]?.load.commands)),
      row('**together, with discovery**', (i) => `**${dollars(total(i))}**`),
      row('of that, discovery', (i) =>
        CASES[i]?.load.hasDiscovery ? dollars(total(i) - totalOf(without[i] ?? {})) : '',
      ),
      row('of that, alarms (`basic`; `full` for 1,000 sites)', (i) => dollars(costs[i]?.alarms)),
      row('`firewall=yes`, in addition', (i) =>
        dollars(firewallCost(of.full.firewallRules ?? 0, CASES[i]?.load ?? THOUSAND_SITES)),
      ),
    ],
  );
}

/** Of DEPLOY.md: what is done by the thousand. */
export function thousandsTable({ full }: Deployments): string {
  return table(
    ['a thousand of these', 'dollars'],
    [
      ['commands of one batch, over 1,000 sites', cents(thousandCommandsCost(full))],
      ['sign-ins of people', cents(thousandSignInsCost(full))],
      ['agents that enrol', cents(thousandEnrolmentsCost(full))],
    ],
  );
}

const NAMES: Record<keyof Costs, string> = {
  messages: 'messages of IoT Core',
  writes: 'DynamoDB, writes',
  waiting: 'waiting for commands',
  gateway: 'API Gateway',
  functions: 'Lambda',
  rules: 'rules of IoT Core',
  queues: 'queues',
  alarms: 'alarms, `full`',
  reads: 'DynamoDB, reads',
  kept: 'DynamoDB, kept, with its backup',
  connections: 'agents connected',
  logs: 'logs, traces',
  sent: 'data sent',
};

/** Of docs/scale.md: 1,000 sites, as agents and service talk to each other, and as they did. */
export function driversTable({ full }: Deployments): string {
  const [before, now] = [BEFORE, NOW].map((way) => monthlyCosts(full, THOUSAND_SITES, way)) as [Costs, Costs];
  const drivers = (Object.keys(NAMES) as (keyof Costs)[]).sort((a, b) => now[b] - now[a]);
  return table(
    ['US dollars a month', 'before', 'now'],
    [
      ...drivers.map((driver) => [NAMES[driver], dollars(before[driver]), dollars(now[driver])]),
      ['**together**', `**${dollars(totalOf(before))}**`, `**${dollars(totalOf(now))}**`],
    ],
  );
}

export const dollars = (value = 0): string => (value < 100 ? value.toFixed(2) : count(value));
const cents = (value: number): string => value.toFixed(3);
const count = (value = 0): string => Math.round(value).toLocaleString('en');
