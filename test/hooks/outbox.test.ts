/** From the journal to the receivers of hooks, whatever happens on the way: with the real engine and a made-up clock. */
import { describe, expect } from 'vitest';
import type { StoredDevice } from '../../functions/devices/collection/device-codec.ts';
import { eventsOf } from '../../functions/devices/events.ts';
import { withRequestCost } from '../../functions/table/request-cost.ts';
import {
  BY,
  deliveriesOf,
  device,
  HOOK,
  HOUR,
  idsOf,
  isStopped,
  makeClock,
  makeSite,
  openProcess,
  type Process,
  put,
  tell,
  test,
} from './processes.ts';
import { startReceiver, status } from './receiver.ts';

describe('a receiver', () => {
  test('that answers 500 for an hour gets the event in the end, once', async ({ receiver, site, process }) => {
    receiver.answer = status(500);
    await put(process, site, device(1));
    await process.run(HOUR);
    const failed = receiver.received.length;
    expect(failed).toBeGreaterThan(3);
    expect((await deliveriesOf(process, site))[0]).toMatchObject({
      state: 'pending',
      status: 500,
      reason: 'it answered 500',
    });
    expect((await process.hooks.find(site, HOOK))?.failingSince).not.toBeNull();
    receiver.answer = status(200);
    await process.run(4 * HOUR);
    expect(receiver.received.length).toBe(failed + 1);
    expect(idsOf(receiver)).toHaveLength(1);
    expect((await deliveriesOf(process, site))[0]).toMatchObject({ state: 'delivered', status: 200, reason: null });
    expect(await process.hooks.find(site, HOOK)).toMatchObject({ failingSince: null, deliveredAt: expect.any(Number) });
  });

  test('that is never well loses each after a day, with the reason', async ({ receiver, clock, site, process }) => {
    receiver.answer = status(503);
    await put(process, site, ...[1, 2, 3, 4].map((i) => device(i)));
    const began = clock.now().getTime();
    await process.run(48 * HOUR);
    const dead = await deliveriesOf(process, site);
    const reason = /^it answered 503$|^all deliveries have failed since \d{4}-/;
    expect(dead).toHaveLength(4);
    const hours = dead.map((one) => {
      expect(one).toMatchObject({ state: 'dead', nextAttemptAt: null, reason: expect.stringMatching(reason) });
      return (Date.parse(one.endedAt ?? '') - began) / HOUR;
    });
    // The first after a day at most, each further one after a pause of its own.
    expect([hours.every((one) => one > 20 && one <= 27), hours.some((one) => one <= 24)]).toEqual([true, true]);
    expect(dead.map(({ status: code }) => code)).toContain(503);
    expect(dead.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(receiver.received.length);
    expect(receiver.received.length).toBeLessThan(100);
    expect(process.waiting).toEqual([]);
  });

  describe('that fails while it has many deliveries', () => {
    const many = Array.from({ length: 8 }, (_, i) => device(i));

    test('gets one request at a time, ever more rarely, then all', async ({ receiver, site, process }) => {
      receiver.answer = status(500);
      await put(process, site, ...many);
      await process.run();
      expect(receiver.received).toHaveLength(1);
      await process.run(2 * HOUR);
      expect(receiver.received.length).toBeGreaterThan(10);
      expect(idsOf(receiver)).toHaveLength(1);
      expect(receiver.received.length).toBeLessThan(80);
      receiver.answer = status(200);
      await process.run(4 * HOUR);
      expect(idsOf(receiver)).toHaveLength(many.length);
      expect((await deliveriesOf(process, site)).every(({ state }) => state === 'delivered')).toBe(true);
      expect(await process.hooks.find(site, HOOK)).toMatchObject({ failingSince: null, pausedUntil: null });
    });

    test('is asked one at a time by all processes together', async ({ receiver, clock, site }) => {
      const [one, other] = [openProcess({ clock }), openProcess({ clock })];
      receiver.answer = status(500);
      await put(one, site, ...many);
      await one.run();
      clock.advance(HOUR);
      const task = { site, hook: HOOK };
      await Promise.all([one, other, one, other].map(({ perform }) => perform(task)));
      expect(receiver.received).toHaveLength(1 + 1);
    });

    test('gets no message before the time that it has named', async ({ receiver, site, process }) => {
      receiver.answer = status(429, { 'retry-after': '1800' });
      await put(process, site, ...many);
      await process.run(HOUR / 2 - 1);
      expect(receiver.received).toHaveLength(1);
      receiver.answer = status(200);
      await process.run(1);
      expect(receiver.received.length).toBeGreaterThan(1);
    });

    test('is asked at once when its hook was changed', async ({ receiver, site, process }) => {
      receiver.answer = status(500);
      await put(process, site, ...many);
      await process.run(HOUR);
      const failed = receiver.received.length;
      await process.hooks.change(site, HOOK, (before) => before);
      await put(process, site, device(90));
      await process.run();
      expect(receiver.received).toHaveLength(failed + 1);
    });
  });

  test('that fails once in twenty gets all events, in order, without a pause', async ({ receiver, site, process }) => {
    receiver.answer = (response) => response.writeHead(receiver.received.length % 20 === 0 ? 500 : 204).end();
    for (let i = 0; i < 4; i++) await put(process, site, ...Array.from({ length: 15 }, (_, j) => device(i * 15 + j)));
    await process.run(60_000);
    expect(receiver.received).toHaveLength(60 + 3);
    const events = receiver.received.map(({ body }) => JSON.parse(body).data.id.replace('.', ' '));
    expect(events).toEqual([...events].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })));
    expect(new Set(events).size).toBe(60);
    expect(await process.hooks.find(site, HOOK)).toMatchObject({ pausedUntil: null });
  });

  test('that hangs is left after its time, and tried again', async ({ clock }) => {
    await using hanging = await startReceiver();
    hanging.answer = () => {};
    const site = await makeSite(clock, hanging.url);
    const process = openProcess({ clock, sending: { timeoutMs: 300 } });
    await put(process, site, device(1));
    await process.run();
    const [delivery] = await deliveriesOf(process, site);
    expect(delivery).toMatchObject({ state: 'pending', attempts: 1, status: null, reason: 'no answer within 0.3 s' });
    expect(Date.parse(delivery?.nextAttemptAt ?? '')).toBeGreaterThan(clock.now().getTime());
  });

  test('that redirects to a metadata service is not followed', async ({ receiver, site, process }) => {
    receiver.answer = status(307, { location: 'http://169.254.169.254/latest/meta-data/' });
    await put(process, site, device(1));
    await process.run(48 * HOUR);
    const [dead] = await deliveriesOf(process, site);
    expect(dead).toMatchObject({
      state: 'dead',
      status: 307,
      reason: 'it answered 307: redirects are not followed, give the final URL',
    });
    expect(dead?.attempts).toBe(receiver.received.length);
  });

  test('that is gone for good disables its hook', async ({ receiver, site, process }) => {
    receiver.answer = status(410);
    await put(process, site, device(1));
    await process.run();
    await put(process, site, device(2));
    await process.run(HOUR);
    expect(receiver.received).toHaveLength(1);
    expect(await process.hooks.find(site, HOOK)).toMatchObject({ problem: 'its receiver answered 410 (Gone)' });
    expect((await deliveriesOf(process, site))[0]).toMatchObject({ state: 'dead', status: 410 });
  });
});

