/** The collection under faults: crashes, collisions, lost answers, stale readers. */
import { expect, test } from 'vitest';
import type { DeviceEdit } from '../../../shared/api/device-edits.ts';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import { deferred } from '../../../shared/async.ts';
import { BLANK_DEVICE } from '../../../shared/device.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { aroundCalls, consumedBy, type TableCall } from '../../../test/support/database-calls.ts';
import { memoryTable } from '../../../test/test-table.ts';
import { withRequestCost } from '../../table/request-cost.ts';
import { rows } from '../../table/rows.ts';
import { type Item, inGroups, type Table, type Update, type Write } from '../../table/table.ts';
import { planEdit } from '../edit.ts';
import { eventsOf } from '../events.ts';
import type { StoredDevice } from './device-codec.ts';
import { openDeviceStore, SMALL_CHANGE } from './device-store.ts';
import type { Snapshot } from './snapshot.ts';

const engine = memoryTable();

let sites = 0;

/**
 * A fresh site, a clock that goes only when the test moves it, and stores that share nothing but the table. No lease is
 * renewed, and none runs out, because the machine is slow.
 */
async function freshSite() {
  const site = `site-${++sites}`;
  let time = Date.now();
  const now = () => new Date(time);
  const open = (table: Table = engine.open()) => openDeviceStore(table, now);
  const store = open();
  expect(await store.create(site, now())).toBe(true);
  return { site, store, open, passTime: (ms: number) => (time += ms) };
}

/**
 * Puts the test between a table and its engine: it answers a call itself, fails it, or lets it pass. A bulk change is as
 * many calls as it takes of DynamoDB.
 */
function intercept(table: Table, handle: (call: TableCall, pass: () => Promise<unknown>) => Promise<unknown>) {
  const restore = aroundCalls(table, handle);
  const { bulk } = table;
  table.bulk = async (writes) => {
    for (const batch of inGroups(writes, 25)) await bulk(batch);
  };
  return restore;
}

/** A table whose bulk changes wait until the test releases them. */
function heldTable() {
  const table = engine.open();
  const [begun, held] = [deferred<void>(), deferred<void>()];
  intercept(table, async ({ method }, pass) => {
    if (method !== 'bulk') return pass();
    begun.resolve();
    await held.promise;
    return pass();
  });
  return { table, isHeld: begun.promise, release: held.resolve };
}

const outage = () => new ServiceError('unavailable', 'the database is away', { retryAfter: 2 });
const never = () => new Promise<never>(() => {});

const device = (n: number, name = `device ${n}`): StoredDevice => {
  const key = `1E:00:00:00:${n.toString(16).toUpperCase().padStart(4, '0').replace(/..$/, ':$&')}`;
  return { key, record: { ...BLANK_DEVICE, devMac: key, devName: name, devPresentLastScan: n % 2 === 0 ? 1 : 0 } };
};
const devices = (count: number) => Array.from({ length: count }, (_, i) => device(i));
const BY = { actor: 'token-1', cause: 'edit' } as const;
const add = (put: StoredDevice[]) => () => ({ put, remove: [] });

test('a change of many devices is written in the order of their keys, which LMDB does with fewest pages', async () => {
  const { site, open } = await freshSite();
  const table = engine.open();
  const sent: Item[] = [];
  intercept(table, ({ method, args }, pass) => {
    if (method === 'bulk') sent.push(...(args[0] as Write[]).map((write) => (write as { put: Item }).put));
    return pass();
  });
  await open(table).change(site, BY, add(devices(350).reverse()));
  expect(sent.map(({ sk }) => sk)).toEqual(devices(350).map(({ key }) => rows.device(site, key).sk));
});

