import { expect, test } from 'vitest';
import { toneOf } from './site-trouble.ts';

type Site = Parameters<typeof toneOf>[0];

const AGENT: Site['agents'][number] = {
  ...{ id: 'home:main', state: 'online', since: null, offlineReason: null, host: null, version: null, load: null },
  ...{ update: null, updateAvailable: null, ring: null },
};
const CALM: Site = {
  devices: null,
  agents: [],
  outages: { open: 0, devices: 0, since: null },
  internet: { lostSince: null, address: null, provider: null, speed: null },
  checksDown: 0,
  staleSince: null,
  darkSince: null,
};
const SINCE = '2026-11-01T08:15:00.000Z';

test.each<[Site['agents'][number]['state'][], Partial<Site>, string]>([
  [[], {}, 'calm'],
  [['enrolling'], {}, 'calm'],
  [['online'], {}, 'good'],
  [['offline', 'draining'], {}, 'good'],
  [['offline'], { darkSince: SINCE }, 'warn'],
  [[], { staleSince: SINCE }, 'warn'],
  [[], { checksDown: 1 }, 'bad'],
])('a site with agents %j and %j is %s', (states, about, tone) => {
  expect(toneOf({ ...CALM, agents: states.map((state) => ({ ...AGENT, state })), ...about })).toBe(tone);
});