describe('an address', () => {
  test('is resolved once for each attempt, checked, and the one that is connected to', async ({ receiver, clock }) => {
    const site = await makeSite(clock, `http://receiver.example:${receiver.port}/hook`);
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return ['127.0.0.1'];
    };
    const process = openProcess({ clock, sending: { resolve } });
    await put(process, site, device(1));
    await process.run();
    expect(asked).toEqual(['receiver.example']);
    expect(receiver.received[0]?.headers.host).toBe(`receiver.example:${receiver.port}`);
  });

  test.for([
    ['a public one, by http', ['1.1.1.1'], 'its URL must begin with https://', 'http'],
    ['a private one among public ones', ['1.1.1.1', '10.0.0.1'], '10.0.0.1, which is a private address'],
    ['a metadata service', ['169.254.169.254'], '169.254.169.254, which is a metadata service of a cloud'],
  ] as [string, string[], string, string?][])(
    'to which a name leads in the cloud is refused: %s',
    async ([_, addresses, reason, scheme = 'https'], { receiver, clock }) => {
      const site = await makeSite(clock, `${scheme}://receiver.example:${receiver.port}/hook`);
      const process = openProcess({ clock, sending: { allowPrivate: false, resolve: async () => addresses } });
      await put(process, site, device(1));
      await process.run();
      expect((await deliveriesOf(process, site))[0]?.reason).toContain(reason);
      expect(receiver.received).toEqual([]);
    },
  );

  /** Of a broadcast address of this host the kernel says at once that it has no route, and sends nothing. */
  test.for([
    ['http', ['127.255.255.255']],
    ['https', ['::ffff:127.255.255.255']],
    ['https', ['127.255.255.255', '::ffff:127.255.255.255']],
  ] as [string, string[]][])(
    'without a route, behind a name, fails the attempt and ends nothing: %s, %j',
    async ([scheme, addresses], { clock }) => {
      const site = await makeSite(clock, `${scheme}://receiver.example/hook`);
      const process = openProcess({ clock, sending: { resolve: async () => addresses } });
      await put(process, site, device(1));
      await process.run();
      const reason = 'no connection: ENETUNREACH';
      expect(await deliveriesOf(process, site)).toMatchObject([{ state: 'pending', attempts: 1, reason }]);
    },
  );
});