test('one device is found without the others, and not when it is of a site that was removed', async () => {
  const { site, store, open, passTime } = await freshSite();
  await store.change(site, BY, add(devices(30)));
  const { readUnits } = await consumedBy(async () => {
    expect(await open().find(site, device(3).key)).toEqual(device(3));
  });
  expect(readUnits).toBeLessThanOrEqual(2);
  const at = Date.now();
  await engine.open().update(rows.collection(site), { set: { gone: at } });
  expect(await store.retire(site, at - 1)).toBe(false);
  expect(await store.retire(site, at)).toBe(true);
  passTime(1_000);
  await store.create(site, new Date());
  expect(await store.find(site, device(1).key)).toBeNull();
});

test('what a request costs: a warm read and cold totals one unit, a change of one device three, whatever the size', async () => {
  for (const size of [10, 1000]) {
    const { site, store, open } = await freshSite();
    await store.change(site, BY, add(devices(size)));
    expect(await consumedBy(() => store.snapshot(site))).toEqual({ readUnits: 1, writeUnits: 0 });
    for (const one of [store, open()])
      expect(await consumedBy(() => one.totals(site))).toEqual({ readUnits: 1, writeUnits: 0 });
    const edit = await consumedBy(() => store.change(site, BY, add([device(0, 'edited')])));
    expect(edit).toEqual({ readUnits: 1, writeUnits: 3 });
    const owned = devices(size).map(({ key, record }) => ({ key, record: { ...record, devOwner: 'x' } }));
    const bulk = await consumedBy(() => store.change(site, BY, add(owned)));
    expect(bulk).toEqual({ readUnits: 1, writeUnits: size > SMALL_CHANGE ? size + 2 + size / 100 : size + 2 });
    expect(await consumedBy(() => store.change(site, BY, add([])))).toEqual({ readUnits: 1, writeUnits: 0 });
  }
});

test('a store that is fifty changes behind reads two units, whatever the size of the collection', async () => {
  const { site, store, open } = await freshSite();
  await store.change(site, BY, add(devices(2000)));
  const behind = open();
  await behind.snapshot(site);
  for (let i = 0; i < 50; i++) {
    await store.change(site, { ...BY, actor: '0123456789abcdef' }, add([device(i, `renamed ${i}`)]));
  }
  await withRequestCost(async (consumed) => {
    const { version, devices } = await behind.snapshot(site);
    expect(consumed.readUnits).toBeLessThanOrEqual(2);
    expect({ version, devices }).toEqual({
      version: (await store.snapshot(site)).version,
      devices: (await open().snapshot(site)).devices,
    });
  });
});

test('an entry of the journal that cannot be read does not hide the collection from outdated snapshots', async () => {
  const { site, store, open } = await freshSite();
  await store.change(site, BY, add(devices(3)));
  const behind = open();
  await behind.snapshot(site);
  const { version } = await store.change(site, BY, add([device(1, 'renamed')]));
  await engine.open().put({ ...rows.change(site, version ?? 0), id: 'x', d: '{"broken":' });
  await store.change(site, BY, add([device(2, 'after')]));
  expect((await behind.snapshot(site)).devices).toEqual([device(0), device(1, 'renamed'), device(2, 'after')]);
});

/** The calls of a small change of two devices, in their order: entry of the journal, the row that is written, the one that is deleted, version of the collection. */
test.each([1, 2, 3, 4].flatMap((step) => [true, false].map((isCold) => ({ step, isCold }))))(
  'a writer that dies before its call $step: its change is made whole or not at all (next writer is cold: $isCold)',
  async ({ step, isCold }) => {
    const { site, store, open } = await freshSite();
    await store.change(site, BY, add(devices(4)));
    const { version: start } = await store.snapshot(site);
    const dying = engine.open();
    let calls = 0;
    const died = deferred<void>();
    intercept(dying, ({ method }, pass) => {
      if (method === 'get' || method === 'query' || ++calls < step) return pass();
      died.resolve();
      return never();
    });
    void open(dying).change(site, { actor: 'dying', cause: 'edit' }, () => ({
      put: [device(1, 'last words')],
      remove: [device(2).key],
    }));
    await died.promise;
    const committed = step > 1;
    const whole = committed ? [device(0), device(1, 'last words'), device(3)] : devices(4);
    // A warm store may lack the change, which was never confirmed; a cold one must not see a part of it.
    expect((await store.snapshot(site)).devices).toEqual(devices(4));
    const reader = isCold ? open() : store;
    if (isCold) expect((await reader.snapshot(site)).devices).toEqual(whole);
    await reader.change(site, BY, add([device(3, 'goes on')]));
    const expected = [...whole.slice(0, -1), device(3, 'goes on')];
    // Each change is in the journal once, and so is each of its events.
    const actors: string[] = [];
    for await (const { actor } of reader.changesBetween(site, start, Infinity)) actors.push(actor);
    expect(actors).toEqual([...(committed ? ['dying'] : []), BY.actor]);
    for (const each of [reader, store, open()]) {
      expect((await each.snapshot(site)).devices).toEqual(expected);
      expect((await each.totals(site)).counts).toEqual((await each.snapshot(site)).counts);
    }
  },
);

