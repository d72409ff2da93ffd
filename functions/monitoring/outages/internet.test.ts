/** What agents say of the way out of their site: late, twice, and one against the other. */
import { describe, expect, test } from 'vitest';
import type { Occurrence } from '../../devices/collection/change-row.ts';
import { takeAddress, takeInternet, takeSpeed } from './internet.ts';
import { SiteState } from './site-state.ts';
import type { ChangeSource } from './take-change.ts';

const AT = Date.parse('2026-11-01T08:00:00Z');
const CHECK = '5f0c2a9b1d34';

function openSite(connected: Record<string, number> = { attic: 0 }) {
  let state = SiteState.parse({});
  const take = (after: { state: SiteState; occurrences: readonly Occurrence[] } | null) => {
    if (after === null) return [];
    state = SiteState.parse(JSON.parse(JSON.stringify(after.state)));
    return after.occurrences.map(({ type, at, detail }) => [type, at - AT / 1000, detail]);
  };
  const since = new Map(Object.entries(connected).map(([name, seconds]) => [name, AT + seconds * 1000]));
  const sourceOf = (agent: string): ChangeSource => {
    return { stores: {} as never, site: 'home', agent, checks: async () => [], connected: since, now: new Date(AT) };
  };
  return {
    says: async (agent: string, ok: boolean, seconds: number, gateway: boolean | null = true) => {
      const said = { t: 'internet' as const, check: CHECK, at: AT + seconds * 1000, ok, gateway };
      return take(await takeInternet(state, said, sourceOf(agent)));
    },
    address: async (agent: string, address: string, seconds: number, provider = 'AS64500 Example') =>
      take(await takeAddress(state, { t: 'address', at: AT + seconds * 1000, address, provider }, sourceOf(agent))),
    speed: (downloadMbps: number, seconds: number, agent = 'attic') => {
      const result = { server: 'x', pingMs: 10, downloadMbps, uploadMbps: 20 };
      return take(takeSpeed(state, result, { site: 'home', agent, at: AT + seconds * 1000 }));
    },
  };
}

describe('the internet', () => {
  test('is lost when each agent says so that has a check of it', async () => {
    const { says } = openSite({ attic: 0, cellar: 0, shed: 0 });
    await says('attic', true, 1);
    await says('cellar', true, 1);
    expect(await says('attic', false, 100, false)).toEqual([]);
    const why = 'the gateway does not answer: the router, or the wire to it';
    expect(await says('cellar', false, 130, false)).toEqual([['internet-lost', 130, { why }]]);
    expect(await says('attic', true, 200)).toEqual([['internet-back', 200, { seconds: 70, why }]]);
    expect(await says('cellar', true, 210)).toEqual([]);
  });

  test('an agent that has connected since cannot say that it was there', async () => {
    const { says } = openSite({ attic: 500, cellar: 490 });
    await says('cellar', true, 1);
    expect(await says('attic', false, 100)).toHaveLength(1);
    expect(await says('attic', true, 480)).toHaveLength(1);
    expect(await says('cellar', false, 110)).toEqual([]);
    expect(await says('cellar', true, 485)).toEqual([]);
  });
});

test('another public address makes an event; the first one, an older one and that of another connection do not', async () => {
  const { address } = openSite({ attic: 0, cellar: 0 });
  expect(await address('attic', '203.0.113.7', 10)).toEqual([]);
  expect(await address('cellar', '198.51.100.1', 20)).toEqual([]);
  expect(await address('attic', '203.0.113.8', 5)).toEqual([]);
  expect(await address('attic', '203.0.113.9', 30, 'AS64501 Other')).toEqual([
    ['address-changed', 30, { from: '203.0.113.7', to: '203.0.113.9', provider: 'AS64501 Other' }],
  ]);
});

test('far below the median of at least five speed tests of the same agent is slow, and above three quarters well', () => {
  const { speed } = openSite();
  for (let i = 0; i < 5; i++) expect(speed(i === 0 ? 20 : 200, i)).toEqual([]);
  expect(speed(90, 5, 'cellar')).toEqual([]);
  expect(speed(99, 6)).toEqual([['speed-low', 6, { downMbps: 99, usualMbps: 200 }]]);
  expect(speed(99, 6)).toEqual([]);
  for (const [i, down] of [80, 140].entries()) expect(speed(down, 7 + i)).toEqual([]);
  expect(speed(190, 10)).toEqual([['speed-normal', 10, { downMbps: 190, usualMbps: 170 }]]);
});
