import { expect, test } from 'vitest';
import { toneOf } from './site-trouble.ts';

type Site = Parameters<typeof toneOf>[0];

const CALM: Site = {
  devices: null,
  coverage: { watched: [], unwatched: [] },
  outages: { open: 0, devices: 0, since: null },
  internet: { lostSince: null, address: null, provider: null, speed: null },
  checksDown: 0,
  staleSince: null,
  darkSince: null,
};
const SINCE = '2026-11-01T08:15:00.000Z';

test.each<[string[], Partial<Site>, string]>([
  [[], {}, 'calm'],
  [['192.168.178.0/24'], {}, 'good'],
  [['192.168.178.0/24'], { darkSince: SINCE }, 'warn'],
  [[], { staleSince: SINCE }, 'warn'],
  [['192.168.178.0/24'], { checksDown: 1 }, 'bad'],
])('a site of which agents watch %j and %j is %s: only what is watched is well', (watched, about, tone) => {
  expect(toneOf({ ...CALM, coverage: { watched, unwatched: [] }, ...about })).toBe(tone);
});