test('a writer that sleeps in the middle of its change and wakes up late does not undo what came after it', async () => {
  const { site, store, open } = await freshSite();
  await store.change(site, BY, add(devices(2)));
  const { table, isHeld, release } = heldTable();
  const late = open(table).change(site, BY, add([device(0, 'late'), device(5)]));
  await isHeld;
  await store.change(site, BY, add([device(0, 'later')]));
  await store.change(site, BY, () => ({ put: [], remove: [device(5).key] }));
  release();
  await late;
  expect((await open().snapshot(site)).devices).toEqual([device(0, 'later'), device(1)]);
});

/**
 * A table for a process that dies: from some write on, its writes never reach the engine.
 * @param isLast whether a write is the last one that is made
 * @returns when it is dead, and what it sent before has been answered
 */
function dyingTable(isLast: (method: string, writes: number) => boolean) {
  const table = engine.open();
  const sent: unknown[] = [];
  let isDead = isLast('', 0);
  let writes = 0;
  const died = deferred<void>();
  intercept(table, ({ method }, pass) => {
    if (method === 'get' || method === 'query') return pass();
    if (isDead) {
      void Promise.allSettled(sent).then(() => died.resolve());
      return never();
    }
    isDead = isLast(method, ++writes);
    const answer = pass();
    sent.push(answer);
    return answer;
  });
  return { table, died: died.promise };
}

/**
 * The writes of a change of thirty devices: a part, entry of the journal, two batches, version of the collection. The next
 * writer, which carries the change out, may die as well, after an update of the collection.
 */
test.each([0, 1, 2, 3, 4, 5].flatMap((writes) => [false, true].map((diesToo) => ({ writes, diesToo }))))(
  'a change of many of which the writer dies after $writes writes is made whole and an event, or neither (the next writer dies too: $diesToo)',
  async ({ writes, diesToo }) => {
    const { site, store, open, passTime } = await freshSite();
    await store.change(site, BY, add(devices(3)));
    const { version: before } = await store.snapshot(site);
    const first = dyingTable((_, made) => made === writes);
    const bulk = open(first.table).change(site, { actor: 'dying', cause: 'import' }, add(devices(33)));
    await Promise.race([first.died, bulk]);
    passTime(31_000); // Now the writer counts as dead.
    if (diesToo) {
      const second = dyingTable((method) => method === 'update');
      await Promise.race([second.died, open(second.table).change(site, BY, add([device(0, 'goes on')]))]);
    }
    const { version } = await open().change(site, BY, add([device(1, 'goes on')]));
    const events: DeviceEvent[] = [];
    for await (const entry of open().changesBetween(site, before, version ?? 0)) {
      events.push(...eventsOf(entry, () => '').filter(({ actor }) => actor === 'dying'));
    }
    const { size } = await open().snapshot(site);
    expect(size).toBe(writes < 2 ? 3 : 33);
    expect(events).toMatchObject(writes < 2 ? [] : [{ type: 'imported', count: 30 }]);
  },
);

