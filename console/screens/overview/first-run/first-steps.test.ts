import { expect, test } from 'vitest';
import type { SiteOverview } from '../../../../shared/api/overview.ts';
import { isDone, type Known, STEPS, watchable, youngSite } from './first-steps.ts';

const NOW = Date.parse('2026-11-26T12:00:00.000Z');
const agent = { id: 'home:main', state: 'online' } as SiteOverview['agents'][number];
const fresh: Known = {
  site: { agents: [], discovery: { enabled: false, networks: 'auto', intervalSeconds: 60 } },
  ...{ siteCount: 1, named: undefined, hooks: undefined, tokens: undefined },
};

test('the API decides which steps are done; unknown is not done', () => {
  const done = (known: Known) => STEPS.filter((step) => isDone(step, known));
  expect(done(fresh)).toEqual([]);
  expect(done({ ...fresh, site: { ...fresh.site, agents: [{ ...agent, state: 'offline' }] } })).toEqual([]);
  const watched = { agents: [agent], discovery: { ...fresh.site.discovery, enabled: true } };
  expect(done({ ...fresh, site: watched, named: 2, hooks: 0, tokens: 1 })).toEqual(['agent', 'watch']);
  expect(done({ site: watched, siteCount: 2, named: 3, hooks: 1, tokens: 2 })).toEqual([...STEPS]);
});

test('a service is young for a month from its first site on', () => {
  const site = (id: string, createdAt: string) => ({ id, createdAt }) as SiteOverview;
  const [old, young] = [site('home', '2026-10-01T00:00:00.000Z'), site('cabin', '2026-11-25T00:00:00.000Z')];
  expect(youngSite([young], NOW)).toBe(young);
  expect(youngSite([young, old], NOW)).toBeNull();
  expect(youngSite([], NOW)).toBeNull();
});

test('discovery would monitor the private networks of online agents that are not too large', () => {
  const networks = ['192.168.1.0/24', '10.0.0.0/8', '127.0.0.0/8', '203.0.113.0/24', 'fe80::/64', '172.20.4.0/22'];
  expect(watchable([{ state: 'online', networks }])).toEqual(['192.168.1.0/24', '172.20.4.0/22']);
  expect(watchable([{ state: 'offline', networks }])).toEqual([]);
});
