import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { NO_UPDATES, type UpdateRecord, writeRecord } from '../launch/record.ts';
import { checkUpdates } from './updates.ts';

test('which version runs, which one is on trial, and why one failed', () => {
  using folder = makeTestFolder();
  expect(checkUpdates(folder.path, '1.1.0')).toBeNull();
  const update = join(folder.path, 'update');
  mkdirSync(update);
  const found = (record: Partial<UpdateRecord>, packaged = '1.1.0') => {
    writeRecord(update, { ...NO_UPDATES, ...record });
    return checkUpdates(folder.path, packaged);
  };
  const proven = { version: '1.2.0', sha256: 'a'.repeat(64), node: '20.19.0' };
  const message = 'the version is 1.2.0, installed by an update of 1.1.0';
  expect(found({ proven })).toMatchObject({ state: 'ok', message });
  expect(found({ proven }, '1.2.0')).toMatchObject({ state: 'ok', message: 'the version is 1.2.0' });
  const trial = { ...proven, version: '1.3.0', starts: 1 };
  expect(found({ proven, trial })).toMatchObject({ state: 'ok', message: `${message}; 1.3.0 is on trial` });
  const last = { version: '1.3.0', state: 'failed' as const, reason: 'it\nbroke', at: Date.UTC(2026, 10, 2) };
  expect(found({ last })).toMatchObject({
    state: 'warning',
    message: 'the version is 1.1.0; 1.3.0 failed on 2026-11-02: it broke',
  });
});
