/** The texts of the overview of a site. */
import { numberText, plural } from '../../text/format.ts';
import { inLanguage } from '../../text/language.ts';
import { german } from './texts.de.ts';

const english = {
  numbers: 'The site in numbers',
  online: 'Online',
  of: (all: number) => ` / ${numberText(all)}`,
  unknown: (count: number) => `${numberText(count)} not monitored`,
  new: 'New',
  newSince: (count: number, isMore: boolean) => `${numberText(count)}${isMore ? '+' : ''} since yesterday`,
  noneSince: 'none since yesterday',
  down: 'Down',
  noAlert: 'none of those you watch',
  internet: 'Internet',
  perSecond: 'Mbit/s',
  speed: (down: string, up: string) => `${down} / ${up}`,
  ping: (ms: string) => `${ms} ms`,
  notMeasured: 'not measured',
  counting: 'many devices are changing',
  dayTitle: 'Devices online',
  day: (least: number, most: number) =>
    least === most
      ? `${plural(most, 'device')} online all the time`
      : `${numberText(least)} to ${plural(most, 'device')} online`,
  dayUnknown: 'Nobody looked in this time.',
  dayOf: (summary: string, all: number) => `${summary}, of ${numberText(all)}.`,
  changed: 'Changed since yesterday',
  agents: 'Agents',
  noAgentWhy: 'An agent on a host of this LAN finds its devices and runs your tools.',
  addAgent: 'Add an agent',
  agentStates: { online: 'online', draining: 'stopping', offline: 'offline', enrolling: 'not connected yet' },
  since: 'since',
  version: (version: string) => `version ${version}`,
  busy: (running: number, queued: number) =>
    queued === 0 ? `${numberText(running)} running` : `${numberText(running)} running, ${numberText(queued)} waiting`,
  runs: 'Last runs',
  noRuns: 'Nothing was run here yet.',
  openTools: 'Open the tools',
  allRuns: 'All runs',
  failing: 'Failing checks',
};

export const texts = inLanguage(english, german);
