import { stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { folderOfEachTest } from '../../test/support/folder-of-tests.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { KINDS, type Kind, UpstreamLog, type UpstreamOptions } from './upstream-log.ts';

const folder = folderOfEachTest();

const log = pino({ level: 'silent' });
const SUBJECTS = ['a', 'b', 'c'];

/** All that the log says. */
function contentOf(upstream: UpstreamLog) {
  const waiting = KINDS.map((kind) => upstream.waiting(kind).map(({ n }) => [n, upstream.read(n)]));
  return { waiting, known: SUBJECTS.map((about) => upstream.known(about)) };
}

async function openIn(path: string, options: UpstreamOptions = {}) {
  const upstream = await UpstreamLog.open(join(path, 'upstream.log'), log, options);
  return { upstream, sizeOf: () => stat(join(path, 'upstream.log')).then(({ size }) => size) };
}

type Step =
  | { do: 'append'; kind: Kind; about: string; body: unknown; isSame: boolean }
  | { do: 'confirm'; kind: Kind; nth: number }
  | { do: 'forget'; about: string };
const about = fc.constantFrom(...SUBJECTS);
const kind = fc.constantFrom(...KINDS);
const steps = (longest: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      fc.record({
        ...{ do: fc.constant('append' as const), kind, about, isSame: fc.boolean() },
        body: fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary', maxLength: longest, size: 'max' })),
      }),
      fc.record({ do: fc.constant('confirm' as const), kind, nth: fc.nat(5) }),
      fc.record({ do: fc.constant('forget' as const), about }),
    ),
    { maxLength: 30 },
  );

async function take(upstream: UpstreamLog, step: Step): Promise<void> {
  if (step.do === 'forget') return upstream.forget((each) => each === step.about);
  const records = upstream.waiting(step.kind);
  if (step.do === 'append') {
    const n = (step.isSame ? records.at(-1)?.n : undefined) ?? upstream.takeNumber();
    expect(await upstream.append(step.kind, n, step.about, step.body)).toBe(true);
  } else {
    const record = records[step.nth];
    if (record !== undefined) upstream.confirm(record.n);
  }
}

test('wherever the file ends after kill -9 or a power cut, it says what was so after one of the steps, and goes on', async () => {
  await fc.assert(
    fc.asyncProperty(steps(200), fc.nat(), steps(20), async (before, cut, after) => {
      await using folder = makeTestFolder();
      const first = await openIn(folder.path);
      const states: { size: number; content: unknown }[] = [{ size: 0, content: contentOf(first.upstream) }];
      for (const step of before) {
        await take(first.upstream, step);
        states.push({ size: await first.sizeOf().catch(() => 0), content: contentOf(first.upstream) });
      }
      await first.upstream.close();
      const size = states.at(-1)!.size === 0 ? 0 : cut % (states.at(-1)!.size + 1);
      if (size > 0) await truncate(join(folder.path, 'upstream.log'), size);
      const second = await openIn(folder.path);
      // A line counts with its last character; what ends it may be missing.
      const expected = size === 0 ? states.at(-1) : states.filter((state) => state.size - 1 <= size).at(-1);
      const content = contentOf(second.upstream);
      expect(content).toEqual(expected!.content);
      for (const step of after) await take(second.upstream, step);
      const last = contentOf(second.upstream);
      await second.upstream.close();
      const third = await openIn(folder.path);
      expect(contentOf(third.upstream)).toEqual(last);
      await third.upstream.close();
    }),
    { numRuns: 60 },
  );
});

test('the file stays small however much is written, and loses nothing that is still needed', async () => {
  const { upstream, sizeOf } = await openIn(folder.path);
  const kept = upstream.takeNumber();
  await upstream.append('result', kept, 'kept', 'x'.repeat(50_000));
  for (let i = 0; i < 200; i++) {
    const n = upstream.takeNumber();
    // Not one after the other: some are being added while the file is rewritten.
    const written = upstream.append('result', n, `${i}`, 'y'.repeat(10_000));
    await Promise.all([written, upstream.append('change', upstream.takeNumber(), SUBJECTS[i % 3]!, i)]);
    upstream.confirm(n);
  }
  expect(await sizeOf()).toBeLessThan(600_000);
  const content = contentOf(upstream);
  expect(upstream.waiting('result')).toEqual([{ n: kept, about: 'kept' }]);
  expect(upstream.waiting('change')).toHaveLength(200);
  await upstream.close();
  const after = await openIn(folder.path);
  expect(contentOf(after.upstream)).toEqual(content);
  expect(after.upstream.takeNumber()).toBeGreaterThan(upstream.waiting('change').at(-1)!.n);
  await after.upstream.close();
});

test('the oldest results go when there are too many, too many bytes, or they are too old', async () => {
  let now = 1_000;
  const limits = { result: { records: 4, bytes: 10_000, ageMs: 5_000 } };
  const { upstream } = await openIn(folder.path, { limits, now: () => now });
  const abouts = () => upstream.waiting('result').map(({ about }) => about);
  const add = (about: string, length: number) =>
    upstream.append('result', upstream.takeNumber(), about, 'x'.repeat(length));
  for (const about of ['1', '2', '3', '4', '5', '6']) await add(about, 10);
  expect(abouts()).toEqual(['3', '4', '5', '6']);
  await add('long', 9_990);
  expect(abouts()).toEqual(['long']);
  now += 5_100;
  expect(abouts()).toEqual([]);
  await upstream.close();
  const after = await openIn(folder.path, { now: () => now });
  expect(after.upstream.waiting('result')).toEqual([]);
  await after.upstream.close();
});

test('what cannot be written is there until it is confirmed, and numbers never go back', async () => {
  let now = 5_000;
  const { upstream } = await openIn(folder.path, { now: () => now });
  const first = upstream.takeNumber();
  now = 1_000;
  const second = upstream.keepNumber();
  expect([first, second]).toEqual([5_000, 5_001]);
  await upstream.close();
  const after = await openIn(folder.path, { now: () => now });
  expect(after.upstream.takeNumber()).toBe(5_002);
  await after.upstream.close();
  expect(await upstream.append('change', second, 'a', 1)).toBe(false);
  expect(upstream.read(second)).toEqual([1]);
  upstream.confirm(second);
  expect([upstream.waiting('change'), upstream.known('a')]).toEqual([[], 1]);
});