describe('a process that is stopped', () => {
  /** The ids of what has happened, by the journal. */
  async function happened(process: Process, site: string): Promise<string[]> {
    const { version } = await process.devices.snapshot(site);
    const hook = await process.hooks.find(site, HOOK);
    const ids: string[] = [];
    for await (const entry of process.devices.changesBetween(site, hook?.from ?? 0, version)) {
      const seconds = Math.floor(entry.at.getTime() / 1000);
      for (const event of eventsOf(entry, () => '')) ids.push(`${HOOK}_${seconds}_${event.id.replace('.', '_')}`);
    }
    return ids;
  }

  /** Stops a process at each of its calls while it makes a change and tells of it; the next one ends what is left. */
  async function stoppedAtEachCall(change: (process: Process, site: string) => Promise<unknown>): Promise<number> {
    for (let stopAt = 1; ; stopAt++) {
      await using receiver = await startReceiver();
      const clock = makeClock();
      const site = await makeSite(clock, receiver.url);
      const first = openProcess({ clock, stopAt });
      await put(openProcess({ clock }), site, device(1));
      const wasStopped = await isStopped(change(first, site).then(() => first.run()));
      const second = openProcess({ clock });
      const recorded = (await deliveriesOf(second, site)).filter(({ state }) => state === 'delivered');
      const sent = receiver.ids();
      clock.advance(60_000); // The lease of a bulk change, and that of an attempt, are over.
      await second.sweep(site);
      await second.run(10 * 60_000);
      await put(second, site, device(90));
      await second.run(10 * 60_000);
      const expected = await happened(second, site);
      expect([stopAt, idsOf(receiver).sort()]).toEqual([stopAt, expected.sort()]);
      for (const { webhookId } of recorded) {
        const count = (ids: string[]) => ids.filter((id) => id === webhookId).length;
        expect([stopAt, count(receiver.ids())]).toEqual([stopAt, count(sent)]);
      }
      expect((await deliveriesOf(second, site)).every(({ state }) => state === 'delivered')).toBe(true);
      for (const { table } of [first, second]) table.close();
      if (!wasStopped) return first.callsMade();
    }
  }

  test('at any call of a small change and its telling loses no event, and repeats none that is recorded', async () => {
    const calls = await stoppedAtEachCall(async (process, site) => {
      await put(process, site, device(1, { devName: 'renamed' }), device(2));
    });
    expect(calls).toBeGreaterThan(12);
  });

  test('at any call of a change of many devices loses no event either', async () => {
    const many = Array.from({ length: 40 }, (_, i) => device(i + 2));
    expect(await stoppedAtEachCall((process, site) => put(process, site, ...many))).toBeGreaterThan(10);
  });
});

