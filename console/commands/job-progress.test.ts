import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exampleJob, type Job } from '../../shared/api/jobs.ts';
import { hasEnded, type JobEvent, MAX_OUTPUT, progressOf, takeEvent } from './job-progress.ts';

const UNKNOWN = { startedAt: null, endedAt: null, output: null, summary: null, result: null };
const job = { ...exampleJob, ...UNKNOWN, state: 'queued' } as unknown as Job;

const output = (at: number, text: string): JobEvent => ({ event: 'output', data: { at, text } });

test('overlapping and repeated pieces add up to the output', () => {
  const printed = fc.string({ minLength: 1, maxLength: 200 });
  const cuts = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 30 });
  fc.assert(
    fc.property(printed, cuts, (text, pieces) => {
      let progress = progressOf(job);
      for (const [a, b] of pieces) {
        // A stream resumes at the requested position, or before it.
        const from = a % (progress.printed + 1);
        progress = takeEvent(progress, output(from, text.slice(from, from + (b % 50))));
        expect(progress.output).toBe(text.slice(0, progress.printed));
      }
      progress = takeEvent(progress, output(0, text));
      expect(progress.output).toBe(text);
    }),
  );
});

test('the stream resumes behind the output of the job', () => {
  const progress = progressOf({ ...job, state: 'running', output: 'one\n' });
  expect(progress.printed).toBe(4);
  expect(takeEvent(progress, output(0, 'one\ntwo\n')).output).toBe('one\ntwo\n');
});

test('of endless output the end stays, and the stream still resumes at the right place', () => {
  const first = takeEvent(progressOf(job), output(0, 'a'.repeat(MAX_OUTPUT)));
  const { output: kept, printed } = takeEvent(first, output(MAX_OUTPUT, 'end'));
  expect([kept.length, kept.slice(-4), printed]).toEqual([MAX_OUTPUT, 'aend', MAX_OUTPUT + 3]);
});

test('states: waiting behind others, running, ended', () => {
  const waiting = takeEvent(progressOf(job), { event: 'accepted', data: { state: 'queued', position: 2 } });
  expect([waiting.job.state, waiting.ahead]).toEqual(['accepted', 2]);
  const running = takeEvent(waiting, { event: 'accepted', data: { state: 'running' } });
  expect([running.job.state, running.ahead]).toEqual(['running', null]);
  const scanning = takeEvent(running, { event: 'progress', data: { phase: 'scanning', percent: 40 } });
  expect([scanning.phase, scanning.percent]).toEqual(['scanning', 40]);
  const ended = takeEvent(scanning, { event: 'result', data: { ...job, state: 'succeeded', output: 'done\n' } });
  expect([ended.job.state, ended.output, ended.phase, ended.percent]).toEqual(['succeeded', 'done\n', null, null]);
  expect([waiting, running, ended].map((one) => hasEnded(one.job))).toEqual([false, false, true]);
});

test('an acknowledgement without a state of progress changes nothing', () => {
  const running = takeEvent(progressOf(job), output(0, 'x'));
  for (const state of ['finished', 'unknown'] as const) {
    expect(takeEvent(running, { event: 'accepted', data: { state } })).toBe(running);
  }
});

test('the live output stays where the job is truncated', () => {
  const live = takeEvent(progressOf(job), output(0, 'all of it'));
  const result = { ...job, state: 'succeeded', output: 'all', truncated: true } as Job;
  expect(takeEvent(live, { event: 'result', data: result }).output).toBe('all of it');
  expect(takeEvent(progressOf(job), { event: 'result', data: result }).output).toBe('all');
});
