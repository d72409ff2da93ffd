/** A process that dies, or a disk that is full, at each step of an update. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { MAX_STARTS, prove } from './choice.ts';
import { chooseAndRecord, endTrial } from './launch.ts';
import { fileOf, isIntact, readRecord, writeProgram, writeRecord } from './record.ts';

const realSync = fs.fsyncSync;
beforeAll(() => {
  fs.fsyncSync = () => {}; // The disk itself does not fail here, and is slow.
  syncBuiltinESMExports();
});
afterAll(() => {
  fs.fsyncSync = realSync;
  syncBuiltinESMExports();
});

const HERE = { packaged: '1.0.0', node: '22.0.0', now: 1_790_000_000_000 };
const BEFORE = '1.1.0';
const AFTER = '1.2.0';

function install(folder: string, version: string): void {
  const sha256 = writeProgram(folder, version, Buffer.from(`// ${version}\n`.repeat(100)));
  const trial = { version, sha256, node: '20.0.0', starts: 0 };
  const last = { version, state: 'installing' as const, reason: null, at: 1 };
  writeRecord(folder, { ...readRecord(folder), trial, last });
}

const start = (folder: string) => chooseAndRecord(folder, HERE, true);

/** An agent that was updated before, from its packaged version to another. */
function settled(folder: string): void {
  install(folder, BEFORE);
  start(folder);
  writeRecord(folder, prove(readRecord(folder), 1));
}

/** Everything that changes the disk. */
const STEPS = ['openSync', 'writeSync', 'fsyncSync', 'renameSync', 'rmSync'] as const;

/**
 * Lets nothing change the disk from the step with this number on, in the middle of it. `forGood`: the process is dead; else
 * the disk takes nothing more, but it can still be read and tidied.
 * @returns whether there was such a step
 */
function failFrom(step: number, forGood: boolean, act: () => void): boolean {
  let steps = 0;
  for (const name of STEPS) {
    const real = fs[name] as (...args: unknown[]) => unknown;
    vi.spyOn(fs, name).mockImplementation(((...args: unknown[]) => {
      if (name === 'openSync' && args[1] === 'r') return real(...args);
      if (name === 'rmSync' && !forGood) return real(...args);
      if (steps++ < step) return real(...args);
      // Of what was to be written, a part is there.
      if (name === 'writeSync' && args[1] instanceof Uint8Array) real(args[0], args[1].subarray(0, 100));
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    }) as never);
  }
  syncBuiltinESMExports();
  try {
    act();
  } catch {}
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  return steps > step;
}

function installAndStart(folder: string): void {
  install(folder, AFTER);
  start(folder);
}

const leaveHalf = (folder: string) => fs.writeFileSync(join(folder, `${fileOf({ version: AFTER })}.tmp`), 'x');

/** What is done with the state, after `settled` and what comes before it. */
const ACTS: [string, (folder: string) => void, (folder: string) => void][] = [
  ['it is installed', () => {}, (folder) => install(folder, AFTER)],
  ['it is installed over one that was left half', leaveHalf, (folder) => install(folder, AFTER)],
  ['it is started', (folder) => install(folder, AFTER), (folder) => void start(folder)],
  ['it is proven', installAndStart, (folder) => writeRecord(folder, prove(readRecord(folder), 2))],
  ['it is given up', installAndStart, (folder) => void endTrial(folder, AFTER, 'why')],
];

test.each(ACTS)(
  'whatever fails while %s: a whole program is started, and soon one that is not on trial',
  (_, prepare, act) => {
    for (const forGood of [true, false]) {
      for (let step = 0, failed = true; failed; step++) {
        using folder = makeTestFolder();
        settled(folder.path);
        prepare(folder.path);
        failed = failFrom(step, forGood, () => act(folder.path));
        expect(failed || step > 3).toBe(true);
        for (let starts = 0; ; starts++) {
          const { program, isTrial } = start(folder.path);
          expect([BEFORE, AFTER]).toContain(program?.version);
          expect(program !== null && isIntact(folder.path, program)).toBe(true);
          if (!isTrial) break;
          expect(program?.version).toBe(AFTER);
          expect(starts).toBeLessThan(MAX_STARTS);
        }
        const { proven, trial } = readRecord(folder.path);
        expect(trial).toBeNull();
        expect(fs.readdirSync(folder.path).sort()).toEqual([fileOf({ version: proven?.version ?? '' }), 'record.json']);
      }
    }
  },
);

test('a start that cannot be counted is not that of a program on trial', () => {
  using folder = makeTestFolder();
  settled(folder.path);
  install(folder.path, AFTER);
  const started: (string | undefined)[] = [];
  failFrom(0, false, () => {
    for (let i = 0; i <= MAX_STARTS; i++) started.push(start(folder.path).program?.version);
  });
  expect(started).toEqual([BEFORE, BEFORE, BEFORE, BEFORE]);
  expect(start(folder.path)).toMatchObject({ isTrial: true, program: { version: AFTER } });
});

test('nothing is counted, and nothing removed, while another agent runs', () => {
  using folder = makeTestFolder();
  settled(folder.path);
  install(folder.path, AFTER);
  const before = readRecord(folder.path);
  fs.writeFileSync(join(folder.path, 'agent-1.3.0.mjs.tmp'), 'half of it');
  expect(chooseAndRecord(folder.path, HERE, false)).toMatchObject({ isTrial: true });
  expect(readRecord(folder.path)).toEqual(before);
  expect(fs.readdirSync(folder.path)).toContain('agent-1.3.0.mjs.tmp');
});