test('a message that ends the process is tried ever later, and given up', async ({ receiver, clock, site }) => {
  await put(openProcess({ clock }), site, device(1), device(2));
  const pauses: number[] = [];
  for (let crashes = 1; crashes <= 5; crashes++) {
    const crashed = openProcess({ clock });
    const hook = (await crashed.hooks.find(site, HOOK)) ?? expect.fail('no hook');
    await crashed.hooks.save(site, hook, { leasedUntil: clock.now().getTime() + 30_000 });
    clock.advance(30_001);
    const due = await openProcess({ clock }).perform({ site, hook: HOOK });
    if (crashes < 5) {
      pauses.push((due?.getTime() ?? 0) - clock.now().getTime());
      clock.to(due ?? expect.fail('no other turn'));
    }
  }
  expect(receiver.received).toHaveLength(0);
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000);
  const reason = 'the attempt was broken off before its end';
  const last = openProcess({ clock });
  expect(await deliveriesOf(last, site)).toMatchObject([{ state: 'dead', nextAttemptAt: null, reason }]);
  await last.sweep(site);
  await last.run(HOUR);
  expect(receiver.received.map(({ body }) => JSON.parse(body).data.device.name)).toEqual(['device 2']);
});

test('a message that is never taken holds up others for a day', async ({ receiver, clock, site, process }) => {
  receiver.answer = (response, { body }) => response.writeHead(body.includes('device 1"') ? 400 : 204).end();
  await put(process, site, device(1));
  await put(process, site, device(2));
  await process.run(23 * HOUR);
  expect(idsOf(receiver)).toHaveLength(1);
  await process.run(2 * HOUR);
  clock.advance(HOUR);
  expect(await deliveriesOf(process, site)).toMatchObject([
    { state: 'delivered', device: 'device 2' },
    { state: 'dead', device: 'device 1', reason: 'it answered 400' },
  ]);
});

test('a turn lasts 20 s, and leaves the rest to another one', async ({ receiver, clock }) => {
  const site = await makeSite(clock, receiver.url, { events: ['new'] });
  const writer = openProcess({ clock });
  for (let i = 0; i < 40; i++) await put(writer, site, device(i));
  const process = openProcess({ clock, msPerCall: 1_000 });
  const task = { site, hook: HOOK };
  expect(await process.perform(task)).toEqual(clock.now());
  const sent = receiver.received.length;
  expect(sent).toBeGreaterThan(3);
  expect(sent).toBeLessThan(20);
  await openProcess({ clock }).perform(task);
  expect(idsOf(receiver)).toHaveLength(40);
});

