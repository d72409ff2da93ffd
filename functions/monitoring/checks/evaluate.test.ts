import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventDetail, EventSubject } from '../../../shared/api/events.ts';
import type { Observed } from '../outages/observe.ts';
import { ALL_WELL, type SiteState } from '../outages/site-state.ts';
import type { MadeCheck } from './check-makers.ts';
import type { StoredCheck } from './check-store.ts';
import { recoveriesIn, reevaluate, takeCertificate, takeCheck, takePath } from './evaluate.ts';

const NAS = '0000000000aa';
const CABIN = '0000000000bb';
const START = Date.UTC(2026, 10, 1, 8);
const DAY = 86_400_000;
const at = (seconds: number) => START + seconds * 1000;

function check(id: string, more: Partial<StoredCheck> = {}): StoredCheck {
  const settings = { everySeconds: 60, agents: 'all' as const, enabled: true, createdAt: '', createdBy: 'x' };
  return { id, label: `check ${id}`, kind: 'ping', host: '192.168.1.20', ...settings, ...more };
}

function made(one: StoredCheck, ...makers: string[]): MadeCheck {
  return { check: one, probe: { kind: 'ping', host: '192.168.1.20' }, makers };
}

const nas = check(NAS, { device: '00:1E:06:AA:BB:01' });
const cabin = check(CABIN, { kind: 'site', toSite: 'cabin' });

/** A site of which agents tell, one change after the other. */
function site(checks: () => readonly MadeCheck[]) {
  let state: SiteState = ALL_WELL;
  const occurrences: Observed['occurrences'][number][] = [];
  const take = ({ state: after, occurrences: more }: Observed) => {
    state = after;
    occurrences.push(...more);
    return more;
  };
  const speaker = (agent: string, now = at(100_000)) => ({ agent, now: new Date(now), checks: async () => checks() });
  return {
    occurrences,
    get state() {
      return state;
    },
    async says(agent: string, ok: boolean, second: number, id = NAS, reason = 'no answer') {
      return take(await takeCheck(state, { t: 'check', check: id, at: at(second), ok, reason }, speaker(agent)));
    },
    async certificate(agent: string, change: { endsAt: number; soon: boolean }, now = START) {
      const whole = { t: 'certificate' as const, check: NAS, at: now, ...change };
      return take(await takeCertificate(state, whole, speaker(agent, now)));
    },
    async path(agent: string, ...hops: string[]) {
      return take(await takePath(state, { t: 'path', check: CABIN, at: at(1), hops }, speaker(agent)));
    },
    connected(...agents: string[]) {
      return take(reevaluate(state, checks(), new Set(agents), at(50_000)));
    },
  };
}

describe('one agent', () => {
  test('a reason is legible and short, a time is not of the future, and a check may be about no device', async () => {
    const home = site(() => [made(cabin, 'a')]);
    const [event] = await home.says('a', false, 10 ** 9, CABIN, `\u202edark\u0007\n${'x'.repeat(1_000)}`);
    expect(event).toMatchObject({ at: at(100_000) / 1000, subject: { id: CABIN } });
    expect(event).not.toHaveProperty('device');
    expect(event?.detail?.reason).toMatch(/^dark x{290,295}$/);
    EventDetail.parse(event?.detail);
    EventSubject.parse(event?.subject);
  });

  test('who is not given a check has no say, nor has anybody about a check that is not there, or the internet', async () => {
    const home = site(() => [made(nas, 'a'), made(check(CABIN, { kind: 'internet' }), 'a')]);
    await home.says('b', false, 1);
    await home.says('a', false, 1, '0000000000ff');
    await home.says('a', false, 1, CABIN);
    expect(home.state).toBe(ALL_WELL);
    expect(home.occurrences).toEqual([]);
  });
});