/** An edit of 10 devices: entry of the journal, rows, version. One of 30: a part, entry, two batches, version. */
test.each([
  ...[0, 1, 2].map((writes) => ({ count: 10, writes, committed: 1 })),
  ...[0, 1, 2, 3, 4].map((writes) => ({ count: 30, writes, committed: 2 })),
])(
  'an edit of $count devices of which the writer dies after $writes writes: another one loses nothing, repeated it is whole',
  async ({ count, writes, committed }) => {
    const { site, store, open, passTime } = await freshSite();
    await store.change(site, BY, add(devices(40)));
    const keys = devices(count).map(({ key }) => key);
    const edit = (set: DeviceEdit) => (snapshot: Snapshot) => planEdit(snapshot, keys, set);
    const { table, died } = dyingTable((_, made) => made === writes);
    void open(table).change(site, { actor: 'dying', cause: 'edit' }, edit({ devOwner: 'me' }));
    await died;
    passTime(31_000); // Now the writer counts as dead.

    await open().change(site, BY, edit({ devLocation: 'attic' }));
    const between = await open().snapshot(site);
    const owned = between.devices.filter(({ record }) => record.devOwner === 'me');
    expect(owned).toHaveLength(writes < committed ? 0 : count);
    const repeated = await store.change(site, BY, edit({ devOwner: 'me' }));
    expect(repeated.put).toHaveLength(count - owned.length);
    const { devices: all, counts } = await open().snapshot(site);
    const edited = { devOwner: 'me', devLocation: 'attic' };
    expect(all).toEqual(
      devices(40).map(({ key, record }, i) =>
        i < count ? { key, record: { ...record, ...edited }, byPerson: ['devOwner', 'devLocation'] } : { key, record },
      ),
    );
    expect((await open().totals(site)).counts).toEqual(counts);
  },
);

test('a change of many that sleeps before its commit comes behind what came first; one that sleeps after it undoes nothing', async () => {
  const { site, store, open, passTime } = await freshSite();
  await store.change(site, BY, add(devices(3)));
  for (const sleepsAt of ['put', 'bulk'] as const) {
    const sleepy = engine.open();
    const [asleep, awake] = [deferred<void>(), deferred<void>()];
    intercept(sleepy, async ({ method, args }, pass) => {
      const isEntry = method === 'put' && (args[0] as Item).sk.startsWith('C#');
      if (sleepsAt === 'put' ? isEntry : method === 'bulk') {
        asleep.resolve();
        await awake.promise;
      }
      return pass();
    });
    const late = open(sleepy).change(site, BY, add(devices(40).map((_, n) => device(n, `late ${sleepsAt}`))));
    await asleep.promise;
    if (sleepsAt === 'bulk') passTime(31_000);
    await store.change(site, BY, add([device(1, `later ${sleepsAt}`)]));
    awake.resolve();
    await late;
    const names = (await open().snapshot(site)).devices.map(({ record }) => record.devName);
    expect(names[1]).toBe(sleepsAt === 'put' ? 'late put' : 'later bulk');
    expect(new Set(names.toSpliced(1, 1))).toEqual(new Set([`late ${sleepsAt}`]));
  }
});

test('a change of many is seen with its devices from its commit on, and by its version when it has been carried out', async () => {
  const { site, store, open } = await freshSite();
  const before = await store.carriedOut(site);
  await store.snapshot(site);
  const { table, isHeld, release } = heldTable();
  const many = open(table).change(site, BY, add(devices(40)));
  await isHeld;
  const committed = { version: before + 1, counts: { put: 40, removed: 0 } };
  expect(await store.finalChanges(site, before, 10)).toMatchObject({ entries: [committed], hasMore: false });
  expect(await store.changeAt(site, before + 1)).toBeNull();
  // A warm store may lack it, which was never confirmed; a cold one sees all of it.
  const seen = [await store.snapshot(site), await open().snapshot(site)];
  expect(seen.map((snapshot) => snapshot.devices)).toEqual([[], devices(40)]);
  release();
  await many;
  const entry = (await store.changeAt(site, before + 1)) ?? expect.fail('no change');
  expect(entry).toMatchObject(committed);
  const parts = [];
  for await (const { devices } of store.partsOf(site, entry)) parts.push(...devices.map(([key, kind]) => [key, kind]));
  expect(parts).toEqual(devices(40).map(({ key }) => [key, '+']));
});

