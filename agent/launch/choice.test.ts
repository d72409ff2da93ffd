import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareVersions } from '../../shared/agent/version-order.ts';
import { chooseProgram, giveUp, MAX_STARTS, prove, type Surroundings } from './choice.ts';
import { type InstalledProgram, NO_UPDATES, parseRecord, type UpdateRecord } from './record.ts';

const NOW = 1_790_000_000_000;
const program = (version: string, node = '20.19.0'): InstalledProgram => ({ version, node, sha256: 'a'.repeat(64) });
const [V2, V3] = [program('1.2.0'), program('1.3.0')];
const trial = (starts: number, tried = V3) => ({ ...tried, starts });
const HERE: Surroundings = { packaged: '1.1.0', node: '22.4.1', isIntact: () => true, now: NOW };
const damaged = ({ version }: InstalledProgram): Partial<Surroundings> => ({
  isIntact: (other) => other.version !== version,
});

test.each<[string, Partial<UpdateRecord>, Partial<Surroundings>, string | null, Partial<UpdateRecord>]>([
  ['a proven program is started', { proven: V2 }, {}, '1.2.0', { proven: V2 }],
  ['one on trial goes first, and is counted', { proven: V2, trial: trial(0) }, {}, '1.3.0', { trial: trial(1) }],
  [
    'after that the one before is started, and it is given up',
    { proven: V2, trial: trial(MAX_STARTS) },
    {},
    '1.2.0',
    { proven: V2, trial: null, givenUp: '1.3.0', last: failed('1.3.0', 'it ended 3 times') },
  ],
  ['the package is as new as the proven one', { proven: V2 }, { packaged: '1.2.0' }, null, { proven: null }],
  ['or newer', { proven: V2, givenUp: '1.3.0' }, { packaged: '1.10.0' }, null, { proven: null, givenUp: '1.3.0' }],
  [
    'the package brings what was on trial',
    { proven: V2, trial: trial(1) },
    { packaged: '1.3.0' },
    null,
    { proven: null, trial: null, last: { version: '1.3.0', state: 'done', reason: null, at: NOW } },
  ],
  [
    'its file is damaged: it may come again',
    { proven: V2, trial: trial(1) },
    damaged(V3),
    '1.2.0',
    { trial: null, givenUp: null, last: failed('1.3.0', 'missing or damaged') },
  ],
  [
    'the Node.js of the host became older',
    { proven: program('1.2.0', '22.5.0') },
    {},
    null,
    { proven: null, last: failed('1.2.0', 'needs Node.js 22.5.0 or newer, and this host runs it with 22.4.1') },
  ],
  ['a Node.js with a longer name', { proven: V2 }, { node: 'v20.19.0-rc.1' }, '1.2.0', {}],
])('%s', (_, record, surroundings, version, expected) => {
  const choice = chooseProgram({ ...NO_UPDATES, ...record }, { ...HERE, ...surroundings });
  expect(choice.program?.version ?? null).toBe(version);
  expect(choice.isTrial).toBe(version === '1.3.0');
  expect(choice.record).toMatchObject(expected);
});

function failed(version: string, reason: string) {
  return { version, state: 'failed' as const, reason: expect.stringContaining(reason), at: NOW };
}

test('a healthy version is used from then on; an unhealthy one is reported, and given up', () => {
  const record = { ...NO_UPDATES, proven: V2, trial: trial(1), givenUp: '1.2.5' };
  const done = { version: '1.3.0', state: 'done', reason: null, at: NOW };
  expect(prove(record, NOW)).toEqual({ proven: V3, trial: null, givenUp: null, last: done });
  const last = { ...done, state: 'failed', reason: 'why' };
  expect(giveUp(record, 'why', NOW)).toEqual({ proven: V2, trial: null, givenUp: '1.3.0', last });
});

const version = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)).map((parts) => parts.join('.'));
const installed = fc.record({ version, node: version, sha256: fc.constantFrom('a'.repeat(64), 'b'.repeat(64)) });
const aRecord: fc.Arbitrary<UpdateRecord> = fc.record({
  proven: fc.option(installed),
  trial: fc.option(fc.tuple(installed, fc.nat(5)).map(([one, starts]) => ({ ...one, starts }))),
  givenUp: fc.option(version),
  last: fc.constant(null),
});

test('whatever the record says: what is started is newer than the package, whole, and soon none on trial', () => {
  fc.assert(
    fc.property(aRecord, version, version, (given, packaged, node) => {
      const surroundings = { packaged, node, isIntact: ({ sha256 }: InstalledProgram) => sha256[0] === 'a', now: NOW };
      let record = given;
      for (let start = 0; ; start++) {
        const choice = chooseProgram(record, surroundings);
        if (choice.program !== null) {
          expect(compareVersions(choice.program.version, packaged)).toBeGreaterThan(0);
          expect(compareVersions(choice.program.node, node)).toBeLessThanOrEqual(0);
          expect(choice.program.sha256[0]).toBe('a');
        }
        record = choice.record;
        if (!choice.isTrial) break;
        expect(start).toBeLessThan(MAX_STARTS);
      }
      // The next start finds the same, and has nothing to record.
      expect(chooseProgram(record, surroundings).record).toBe(record);
    }),
  );
});

test('a forged record is never parsed to more than its schema', () => {
  const forged = fc.oneof(fc.jsonValue(), fc.object({ key: fc.constantFrom('proven', 'trial', 'last', 'starts') }));
  const parsed = (json: unknown) => parseRecord(JSON.parse(JSON.stringify(json)));
  fc.assert(fc.property(forged, (json) => void expect(parsed(json)).toEqual(NO_UPDATES)));
  const last = { version: '1.0.0', state: 'failed' as const, reason: 'why', at: 1 };
  const record = { proven: V2, trial: trial(2), givenUp: '1.0.0', last };
  expect(parsed(record)).toEqual(record);
  for (const path of ['../../etc', '1.2.0/../../x', '1.2', '1.2.0\n', '']) {
    expect(parseRecord({ ...record, proven: { ...V2, version: path } })).toMatchObject({ proven: null });
  }
});
