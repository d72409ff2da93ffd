/** The tables of costs in DEPLOY.md, as Markdown. */
import { table } from '../report.ts';
import type { Deployment } from './deployment.ts';
import {
  checksCost,
  type Load,
  monthlyCosts,
  thousandCommandsCost,
  thousandDownloadsCost,
  thousandEnrolmentsCost,
  thousandSignInsCost,
  totalOf,
} from './month.ts';
import { PRICES } from './prices.ts';

const SITE = { sites: 1, devicesPerSite: 100, hasDiscovery: true, waitSeconds: 10 };
/** Without calls; with a dashboard that asks every 13 seconds; and a thousand sites. */
const CASES = [
  { head: 'one idle site', load: { ...SITE, hasDiscovery: false, calls: 0, commands: 0 } },
  { head: 'one site, 100 devices', load: { ...SITE, calls: 200_000, commands: 1_000 } },
  { head: '1,000 sites of 100 devices', load: { ...SITE, sites: 1_000, calls: 5_000_000, commands: 300_000 } },
] as const satisfies { head: string; load: Load }[];
export const THOUSAND_SITES: Load = CASES[2].load;

/** Of the agent for Linux, with its own Node.js. */
const PACKAGE_MB = 30;

/** Of DEPLOY.md. */
export function costTable(of: Deployment): string {
  const costs = CASES.map(({ load }) => monthlyCosts(of, load));
  const without = CASES.map(({ load }) => monthlyCosts(of, { ...load, hasDiscovery: false }));
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
      row('of that, alarms', (i) => dollars(costs[i]?.alarms)),
    ],
  );
}

/** Of DEPLOY.md: what comes to that. */
export function thousandsTable(of: Deployment): string {
  return table(
    ['beside these', 'dollars'],
    [
      ['one check a minute at each of 1,000 sites, a month', cents(checksCost(of, 1_000))],
      [`1,000 downloads of ${PACKAGE_MB} MB: updates, and hosts with a code`, cents(thousandDownloadsCost(PACKAGE_MB))],
      ['1,000 commands of one batch, over 1,000 sites', cents(thousandCommandsCost(of))],
      ['1,000 agents that enrol', cents(thousandEnrolmentsCost(of))],
      ['1,000 sign-ins of people', cents(thousandSignInsCost(of))],
      ['the secret of their provider, a month', cents(PRICES.month.secret)],
    ],
  );
}

const dollars = (value = 0): string => (value < 100 ? value.toFixed(2) : count(value));
const cents = (value: number): string => value.toFixed(3);
const count = (value = 0): string => Math.round(value).toLocaleString('en');
