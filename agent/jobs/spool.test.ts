import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { PROTOCOL_VERSION, type Result } from '../../shared/agent/messages.ts';
import { INSTANCE, newJobId } from '../../test/support/agent/broker.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { Spool } from './spool.ts';

const log = pino({ level: 'silent' });

function resultOf(id: string, output = 'out\n'): Result {
  return {
    v: PROTOCOL_VERSION,
    id,
    t: 'result',
    state: 'succeeded',
    reason: null,
    message: null,
    output,
    truncated: false,
    result: { some: 'data' },
    startedAt: 1,
    endedAt: 2,
  };
}
const spooled = (id: string, output?: string) => ({ replyTo: INSTANCE, result: resultOf(id, output) });

test('a result stays across a start until it is removed', async () => {
  await using folder = makeTestFolder();
  const id = newJobId();
  await (await Spool.open(folder.path, log)).put(spooled(id));
  const after = await Spool.open(folder.path, log);
  expect(after.ids()).toEqual([id]);
  expect(await after.get(id)).toEqual(spooled(id));
  await after.remove(id);
  expect([after.ids(), await after.get(id), await readdir(folder.path)]).toEqual([[], null, []]);
});

test('a result that another version of the agent has kept is sent like one of this version', async () => {
  await using folder = makeTestFolder();
  const id = newJobId();
  const { replyTo, result } = spooled(id);
  await writeFile(
    join(folder.path, `${id}.json`),
    JSON.stringify({ replyTo, result: { ...result, v: PROTOCOL_VERSION + 1 } }),
  );
  const spool = await Spool.open(folder.path, log);
  expect(await spool.get(id)).toEqual(spooled(id));
});

test('files that are no results do not disturb it', async () => {
  await using folder = makeTestFolder();
  const [broken, whole] = [newJobId(), newJobId()];
  const first = await Spool.open(folder.path, log);
  await first.put(spooled(whole));
  await writeFile(join(folder.path, `${broken}.json`), '{"replyTo":"lr-local-000');
  await writeFile(join(folder.path, `${newJobId()}.json.tmp`), 'half');
  await writeFile(join(folder.path, 'README'), 'hello');
  const spool = await Spool.open(folder.path, log);
  expect(await spool.get(broken)).toBeNull();
  expect(await spool.get(whole)).toEqual(spooled(whole));
  expect((await readdir(folder.path)).sort()).toEqual(['README', `${whole}.json`].sort());
  expect(spool.has(broken)).toBe(false);
});

test('when there are too many results, or too many bytes, the oldest go', async () => {
  await using folder = makeTestFolder();
  const ids = Array.from({ length: 6 }, () => newJobId());
  const byNumber = await Spool.open(join(folder.path, 'number'), log, { results: 4 });
  for (const id of ids) await byNumber.put(spooled(id));
  expect(byNumber.ids()).toEqual(ids.slice(2));
  const bySize = await Spool.open(join(folder.path, 'size'), log, { bytes: 10_000 });
  for (const id of ids) await bySize.put(spooled(id, 'x'.repeat(4_000)));
  expect(bySize.ids()).toEqual(ids.slice(4));
  const smaller = await Spool.open(join(folder.path, 'number'), log, { results: 1 });
  expect(smaller.ids()).toEqual(ids.slice(5));
});
