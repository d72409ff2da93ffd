/** The texts of the internet of a site. */

export const texts = {
  title: (site: string) => `Internet of ${site}`,
  now: 'Now',
  state: 'Internet',
  states: { up: 'there', down: 'lost', unknown: 'not known' },
  since: 'since',
  notMeasured: 'not measured',
  address: 'Public address',
  provider: 'Provider',
  unknown: 'not known yet',
  speed: 'Last speed test',
  noSpeed: 'none yet',
  down: 'Download',
  up: 'Upload',
  ping: 'Ping',
  mbps: (value: string) => `${value} Mbit/s`,
  nextTest: 'Next speed test',
  measure: 'Measure the internet',
  measureWhat: (check: boolean, speed: boolean) =>
    [
      ...(check ? ['Asks two hosts of the internet every minute.'] : []),
      ...(speed ? ['Runs a speed test every 6 hours, which uses the connection fully for up to 90 seconds.'] : []),
    ].join(' '),
  measuring: 'The internet is measured from now on.',
  scheduleName: 'Speed test, every 6 hours',
  checkLabel: 'Internet',
  overTime: 'Over time',
  speedChart: 'Speed tests',
  speedSummary: (tests: string, down: string, up: string) =>
    `${tests}; usual are ${down} Mbit/s down and ${up} Mbit/s up.`,
  noTests: 'No speed test in this time.',
  tests: (count: number) => (count === 1 ? '1 test' : `${count} tests`),
  outages: 'Outages and changes',
  noOutages: 'Nothing of the kind in the last 90 days.',
  allOutages: 'All of them',
};
