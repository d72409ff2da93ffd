import { type Stats, statSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { OwnershipError, requireOwn, requireOwnIfThere, requireOwnStateDirectory } from './ownership.ts';

const entry = (uid: number, mode: number) => ({ uid, mode }) as Stats;

test.each([
  ['ones own', 1000, entry(1000, 0o40700)],
  ['ones own that others can read', 1000, entry(1000, 0o40755)],
  ['one of root', 1000, entry(0, 0o100644)],
  ['one of root, for root', 0, entry(0, 0o100600)],
])('%s is used', (_, uid, found) => {
  expect(() => requireOwn('The file', '/x', found, uid)).not.toThrow();
});

test.each([
  [1000, entry(1001, 0o40700), 'belongs to user 1001 and not to user 1000'],
  [0, entry(1000, 0o40700), 'belongs to user 1000 and not to root'],
  [1000, entry(1000, 0o40720), 'can be changed by other users (its mode is 0720)'],
  [1000, entry(1000, 0o41777), 'can be changed by other users (its mode is 0777)'],
])('user %d gets the reason for a refusal', (uid, found, words) => {
  expect(() => requireOwn('The data folder', '/x', found, uid)).toThrow(`The data folder /x ${words}`);
});

test('after sudo, the message recommends to do without it, or to take the folder over', () => {
  const refused = () => requireOwn('The data folder', '/x', entry(1000, 0o40700), 0);
  expect(refused).toThrow('Start as user 1000, without sudo, or choose another path');
  expect(refused).toThrow('chown -R 0 /x');
});

test('an absent path belongs to no other user', async () => {
  await using folder = makeTestFolder();
  await requireOwnIfThere('The folder', join(folder.path, 'none'));
  await requireOwnIfThere('The folder', folder.path);
  await chmod(folder.path, statSync(folder.path).mode | 0o002);
  await expect(requireOwnIfThere('The folder', folder.path)).rejects.toThrow(OwnershipError);
  await expect(requireOwnStateDirectory(folder.path)).rejects.toThrow(OwnershipError);
});
