import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Output, PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { ENDED } from '../../test/support/made-up-result.ts';
import { type JobEvent, JobTracker } from './job-tracker.ts';

const ID = 'home.01934c1e-5f00-7a11-8a22-0123456789ab';
const output = (at: number, text: string): Output => ({ v: PROTOCOL_VERSION, t: 'output', id: ID, at, text });

test('pieces that overlap and repeat, in order of their places, are put together without doubling anything', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), fc.array(fc.tuple(fc.nat(200), fc.nat(80))), (whole, cuts) => {
      const tracker = new JobTracker({ id: ID, agent: 'home:main', tool: 'nmap' });
      const pieces = cuts.map(([at, length]) => ({ at: Math.min(at, whole.length), length }));
      for (const { at, length } of [...pieces, { at: 0, length: whole.length }]) {
        tracker.take(output(at, whole.slice(at, at + length)));
        expect(whole.startsWith(tracker.text)).toBe(true);
      }
      expect(tracker.text).toBe(whole);
    }),
  );
});

test('a piece that is missing is noticed, and filled in by a repetition from there on', () => {
  const tracker = new JobTracker({ id: ID, agent: 'home:main', tool: 'nmap' });
  tracker.take(output(0, 'abc'));
  tracker.take(output(6, 'ghi'));
  expect([tracker.text, tracker.hasGap]).toEqual(['abc', true]);
  tracker.take(output(3, 'defghi'));
  expect([tracker.text, tracker.hasGap]).toEqual(['abcdefghi', false]);
});

async function eventsOf(tracker: JobTracker, from: number): Promise<JobEvent[]> {
  const seen: JobEvent[] = [];
  for await (const event of tracker.events(from, tracker.ended)) seen.push(event);
  return seen;
}

test('events: earlier reports, then new ones, from the requested position on, until the end', async () => {
  const tracker = new JobTracker({ id: ID, agent: 'home:main', tool: 'nmap' });
  tracker.take({ v: PROTOCOL_VERSION, t: 'ack', id: ID, state: 'queued', at: 1, position: 2 });
  tracker.take(output(0, 'one\ntwo\n'));
  const seen = eventsOf(tracker, 4);
  await new Promise(setImmediate);
  tracker.take({ v: PROTOCOL_VERSION, t: 'ack', id: ID, state: 'running', at: 2 });
  await new Promise(setImmediate);
  tracker.take({ v: PROTOCOL_VERSION, t: 'progress', id: ID, seq: 0, phase: 'scan', percent: 50 });
  tracker.take(output(8, 'three\n'));
  tracker.end(ENDED);
  expect(await seen).toEqual([
    { type: 'accepted', state: 'queued', position: 2 },
    { type: 'output', at: 4, text: 'two\n' },
    { type: 'accepted', state: 'running', position: null },
    { type: 'output', at: 8, text: 'three\n' },
    { type: 'progress', phase: 'scan', percent: 50 },
  ]);
});

test.each([
  ['has run', 1, [{ type: 'accepted', state: 'finished', position: null }]],
  ['was refused', null, []],
])('the events of a command that %s and of which only the result was heard', async (_, startedAt, expected) => {
  const tracker = new JobTracker({ id: ID, agent: 'home:main', tool: 'nslookup' });
  const seen = eventsOf(tracker, 0);
  tracker.end({ ...ENDED, startedAt });
  expect(await seen).toEqual(expected);
});
