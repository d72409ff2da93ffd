import { chmodSync, chownSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { endTrial, folderOfPrograms, leaveProgram, START_AGAIN, statusAfterTrial } from './launch.ts';
import { NO_UPDATES, readRecord, writeRecord } from './record.ts';

const PROGRAM = { version: '1.2.0', sha256: 'a'.repeat(64), node: '20.19.0' };
const ON_TRIAL = { ...NO_UPDATES, trial: { ...PROGRAM, starts: 1 } };
const NOBODY = 65_534;

test('nothing is started from a folder that others could have written into', () => {
  using state = makeTestFolder();
  const update = join(state.path, 'update');
  expect(folderOfPrograms(state.path)).toBeNull();
  mkdirSync(update, { mode: 0o700 });
  expect(folderOfPrograms(state.path)).toBe(update);
  for (const folder of [update, state.path]) {
    chmodSync(folder, 0o770);
    expect(folderOfPrograms(state.path)).toBeNull();
    chmodSync(folder, 0o700);
  }
  expect(folderOfPrograms(state.path)).toBe(update);
  renameSync(update, join(state.path, 'elsewhere'));
  symlinkSync('elsewhere', update);
  expect(folderOfPrograms(state.path)).toBeNull();
});

test('root starts nothing from the state of another user', (context) => {
  context.skip(process.getuid?.() !== 0, 'only root can give folders away');
  using state = makeTestFolder();
  const update = join(state.path, 'update');
  mkdirSync(update, { mode: 0o700 });
  chownSync(state.path, NOBODY, NOBODY);
  expect(folderOfPrograms(state.path)).toBeNull();
  chownSync(state.path, 0, 0);
  chownSync(update, NOBODY, NOBODY);
  expect(folderOfPrograms(state.path)).toBeNull();
});

test('after a trial the process ends so that it is started again, unless it was stopped', () => {
  using folder = makeTestFolder();
  writeRecord(folder.path, ON_TRIAL);
  const after = (...all: number[]) => all.map((status) => statusAfterTrial(folder.path, '1.2.0', status));
  expect(after(0, 1, 2, 75)).toEqual([0, 1, START_AGAIN, 75]);
  expect(endTrial(folder.path, '1.2.0', 'why')).toBe(true);
  expect(after(0, 1, 2)).toEqual([75, 75, 75]);
  writeRecord(folder.path, { ...NO_UPDATES, proven: PROGRAM });
  expect(after(0, 1, 2)).toEqual([0, 1, 2]);
});

test('the end of a trial is that of one program; what cannot be loaded is left also when it is proven', () => {
  using folder = makeTestFolder();
  writeRecord(folder.path, ON_TRIAL);
  expect(endTrial(folder.path, '1.1.0', 'why')).toBe(false);
  expect(readRecord(folder.path)).toEqual(ON_TRIAL);
  writeRecord(folder.path, { ...NO_UPDATES, proven: PROGRAM });
  expect(endTrial(folder.path, '1.2.0', 'why')).toBe(false);
  leaveProgram(folder.path, '1.2.0', 'it cannot be loaded');
  const last = { version: '1.2.0', state: 'failed', reason: 'it cannot be loaded' };
  expect(readRecord(folder.path)).toMatchObject({ proven: null, last });
});