describe('events', () => {
  test('of a wanted type; new devices with made-up MACs are none', async ({ receiver, clock, process }) => {
    const site = await makeSite(clock, receiver.url, { skipRandomMacs: true, events: ['new', 'renamed'] });
    const phone = device(1, { devRandomMAC: 1 });
    await put(process, site, phone, device(2, { devLastIP: '10.77.1.28', devVendor: 'Espressif' }));
    await put(process, site, device(1, { devRandomMAC: 1, devName: 'phone' }));
    await process.devices.change(site, BY, () => ({ put: [], remove: [device(2).key] }));
    await process.run();
    expect(receiver.received.map(({ body }) => JSON.parse(body).data)).toMatchObject([
      { type: 'new', ip: '10.77.1.28', vendor: 'Espressif', device: { name: 'device 2' } },
      { type: 'renamed', device: { name: 'phone' } },
    ]);
  });

  test('are told once by two processes that look and deliver at the same time', async ({ receiver, clock, site }) => {
    const [one, other] = [openProcess({ clock }), openProcess({ clock })];
    for (let i = 0; i < 12; i++) await put(openProcess({ clock }), site, device(i));
    await Promise.all([one, other, one, other].map(({ perform }) => perform({ site, hook: HOOK })));
    await Promise.all([one, other].map((process) => process.sweep(site)));
    await Promise.all([one, other].map((process) => process.run(60_000)));
    expect(receiver.received).toHaveLength(12);
    expect(idsOf(receiver)).toHaveLength(12);
  });

  test('cost a write each, and one for all found at once; without a hook nothing', async ({ clock, site, process }) => {
    async function costOf(id: string, ...changed: StoredDevice[]) {
      await put(process, id, ...changed);
      return withRequestCost(async (consumed) => {
        await process.run();
        return consumed;
      });
    }
    await process.devices.create('site-without-hooks', clock.now());
    expect(await costOf('site-without-hooks', device(1))).toEqual({ readUnits: 0, writeUnits: 0 });
    await costOf(site, device(1));
    const { writeUnits } = await costOf(site, device(2), device(3), device(4));
    expect(await deliveriesOf(process, site)).toHaveLength(4);
    expect(writeUnits).toBeLessThanOrEqual(2 * (3 + 1));
  });
});

test.for([
  [90, 0],
  [600, 2],
] as const)(
  'of what is over after %d s people get %d messages, whichever process is stopped',
  async ([seconds, times], { receiver, clock }) => {
    const id = await makeSite(clock, receiver.url, { format: 'ntfy', events: ['site-dark', 'site-back'] });
    await tell(openProcess({ clock }), id, clock, 'site-dark');
    const first = openProcess({ clock });
    await first.sweep(id);
    await first.run(1_000);
    const second = openProcess({ clock });
    for (let ran = 1; ran < seconds; ran += 30) {
      await second.sweep(id); // As a process does it every minute.
      await second.run(30_000);
    }
    expect(receiver.received).toHaveLength(seconds > 120 ? 1 : 0);
    await tell(second, id, clock, 'site-back');
    await second.run(HOUR);
    expect(receiver.received).toHaveLength(times);
    expect(await second.hooks.find(id, HOOK)).toMatchObject({ unsaid: [] });
  },
);

test('of chosen devices a hook tells all, of the others nothing', async ({ receiver, clock, process }) => {
  const only = { types: ['Camera'], groups: ['office'], devices: [device(3).key], favourites: true };
  const site = await makeSite(clock, receiver.url, { only });
  const kinds = [{ devType: 'Camera' }, { devGroup: 'office' }, {}, { devFavorite: 1 as const }, { devType: 'TV' }];
  await put(process, site, ...kinds.map((fields, i) => device(i + 1, fields)));
  await process.devices.change(site, BY, () => ({ put: [], remove: [device(1).key, device(5).key] }));
  await process.devices.change(site, BY, () => ({
    ...{ put: [], remove: [] },
    occurrences: [{ type: 'deleted', at: Math.floor(clock.now().getTime() / 1000), count: 2 }],
  }));
  await process.run();
  const told = receiver.received.map(({ body }) => JSON.parse(body).data);
  expect(told.map(({ type, device: one }) => `${type} ${one?.name ?? '-'}`).sort()).toEqual([
    ...['deleted -', 'deleted device 1', 'new device 1', 'new device 2', 'new device 3', 'new device 4'],
  ]);
});
