/** Agents that are lost and back, and sites that go dark: each makes one event, whatever order the agents act in. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Occurrence } from '../../devices/collection/change-row.ts';
import type { Connected } from '../../sites/agents/agent-row.ts';
import { takeConnections } from './connections.ts';
import { SiteState } from './site-state.ts';

const AT = Date.parse('2026-11-01T08:00:00Z');
const NAMES = ['attic', 'cellar'];

function openSite() {
  let state = SiteState.parse({});
  const occurrences: Occurrence[] = [];
  return {
    occurrences,
    state: () => state,
    /** What is known of the agents by name: since when they are connected, or are not (negative), in seconds after AT. */
    see(agents: Record<string, number | null>, seconds: number): string[] {
      const known = Object.entries(agents).map(([name, since]): Connected => {
        const at = AT + Math.abs(since ?? seconds) * 1000;
        return { agent: `home:${name}`, isConnected: since === null ? null : since >= 0, since: at };
      });
      const after = takeConnections(state, 'home', known, AT + seconds * 1000);
      if (after === null) return [];
      state = SiteState.parse(JSON.parse(JSON.stringify(after.state)));
      occurrences.push(...after.occurrences);
      return after.occurrences.map(({ type }) => type);
    },
  };
}
test('an agent that was revoked, and one that was lost long before anybody looked, are no news', () => {
  const { see, state } = openSite();
  see({ attic: 1, cellar: -5 }, 10);
  expect(see({ attic: 1 }, 20)).toEqual([]);
  expect(see({}, 25)).toEqual([]);
  expect(see({ attic: -30 }, 3 * 86_400)).toEqual([]);
  expect(state()).toMatchObject({ lost: { attic: AT + 30_000 }, darkSince: AT + 30_000 });
  expect(see({ attic: 4 * 86_400 }, 4 * 86_400)).toEqual(['agent-back', 'site-back']);
});

test('whatever the agents do and whenever it is looked at: events come in turns, and their lengths add up', () => {
  const Step = fc.record({ agent: fc.nat(1), looks: fc.boolean() });
  fc.assert(
    fc.property(fc.array(Step, { maxLength: 30 }), (steps) => {
      const { see, occurrences } = openSite();
      const agents: Record<string, number | null> = { attic: 1, cellar: 1 };
      for (const [i, { agent, looks }] of steps.entries()) {
        const name = NAMES[agent] ?? '';
        agents[name] = ((agents[name] ?? 0) >= 0 ? -1 : 1) * (i + 2);
        if (looks) see(agents, i + 2);
        if (looks) expect(see(agents, i + 2)).toEqual([]);
      }
      see(agents, steps.length + 2);
      for (const [lost, back] of [
        ['agent-lost', 'agent-back'],
        ['site-dark', 'site-back'],
      ]) {
        for (const id of ['home', 'home:attic', 'home:cellar']) {
          const mine = occurrences.filter(
            ({ type, subject }) => (type === lost || type === back) && subject?.id === id,
          );
          expect(mine.map(({ type }) => type)).toEqual(mine.map((_, i) => (i % 2 === 0 ? lost : back)));
          for (const [i, { at, detail }] of mine.entries())
            if (i % 2 === 1) expect(detail?.seconds).toBe(at - (mine[i - 1]?.at ?? 0));
        }
      }
    }),
  );
});
