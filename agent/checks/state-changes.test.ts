import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Change } from '../../shared/agent/measurements.ts';
import type { PlannedCheck, Probe } from '../../shared/agent/plan.ts';
import { DAY_MS, MINUTE_MS } from '../../shared/time.ts';
import { reportedState, subjectOf } from '../measurements/reported.ts';
import { answered, type Finding, notSent, unanswered } from './finding.ts';
import { changesAfter, nothingRemembered, wantsPath } from './state-changes.ts';

const ID = '00000000000a';

/** A check whose changes are reported as soon as there are any. */
function checkOf(probe: Probe) {
  const check: PlannedCheck = { id: ID, everySeconds: 60, probe };
  const known = new Map<string, Change>();
  const reported = () => reportedState(ID, (subject) => known.get(subject));
  const memory = nothingRemembered();
  return {
    memory,
    reported,
    after(finding: Finding, at: number): Change[] {
      const changes = changesAfter(check, finding, at, reported(), memory);
      for (const change of changes) known.set(subjectOf(change), change);
      return changes;
    },
    restart: () => Object.assign(memory, nothingRemembered()),
  };
}
const ping = () => checkOf({ kind: 'ping', host: '10.0.0.7' });
const [UP, DOWN] = [answered(1), unanswered('no answer')];

test('two failures in a row are reported once, with the time of the first; so is the first success', () => {
  const check = ping();
  expect(check.after(UP, 1)).toEqual([{ t: 'check', check: ID, at: 1, ok: true }]);
  expect([UP, DOWN, UP, DOWN].flatMap((finding, i) => check.after(finding, 2 + i))).toEqual([]);
  expect(check.after(DOWN, 6)).toEqual([{ t: 'check', check: ID, at: 5, ok: false, reason: 'no answer' }]);
  expect(check.after(DOWN, 7)).toEqual([]);
  check.restart();
  expect([8, 9, 10].flatMap((at) => check.after(DOWN, at))).toEqual([]);
  expect(check.after(UP, 11)).toEqual([{ t: 'check', check: ID, at: 11, ok: true }]);
});

test('a check that could never be made says why after its first run; one that was well waits for a second', () => {
  const unreadable = notSent('its output cannot be read');
  const check = ping();
  expect(check.after(unreadable, 1)).toMatchObject([{ at: 1, ok: false, reason: 'its output cannot be read' }]);
  expect([unreadable, DOWN].flatMap((finding) => check.after(finding, 2))).toEqual([]);
  check.after(UP, 3);
  expect(check.after(unreadable, 4)).toEqual([]);
});

test('whatever happens, and however often the agent is restarted, no state is reported twice', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('up', 'down', 'restart')), (happens) => {
      const check = ping();
      const reported: boolean[] = [];
      let run: boolean[] = [];
      for (const [at, what] of happens.entries()) {
        if (what === 'restart') check.restart();
        run = what === 'restart' ? [] : [...run, what === 'up'];
        for (const change of what === 'restart' ? [] : check.after(what === 'up' ? UP : DOWN, at + 1)) {
          if (change.t === 'check') reported.push(change.ok);
        }
        if (what === 'up') expect(reported.at(-1)).toBe(true);
        if (run.slice(-2).join() === 'false,false') expect(reported.at(-1)).toBe(false);
      }
      expect(reported.filter((ok, i) => reported[i - 1] === ok)).toEqual([]);
    }),
  );
});

test('the internet: what the gateway did is reported with its loss, and again when it is back', () => {
  const check = checkOf({ kind: 'internet', anchors: ['203.0.113.10'] });
  check.after(UP, 1);
  expect(check.after({ ...DOWN, gateway: false }, 2)).toEqual([]);
  expect(check.after({ ...DOWN, gateway: true }, 3)).toEqual([
    { t: 'internet', check: ID, at: 2, ok: false, gateway: true },
  ]);
  expect(check.after(UP, 4)).toEqual([{ t: 'internet', check: ID, at: 4, ok: true, gateway: true }]);
});

test('a certificate is reported when it is another one, and three times before its end', () => {
  const check = checkOf({ kind: 'http', url: 'https://nas.lan/', status: '200' });
  const endsAt = 100 * DAY_MS;
  const days = [1, 50, 78, 79, 80, 92, 93, 94, 98.5, 99, 99.5, 101];
  const reported = days.flatMap((day) => check.after({ ...UP, certificateEndsAt: endsAt }, day * DAY_MS));
  const times = reported.flatMap((change) => (change.t === 'certificate' ? [[change.at / DAY_MS, change.soon]] : []));
  expect(times).toEqual([
    [1, false],
    [79, true],
    [93, true],
    [99, true],
  ]);
  const next = 400 * DAY_MS;
  expect(check.after({ ...UP, certificateEndsAt: next }, 102 * DAY_MS)).toMatchObject([{ endsAt: next, soon: false }]);
  // Two servers behind one name.
  const [other, again] = [endsAt, next].map((end, i) =>
    check.after({ ...UP, certificateEndsAt: end }, 102 * DAY_MS + (i + 1) * MINUTE_MS),
  );
  expect([other, again]).toEqual([[], []]);
});

test('a path is reported when two traces agree on it; silent hops and shared load change nothing', () => {
  const check = checkOf({ kind: 'site', host: '10.9.0.1', site: 'cabin' });
  const trace = (at: number, ...hops: string[][]) => check.after({ ...UP, hops }, at).filter(({ t }) => t === 'path');
  check.after(UP, 1);
  expect(trace(2, ['a'], [], ['c'])).toMatchObject([{ hops: ['a', '', 'c'] }]);
  expect([trace(3, ['a'], ['b'], ['c']), trace(4, [], [], ['c']), trace(5, ['x', 'a'], [], ['c'])].flat()).toEqual([]);
  expect(trace(6, ['a'], ['b'], ['d'], ['c'])).toEqual([]);
  expect(wantsPath(true, 7, check.reported(), check.memory)).toBe(true);
  expect(trace(7, ['a'], [], ['c'])).toEqual([]);
  expect([trace(8, ['a'], ['d']), trace(9, ['a'], ['c'])].flat()).toEqual([]);
  expect(trace(10, ['a'], ['d'])).toEqual([]);
  expect(trace(11, ['a'], ['d'])).toMatchObject([{ at: 11, hops: ['a', 'd'] }]);
});

test('the way is traced when a site fails, when it is back, and once an hour', () => {
  const check = checkOf({ kind: 'site', host: '10.9.0.1', site: 'cabin' });
  const isTraced = (finding: Finding, at: number) => {
    const wanted = wantsPath(finding.fault === null, at, check.reported(), check.memory);
    if (wanted) check.memory.tracedAt = at;
    check.after(finding, at);
    return wanted;
  };
  const minutes = [UP, UP, DOWN, DOWN, DOWN, UP, UP].map((finding, i) => isTraced(finding, (i + 1) * MINUTE_MS));
  expect(minutes).toEqual([true, false, false, true, false, true, false]);
  expect([65, 66, 67].map((minute) => isTraced(UP, minute * MINUTE_MS))).toEqual([false, true, false]);
});