describe('two agents', () => {
  test('when one is lost, the word of the other holds; when it is back, what it measures counts', async () => {
    let makers = ['a', 'b'];
    const home = site(() => [made(nas, ...makers)]);
    await home.says('a', true, 0);
    await home.says('b', false, 10);
    makers = ['b'];
    expect(home.connected('b')).toMatchObject([{ type: 'check-down', at: at(50_000) / 1000 }]);
    makers = ['a', 'b'];
    expect(home.connected('a', 'b')).toEqual([]);
    const from = at(60_000);
    const points = { from, before: null, checks: [[NAS, [[240, 1.5, 5, 0, null]]]] as never };
    expect(recoveriesIn(home.state, 'a', points, new Date(from + 3_600_000))).toEqual([]);
    const said = recoveriesIn(home.state, 'a', points, new Date(from + 300_000));
    expect(said).toEqual([{ t: 'check', check: NAS, at: from + 240_000, ok: true }]);
    // What an agent has said of a failure is not taken back by what it measured before.
    const failing = { ...home.state, failing: { [NAS]: { a: { since: from + 250_000, reason: '' } } } };
    expect(recoveriesIn(failing, 'a', points, new Date(from + 300_000))).toEqual([]);
  });

  test('who is relieved of a check begins anew with it; of what is removed nothing stays', async () => {
    let checks = [made(nas, 'a', 'b'), made(cabin, 'a')];
    const home = site(() => checks);
    await home.says('a', false, 10);
    await home.says('b', false, 10);
    await home.path('a', '192.168.1.1');
    checks = [made(nas, 'b'), made(cabin, 'a')];
    home.connected('b');
    expect(home.state.failing).toMatchObject({ [NAS]: { a: {}, b: {} } });
    home.connected('a', 'b');
    expect(home.state.failing).toEqual({ [NAS]: { b: { since: at(10), reason: 'no answer' } } });
    const before = home.state;
    home.connected('a', 'b');
    expect(home.state).toBe(before);
    checks = [];
    home.connected('a', 'b');
    expect(home.state).toEqual(ALL_WELL);
  });

  test('in any order, with any repetitions and losses: down is what all connected agents report, with events in turn', async () => {
    const agents = ['a', 'b'] as const;
    const word = fc.record({ agent: fc.constantFrom(...agents), ok: fc.boolean(), again: fc.nat(2) });
    const change = fc.record({ connected: fc.constantFrom(['a'], ['b'], ['a', 'b']) });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof({ weight: 3, arbitrary: word }, change), { maxLength: 30 }), async (steps) => {
        let connected: readonly string[] = agents;
        const home = site(() => [made(nas, ...connected)]);
        const last = new Map<string, boolean>();
        for (const [second, step] of steps.entries()) {
          if ('connected' in step) {
            connected = step.connected;
            home.connected(...connected);
          } else if (connected.includes(step.agent)) {
            last.set(step.agent, step.ok);
            for (let i = 0; i <= step.again; i++) await home.says(step.agent, step.ok, second);
          }
          const isDown = home.state.downSince[NAS] !== undefined;
          // Who is back and has said nothing since keeps down what is down.
          if (connected.every((agent) => last.get(agent) === false)) expect(isDown).toBe(true);
          if ('agent' in step && connected.includes(step.agent) && step.ok) expect(isDown).toBe(false);
          for (const agent of agents)
            expect(home.state.failing[NAS]?.[agent] !== undefined).toBe(last.get(agent) === false);
          const types = home.occurrences.map(({ type }) => type);
          expect(types).toEqual(types.map((_, i) => (i % 2 === 0 ? 'check-down' : 'check-up')));
          expect(types.length % 2 === 1).toBe(isDown);
        }
      }),
    );
  });
});

test('the end of a certificate makes one event 21, 7 and 1 days before, for any agents that report it, however often it changes', async () => {
  const home = site(() => [made(nas, 'a', 'b')]);
  const endsAt = START + 20.5 * DAY;
  const other = START + 200 * DAY;
  expect(await home.certificate('a', { endsAt: other, soon: false })).toEqual([]);
  const detail = { endsAt: new Date(endsAt).toISOString(), days: 21 };
  expect(await home.certificate('a', { endsAt, soon: true })).toMatchObject([{ type: 'certificate-ending', detail }]);
  expect(await home.certificate('b', { endsAt, soon: true })).toEqual([]);
  // Two servers behind one name.
  await home.certificate('a', { endsAt: other, soon: false });
  expect(home.state.certificates[NAS]?.endsAt).toBe(other);
  expect(await home.certificate('a', { endsAt, soon: true })).toEqual([]);
  const daysWarned: string[] = [];
  for (const days of [13, 14, 14.1, 19.9, 22]) {
    const events = await home.certificate('b', { endsAt, soon: true }, START + days * DAY);
    daysWarned.push(...events.map((event) => `${days} ${event.detail?.days}`));
  }
  expect(daysWarned).toEqual(['14 7', '19.9 1']);
});

test('another path makes an event; a hop that replies now and then is none, and each agent has its own', async () => {
  const home = site(() => [made(cabin, 'a', 'b')]);
  expect(await home.path('a', '192.168.1.1', '', '198.51.100.7')).toEqual([]);
  expect(await home.path('b', '192.168.1.2', '198.51.100.7')).toEqual([]);
  expect(await home.path('a', '192.168.1.1', '10.0.0.1', '198.51.100.7', '', '')).toEqual([]);
  expect(await home.path('a', '192.168.1.1', '', '198.51.100.7')).toEqual([]);
  expect(await home.path('a')).toEqual([]);
  const detail = { from: '192.168.1.1 → 10.0.0.1 → 198.51.100.7', to: '192.168.1.1 → * → 198.51.100.9' };
  const changed = await home.path('a', '192.168.1.1', 'evil\u0007', '198.51.100.9');
  expect(changed).toMatchObject([{ type: 'route-changed', detail }]);
  const long = Array.from({ length: 30 }, (_, i) => `2001:db8:1111:2222:3333:4444:5555:${(i + 1).toString(16)}`);
  const [event] = await home.path('a', ...long);
  expect(EventDetail.safeParse(event?.detail).success).toBe(true);
});
