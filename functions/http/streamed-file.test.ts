import { expect, test } from 'vitest';
import { StreamedFile } from './streamed-file.ts';

const OPTIONS = { explain: () => undefined, watch: () => () => {} };

/** A file of pieces that says how many have been made, and whether its source has ended. */
function counted(pieces: number, failsAt = Number.POSITIVE_INFINITY) {
  const seen = { made: 0, hasEnded: false };
  async function* make() {
    try {
      for (let i = 0; i < pieces; i++) {
        if (i === failsAt) throw new Error('the database is gone');
        seen.made++;
        yield `piece ${i}\n`;
      }
    } finally {
      seen.hasEnded = true;
    }
  }
  return { file: new StreamedFile(make, 'text/csv'), seen };
}

test('a failure before the first piece is thrown; a later one breaks the file off, and is explained', async () => {
  await expect(counted(3, 0).file.open('identity', OPTIONS)).rejects.toThrow('the database is gone');
  const explained: unknown[] = [];
  const options = { ...OPTIONS, explain: (error: unknown) => void explained.push(error) };
  for (const encoding of ['identity', 'gzip'] as const) {
    const stream = await counted(3, 2).file.open(encoding, options);
    await expect(new Response(stream).arrayBuffer()).rejects.toThrow('broken off');
  }
  expect(explained).toMatchObject([{ message: 'the database is gone' }, { message: 'the database is gone' }]);
});

/** A token whose end can be watched. */
function watchedToken() {
  const token = {
    watches: 0,
    end: (_error: unknown): void => {},
    watch(onEnd: (error: unknown) => void) {
      token.watches++;
      token.end = onEnd;
      return () => void token.watches--;
    },
  };
  return token;
}

test.each(['identity', 'gzip'] as const)('nothing is made for a reader that waits or is gone: %s', async (encoding) => {
  const { file, seen } = counted(1_000_000);
  const reader = (await file.open(encoding, OPTIONS)).getReader();
  await reader.read();
  await new Promise((resolve) => setImmediate(resolve));
  const { made } = seen;
  expect(made).toBeLessThan(1_000_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen.made).toBe(made);
  await reader.cancel();
  await expect.poll(() => seen.hasEnded).toBe(true);
});

test.each(['identity', 'gzip'] as const)(
  'a client that has gone before the first read, or whose token ends before: %s',
  async (encoding) => {
    for (const isRevoked of [false, true]) {
      const { file, seen } = counted(1_000_000);
      const token = watchedToken();
      const stream = await file.open(encoding, { ...OPTIONS, watch: token.watch });
      if (isRevoked) {
        token.end(new Error('the token has been revoked'));
        await new Promise((resolve) => setImmediate(resolve));
        await expect(stream.getReader().read()).rejects.toThrow();
      } else {
        await stream.cancel();
      }
      await expect.poll(() => [token.watches, seen.made, seen.hasEnded]).toEqual([0, 1, true]);
    }
  },
);

test('the end of the token breaks the file off, and the watch ends with the file', async () => {
  const { file, seen } = counted(1_000_000);
  const token = watchedToken();
  const reader = (await file.open('identity', { ...OPTIONS, watch: token.watch })).getReader();
  await reader.read();
  expect(token.watches).toBe(1);
  token.end(new Error('the token has been revoked'));
  await expect(reader.read()).rejects.toThrow('broken off');
  await expect.poll(() => [token.watches, seen.hasEnded]).toEqual([0, true]);
});
