import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FORMAT, otherFormat } from '../format.ts';
import { type BackupEnd, END, HEAD, MAX_FILE_BYTES, rowsFile } from './contents.ts';
import { BackupError, headOf, readBackup } from './read-backup.ts';
import { TAR_END, tarHeader, tarPadding } from './tar.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const HEAD_OF_ALL = json({
  format: FORMAT,
  version: '0.2.0',
  madeAt: '2026-11-26T00:00:00.000Z',
  broker: 'mqtts://a:1',
});

type Files = readonly (readonly [name: string, content: Uint8Array])[];

function tarOf(files: Files): Buffer {
  return Buffer.concat([
    ...files.flatMap(([name, content]) => [
      tarHeader({ name, size: content.length }, 0),
      content,
      tarPadding(content.length),
    ]),
    TAR_END,
  ]);
}

function backupOf(files: Files): Buffer {
  const all: Files = [[HEAD, HEAD_OF_ALL], ...files];
  const end: BackupEnd = {
    rows: 1,
    files: all.map(([name, content]) => ({ name, size: content.length, sha256: sha256(content) })),
  };
  return tarOf([...all, [END, json(end)]]);
}

async function read(bytes: Uint8Array, chunk = 700): Promise<(readonly [string, string])[]> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  const found: [string, string][] = [];
  for await (const { name, content } of readBackup(chunks(), sha256))
    found.push([name, Buffer.from(content).toString()]);
  return found;
}

const FILES: Files = [
  ['state.json', Buffer.from('{}')],
  ['ca/revoked', Buffer.alloc(0)],
  [rowsFile(0), Buffer.from(`${'x'.repeat(1_300)}\n`)],
];
const WHOLE = backupOf(FILES);

test('is read as it was written, however it arrives', async () => {
  const written = FILES.map(([name, content]) => [name, Buffer.from(content).toString()]);
  for (const chunk of [1, 511, 512, 100_000]) {
    const found = await read(WHOLE, chunk);
    expect(found.slice(1, -1)).toEqual(written);
    expect([found[0]?.[0], found.at(-1)?.[0]]).toEqual([HEAD, END]);
  }
});

test('one that is cut anywhere never comes to its end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: WHOLE.length - 1 }), async (length) => {
      await expect(read(WHOLE.subarray(0, length))).rejects.toThrow(BackupError);
    }),
  );
});

test('one of which a content is changed never comes to its end, nor does one with something behind it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(WHOLE.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const changed = Buffer.from(WHOLE);
      changed[at] = (changed[at] ?? 0) ^ by;
      const found = await read(changed).catch((error: unknown) => error);
      // What tar does not look at says nothing: padding, times and owners.
      if (!(found instanceof BackupError)) expect(found).toEqual(await read(WHOLE));
    }),
    { numRuns: 300 },
  );
  await expect(read(Buffer.concat([WHOLE, Buffer.from('x')]))).rejects.toThrow('damaged');
});

test.each<[what: string, files: Files]>([
  ['a path out of the folder', [['../api-token', Buffer.from('x')]]],
  ['an absolute path', [['/etc/passwd', Buffer.from('x')]]],
  ['a file that no backup has', [['ca/other.pem', Buffer.from('x')]]],
  ['a file twice', [FILES[0]!, FILES[0]!]],
])('%s is refused', async (_, files) => {
  await expect(read(backupOf(files))).rejects.toThrow('damaged');
});

test('a link, a directory and an extension of tar are refused', async () => {
  for (const type of ['1', '2', '5', 'x', 'L']) {
    const header = Buffer.from(tarHeader({ name: 'state.json', size: 0 }, 0));
    header.write(type, 156);
    header.fill(' ', 148, 156);
    const sum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const start = tarOf([[HEAD, HEAD_OF_ALL]]).subarray(0, -TAR_END.length);
    await expect(read(Buffer.concat([start, header, TAR_END]))).rejects.toThrow('damaged');
  }
});

test('a file that claims to be large is refused before it is read', async () => {
  const start = tarOf([[HEAD, HEAD_OF_ALL]]).subarray(0, -TAR_END.length);
  const large = tarHeader({ name: 'state.json', size: MAX_FILE_BYTES + 1 }, 0);
  await expect(read(Buffer.concat([start, large]))).rejects.toThrow('too large');
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a text', Buffer.from('devMac,devName\n'.repeat(100))],
  ['another tar', tarOf([['README', Buffer.from('x')]])],
])('%s is no backup', async (_, bytes) => {
  await expect(read(bytes)).rejects.toThrow('no backup of LanReach');
});

test.each([
  ['a lower number', FORMAT - 1, FORMAT - 1],
  ['a greater number', FORMAT + 1, FORMAT + 1],
  ['no number', undefined, null],
])('a backup with %s is refused by its head', (_, format, found) => {
  const content = json({ ...JSON.parse(HEAD_OF_ALL.toString()), format });
  const reading = () => headOf({ name: HEAD, content });
  expect(reading).toThrow(BackupError);
  expect(reading).toThrow(otherFormat('The backup', found));
});