test('while a bulk change takes long, others fail with a conflict, and nothing of theirs is written', async () => {
  const { site, store, open, passTime } = await freshSite();
  await store.change(site, BY, add(devices(3)));
  const { table, isHeld, release } = heldTable();
  const bulk = open(table).change(site, BY, add(devices(30)));
  await isHeld;
  const waiting = engine.open();
  intercept(waiting, ({ method }, pass) => {
    // Each look at the table takes the clock on; the writer counts as dead when their patience is over.
    if (method === 'get') passTime(2_500);
    return pass();
  });
  const early = open(waiting).change(site, BY, add([device(1, 'too early')]));
  await expect(early).rejects.toMatchObject({ code: 'conflict' });
  release();
  await bulk;
  expect((await open().snapshot(site)).devices).toEqual(devices(30));
});

test.each([
  ['once', 1],
  ['and the database is away from then on', Number.POSITIVE_INFINITY],
])(
  'a bulk change that fails half-way, %s, rejects, leaves the site usable, and can be repeated',
  async (_, failures) => {
    const { site, open } = await freshSite();
    const table = engine.open();
    let [batches, failed] = [0, 0];
    const restore = intercept(table, ({ method }, pass) => {
      if (method === 'bulk') batches++;
      return batches >= 5 && failed++ < failures ? Promise.reject(outage()) : pass();
    });
    const store = open(table);
    await expect(store.change(site, BY, add(devices(200)))).rejects.toMatchObject({ code: 'unavailable' });
    restore();
    await store.change(site, BY, add(devices(200)));
    expect((await open().snapshot(site)).devices).toEqual(devices(200));
    expect((await open().totals(site)).counts).toEqual([200, 100, 0, 0, 0, 0]);
  },
);

test('an answer that is lost on its way: the request that is sent again finds its own work and goes on', async () => {
  const { site, open } = await freshSite();
  const table = engine.open();
  const repeated: string[] = [];
  intercept(table, async ({ method }, pass) => {
    // What the client does when the connection breaks after the engine has carried a request out.
    if (method !== 'get' && method !== 'query') repeated.push(method);
    if (method !== 'get' && method !== 'query') await pass();
    return pass();
  });
  const store = open(table);
  await store.change(site, BY, add(devices(40)));
  expect(repeated).toEqual(['put', 'put', 'bulk', 'bulk', 'update']);
  expect((await open().snapshot(site)).devices).toEqual(devices(40));
  expect((await open().totals(site)).counts).toEqual([40, 20, 0, 0, 0, 0]);
});

test('an end of a bulk change that is repeated later does not take back what came after it', async () => {
  const { site, store, open } = await freshSite();
  await store.change(site, BY, add(devices(3)));
  const table = engine.open();
  intercept(table, async ({ method, args }, pass) => {
    const isEnd = method === 'update' && (args[1] as Update).set?.ver !== undefined;
    if (isEnd) {
      await pass(); // Its answer is lost, and the client sends it again after others have made changes.
      for (const n of [1, 2]) await store.change(site, BY, add([device(n, 'later')]));
    }
    return pass();
  });
  await open(table).change(site, BY, add(devices(40)));
  const expected = devices(40).map((one, n) => (n === 1 || n === 2 ? device(n, 'later') : one));
  const cold = await open().snapshot(site);
  expect(cold.devices).toEqual(expected);
  expect([cold.version, await open().totals(site)]).toEqual([
    (await store.snapshot(site)).version,
    expect.objectContaining({ counts: cold.counts }),
  ]);
});
