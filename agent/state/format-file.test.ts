/** The number of the format in the state directory of an agent. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FORMAT, otherFormat } from '../../shared/format.ts';
import { listingOf } from '../../test/support/listing.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { hasFormat } from './format-file.ts';
import { prepareStateDirectory, requireOwnStateDirectory } from './ownership.ts';

test.each([
  ['no number', null, null],
  ['a lower number', `${FORMAT - 1}\n`, FORMAT - 1],
  ['a greater number', `${FORMAT + 1}\n`, FORMAT + 1],
  ['a number that is none', 'three', null],
  ['an empty number', '', null],
])('a state directory with %s is refused, and left as it is', async (_, text, found) => {
  await using folder = makeTestFolder();
  const state = join(folder.path, 'state');
  mkdirSync(join(state, 'update'), { recursive: true, mode: 0o700 });
  chmodSync(state, 0o750);
  for (const name of ['identity.json', 'update/record.json', 'journal.jsonl']) writeFileSync(join(state, name), name);
  if (text !== null) writeFileSync(join(state, 'format'), text);
  const before = listingOf(folder.path);
  const message = otherFormat(`The state directory ${state}`, found);
  await expect(requireOwnStateDirectory(state)).rejects.toThrow(message);
  await expect(prepareStateDirectory(state)).rejects.toThrow(message);
  expect(listingOf(folder.path)).toEqual(before);
});

test('an empty one gets the number, and so does one in which only its operator has put something', async () => {
  await using folder = makeTestFolder();
  for (const names of [[], ['policy.json', 'snmp.json', 'sources.json', 'notes', 'format.tmp', 'lock']]) {
    const state = join(folder.path, `state-${names.length}`);
    mkdirSync(state, { mode: 0o700 });
    for (const name of names) writeFileSync(join(state, name), name);
    await requireOwnStateDirectory(state);
    expect(hasFormat(state)).toBe(false);
    await prepareStateDirectory(state);
    expect(readFileSync(join(state, 'format'), 'utf8')).toBe(`${FORMAT}\n`);
    expect(hasFormat(state)).toBe(true);
    writeFileSync(join(state, 'identity.json'), '{}');
    await prepareStateDirectory(state);
  }
});
