import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { World } from '../client/world.ts';
import { readSitesFile } from './read-file.ts';

const read = (content: string | Buffer) =>
  readSitesFile({ env: {}, stdin: Readable.from([Buffer.from(content)]) } as unknown as World, '-');

test('a file of another encoding is refused, and its letters are not replaced by signs for unreadable ones', async () => {
  const file = 'sites: [{ id: cabin, name: Hütte }]';
  expect((await read(file)).sites[0]?.name).toBe('Hütte');
  await expect(read(Buffer.from(file, 'latin1'))).rejects.toThrow('is not UTF-8 text');
});

test('a file that names no template removes none', async () => {
  for (const file of ['prune: { templates: true }', 'templates: []\nprune: { templates: true }']) {
    await expect(read(file)).rejects.toThrow('prune.templates: the file names no template');
  }
  expect((await read('prune: { schedules: true }')).templates).toEqual([]);
});
