/** Quiet hours: what is held in them, and that it is told once when they end, whatever happens on the way. */
import { describe, expect } from 'vitest';
import type { HookSettings } from '../../functions/hooks/hook-store.ts';
import type { EventType } from '../../shared/api/events.ts';
import { HookMessage } from '../../shared/api/hook-events.ts';
import {
  BY,
  type Clock,
  device,
  HOOK,
  HOUR,
  isStopped,
  makeClock,
  makeSite,
  openProcess,
  put,
  tell,
  test,
} from './processes.ts';
import { type Receiver, startReceiver } from './receiver.ts';

describe('quiet hours', () => {
  const QUIET = { from: '22:00', to: '07:00' };
  /** What a receiver was told, in order. */
  const toldBy = (receiver: Receiver) => receiver.received.map(({ body }) => HookMessage.parse(JSON.parse(body)).data);
  /** Of the site, which is UTC. */
  function to(clock: Clock, hour: number, minute = 0) {
    const at = clock.now();
    at.setUTCHours(hour, minute, 0, 0);
    if (at < clock.now()) at.setUTCDate(at.getUTCDate() + 1);
    clock.to(at);
  }

  test('hold what happens, and tell it as one message when they end', async ({ receiver, clock, process }) => {
    to(clock, 21);
    const site = await makeSite(clock, receiver.url, { quiet: { ...QUIET, exceptEvents: ['deleted'] } });
    await put(process, site, device(1));
    await process.run();
    to(clock, 23);
    await put(process, site, device(2), device(3));
    await process.run();
    to(clock, 2);
    await put(process, site, device(2, { devName: 'renamed at night' }));
    await process.devices.change(site, BY, () => ({ put: [], remove: [device(3).key] }));
    await process.run();
    expect(toldBy(receiver).map(({ type }) => type)).toEqual(['new', 'deleted']);
    to(clock, 6, 59);
    await process.run();
    expect(receiver.received).toHaveLength(2);
    await process.run(2 * HOUR);
    const [summary, ...others] = toldBy(receiver).slice(2);
    expect(others).toEqual([]);
    expect(summary).toMatchObject({
      type: 'digest',
      digest: { summary: expect.stringContaining('quiet hours'), more: 0 },
    });
    // Neither what was told before them, nor what was told at once.
    expect(summary?.digest?.changes.map(({ device: one, count }) => [one?.name, count])).toEqual([
      ['renamed at night', 2],
      ['device 3', 1],
    ]);
    to(clock, 12);
    await put(process, site, device(4));
    await process.run();
    expect(toldBy(receiver).at(-1)).toMatchObject({ type: 'new' });
  });

  test('lose nothing, and tell it once, wherever a process is stopped that holds and tells', async () => {
    for (let stopAt = 1; ; stopAt++) {
      await using receiver = await startReceiver();
      const clock = makeClock();
      to(clock, 23);
      const site = await makeSite(clock, receiver.url, { quiet: QUIET });
      const writer = openProcess({ clock });
      await put(writer, site, device(1));
      const first = openProcess({ clock, stopAt });
      await first.sweep(site).catch(() => {});
      const wasStopped = await isStopped(first.run(10 * HOUR));
      const second = openProcess({ clock });
      await second.sweep(site);
      await second.run(12 * HOUR);
      const told = new Map(receiver.received.map(({ body }, i) => [receiver.ids()[i], JSON.parse(body)]));
      expect([...told.values()], `stopped at call ${stopAt}`).toMatchObject([
        { type: 'digest', data: { digest: { changes: [{ device: { name: 'device 1' } }] } } },
      ]);
      if (!wasStopped) return;
    }
  });

  test('tell by another message what is found only after theirs', async ({ receiver, clock, process }) => {
    to(clock, 23);
    const site = await makeSite(clock, receiver.url, { quiet: QUIET });
    await put(process, site, device(1));
    await process.run();
    to(clock, 6, 59);
    await put(process, site, device(2));
    await process.run();
    await process.run(HOUR);
    // It was recorded in time, and read late.
    const hook = (await process.hooks.find(site, HOOK)) ?? expect.fail('no hook');
    await process.hooks.save(site, hook, { cursor: hook.cursor - 1 });
    await process.sweep(site);
    await process.run(HOUR);
    expect(receiver.received).toHaveLength(2);
    const names = toldBy(receiver).flatMap(({ digest }) => digest?.changes.map(({ device: one }) => one?.name) ?? []);
    expect(new Set(names)).toEqual(new Set(['device 1', 'device 2']));
  });

  test.for([
    [30, 0],
    [180, 1],
  ] as const)(
    'leave a loss in their last two minutes out that is over after %d s, and tell it %d times',
    async ([seconds, times], { receiver, clock, process }) => {
      to(clock, 23);
      const events: EventType[] = ['new', 'site-dark', 'site-back'];
      const id = await makeSite(clock, receiver.url, { format: 'ntfy', events, quiet: QUIET });
      await put(process, id, device(1));
      await process.run();
      to(clock, 6, 59);
      await tell(process, id, clock, 'site-dark');
      await put(process, id, device(2));
      await process.run(60_000);
      clock.advance(1_000);
      await process.run((seconds - 1) * 1_000);
      await tell(process, id, clock, 'site-back');
      await process.run(HOUR);
      const told = receiver.received.map(({ body: text }) => text);
      const count = (what: RegExp) => told.filter((text) => what.test(text)).length;
      expect([count(/device 1/), count(/device 2/)]).toEqual([1, 1]);
      expect(count(/time without an agent/)).toBe(times);
      expect(told).toHaveLength(2 + times);
    },
  );

  test('lose nothing of what is held just before they end, wherever the process is stopped that holds it', async () => {
    for (let stopAt = 1; ; stopAt++) {
      await using receiver = await startReceiver();
      const clock = makeClock();
      to(clock, 23);
      const site = await makeSite(clock, receiver.url, { quiet: QUIET });
      const writer = openProcess({ clock });
      await put(writer, site, device(1));
      await writer.run();
      to(clock, 6, 59);
      await put(writer, site, device(2));
      const wasStopped = await isStopped(openProcess({ clock, stopAt }).perform({ site, hook: HOOK }));
      to(clock, 7, 1);
      const next = openProcess({ clock });
      await next.sweep(site); // The delivery is due before this look.
      await next.run(HOUR);
      const names = toldBy(receiver).flatMap(({ digest }) => digest?.changes.map(({ device: one }) => one?.name) ?? []);
      expect(names.sort(), `stopped at call ${stopAt}`).toEqual(['device 1', 'device 2']);
      if (!wasStopped) return;
    }
  });

  test.for([
    ['other exceptions', { ...QUIET, exceptEvents: ['new'] }],
    ['another end', { ...QUIET, to: '06:00' }],
    ['no quiet hours', undefined],
  ] as [string, HookSettings['quiet']][])(
    'that are changed while something is held, to %s and back, have it told once all the same',
    async ([_, changed], { receiver, clock, process }) => {
      to(clock, 23);
      const site = await makeSite(clock, receiver.url, { quiet: QUIET });
      const change = (quiet: HookSettings['quiet']) =>
        process.hooks.change(site, HOOK, (before) => ({ ...before, quiet }));
      await put(process, site, device(1));
      await process.run();
      to(clock, 1);
      await change(changed);
      await put(process, site, device(2));
      await process.run(60_000);
      expect(receiver.received).toHaveLength(changed?.to === '06:00' ? 0 : 1);
      to(clock, 3);
      await change(QUIET);
      await put(process, site, device(3));
      await process.run(12 * HOUR);
      const names = toldBy(receiver).flatMap(({ device: one, digest }) =>
        digest === undefined ? one?.name : digest.changes.map((group) => group.device?.name),
      );
      expect(names.sort()).toEqual(['device 1', 'device 2', 'device 3']);
    },
  );

  test('tell what they hold also when its type became an exception meanwhile', async ({ receiver, clock, process }) => {
    to(clock, 23);
    const site = await makeSite(clock, receiver.url, { quiet: QUIET });
    await put(process, site, device(1));
    await process.run();
    await process.hooks.change(site, HOOK, (before) => ({ ...before, quiet: { ...QUIET, exceptEvents: ['new'] } }));
    await process.run(12 * HOUR);
    expect(toldBy(receiver)).toMatchObject([{ digest: { changes: [{ device: { name: 'device 1' } }] } }]);
  });
});
