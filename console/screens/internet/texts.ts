/** The texts of the internet of a site. */
import { percentText, plural } from '../../text/format.ts';
import { inLanguage } from '../../text/language.ts';
import { german } from './texts.de.ts';

const english = {
  title: 'Internet',
  now: 'Now',
  state: 'Connection',
  states: { up: 'up', down: 'lost', unknown: 'not known' },
  since: 'since',
  notMeasured: 'not measured',
  nothing: '–',
  address: 'Public address',
  noSpeed: 'no speed test yet',
  usual: (mbps: string) => `usual: ${mbps}`,
  slower: (mbps: string) => `slower than usual: ${mbps}`,
  slow: 'slow',
  down: 'Download',
  up: 'Upload',
  ping: 'Ping',
  unit: 'Mbit/s',
  ms: (value: string) => `${value} ms`,
  nextTest: 'Next speed test',
  everySixHours: 'Measure every 6 hours',
  everySixHoursWhat: 'A test uses the connection fully for up to 90 seconds. Outages are noticed within a minute.',
  measureNow: 'Measure now',
  running: (percent: number | null) => (percent === null ? 'Measuring …' : `Measuring … ${percentText(percent)} %`),
  measured: 'The internet was measured.',
  failed: 'The speed test failed.',
  why: 'See why',
  measuring: 'The internet is measured from now on.',
  notMeasuring: 'No more speed tests by themselves.',
  scheduleName: 'Speed test, every 6 hours',
  checkLabel: 'Internet',
  none: 'The internet is not measured yet',
  noneWhy: 'See how fast it is, how it changes, and when it was away.',
  noneForToken: 'Someone who may run tools can turn it on.',
  overTime: 'Over time',
  speedChart: 'Speed tests',
  speedSummary: (tests: string, down: string, up: string) =>
    `${tests}; usual are ${down} Mbit/s down and ${up} Mbit/s up.`,
  noTests: 'No speed test in this time.',
  tests: (count: number) => plural(count, 'test'),
  band: 'Outages',
  outageCount: (count: number) =>
    count === 0 ? 'No outage in this time.' : `${plural(count, 'outage')} in this time.`,
  stretch: (state: string, from: string, to: string) => `${state}, ${from} to ${to}`,
  history: 'Speed tests, in Mbit/s',
  historyOf: 'Speed tests, the latest first',
  when: 'When',
  earlier: 'Show earlier tests',
  outages: 'Outages and changes',
  noOutages: 'None in the last 90 days.',
  allOutages: 'All of them',
};

export const texts = inLanguage(english, german);
