/** Quiet hours: what is held in them, and that it is sent once when they end, whatever happens on the way. */
import { expect } from 'vitest';
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

const QUIET = { from: '22:00', to: '07:00' };
/** What a receiver got, in order. */
const sentTo = (receiver: Receiver) => receiver.received.map(({ body }) => HookMessage.parse(JSON.parse(body)).data);
/** The devices in it, each of them once. */
const namesIn = (receiver: Receiver) =>
  sentTo(receiver).flatMap(({ device: one, digest }) => digest?.changes.map((of) => of.device?.name) ?? one?.name);
/** A process that holds back what has become of device 1, at 23:00. */
async function holding(receiver: Receiver, clock: Clock, wanted: Partial<HookSettings> = {}) {
  to(clock, 23);
  const site = await makeSite(clock, receiver.url, { quiet: QUIET, ...wanted });
  const process = openProcess({ clock });
  await put(process, site, device(1));
  await process.run();
  return { site, process };
}
/** Of the site, which is UTC. */
function to(clock: Clock, hour: number, minute = 0) {
  const at = clock.now();
  at.setUTCHours(hour, minute, 0, 0);
  if (at < clock.now()) at.setUTCDate(at.getUTCDate() + 1);
  clock.to(at);
}

test('quiet hours hold what happens, and send it as one message when they end', async ({
  receiver,
  clock,
  process,
}) => {
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
  expect(sentTo(receiver).map(({ type }) => type)).toEqual(['new', 'deleted']);
  to(clock, 6, 59);
  await process.run();
  expect(receiver.received).toHaveLength(2);
  await process.run(2 * HOUR);
  const [summary, ...others] = sentTo(receiver).slice(2);
  expect(others).toEqual([]);
  expect(summary).toMatchObject({
    type: 'digest',
    digest: { summary: expect.stringContaining('quiet hours'), more: 0 },
  });
  // Neither what was sent before them, nor what was sent at once.
  expect(summary?.digest?.changes.map(({ device: one, count }) => [one?.name, count])).toEqual([
    ['renamed at night', 2],
    ['device 3', 1],
  ]);
  to(clock, 12);
  await put(process, site, device(4));
  await process.run();
  expect(sentTo(receiver).at(-1)).toMatchObject({ type: 'new' });
});

test('quiet hours lose nothing, and send it once, wherever a process is stopped that holds and sends', async () => {
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
    const sent = new Map(receiver.received.map(({ body }, i) => [receiver.ids()[i], JSON.parse(body)]));
    expect([...sent.values()], `stopped at call ${stopAt}`).toMatchObject([
      { type: 'digest', data: { digest: { changes: [{ device: { name: 'device 1' } }] } } },
    ]);
    if (!wasStopped) return;
  }
});

test('what is found only after the message of quiet hours goes out with another one', async ({ receiver, clock }) => {
  const { site, process } = await holding(receiver, clock);
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
  expect(new Set(namesIn(receiver))).toEqual(new Set(['device 1', 'device 2']));
});

test.for([
  [30, 0],
  [180, 1],
] as const)(
  'a loss in the last two minutes of quiet hours that is over after %d s is sent %d times',
  async ([seconds, times], { receiver, clock }) => {
    const events: EventType[] = ['new', 'site-dark', 'site-back'];
    const { site: id, process } = await holding(receiver, clock, { format: 'ntfy', events });
    to(clock, 6, 59);
    await tell(process, id, clock, 'site-dark');
    await put(process, id, device(2));
    await process.run(60_000);
    clock.advance(1_000);
    await process.run((seconds - 1) * 1_000);
    await tell(process, id, clock, 'site-back');
    await process.run(HOUR);
    const count = (what: RegExp) => receiver.received.filter(({ body }) => what.test(body)).length;
    expect([count(/device 1/), count(/device 2/)]).toEqual([1, 1]);
    expect(count(/time without an agent/)).toBe(times);
    expect(receiver.received).toHaveLength(2 + times);
  },
);

test('of what is held just before the end nothing is lost, wherever the process is stopped that holds it', async () => {
  for (let stopAt = 1; ; stopAt++) {
    await using receiver = await startReceiver();
    const clock = makeClock();
    const { site, process } = await holding(receiver, clock);
    to(clock, 6, 59);
    await put(process, site, device(2));
    const wasStopped = await isStopped(openProcess({ clock, stopAt }).perform({ site, hook: HOOK }));
    to(clock, 7, 1);
    const next = openProcess({ clock });
    await next.sweep(site); // The delivery is due before this look.
    await next.run(HOUR);
    expect(namesIn(receiver).sort(), `stopped at call ${stopAt}`).toEqual(['device 1', 'device 2']);
    if (!wasStopped) return;
  }
});

test.for([
  ['other exceptions', { ...QUIET, exceptEvents: ['new'] }],
  ['another end', { ...QUIET, to: '06:00' }],
  ['no quiet hours', undefined],
] as [string, HookSettings['quiet']][])(
  'what is held is sent once when quiet hours are changed to %s and back',
  async ([_, changed], { receiver, clock }) => {
    const { site, process } = await holding(receiver, clock);
    const change = (quiet: HookSettings['quiet']) =>
      process.hooks.change(site, HOOK, (before) => ({ ...before, quiet }));
    to(clock, 1);
    await change(changed);
    await put(process, site, device(2));
    await process.run(60_000);
    expect(receiver.received).toHaveLength(changed?.to === '06:00' ? 0 : 1);
    to(clock, 3);
    await change(QUIET);
    await put(process, site, device(3));
    await process.run(12 * HOUR);
    expect(namesIn(receiver).sort()).toEqual(['device 1', 'device 2', 'device 3']);
  },
);

test('what is held is also sent when its type became an exception meanwhile', async ({ receiver, clock }) => {
  const { site, process } = await holding(receiver, clock);
  await process.hooks.change(site, HOOK, (before) => ({ ...before, quiet: { ...QUIET, exceptEvents: ['new'] } }));
  await process.run(12 * HOUR);
  expect(sentTo(receiver)).toMatchObject([{ digest: { changes: [{ device: { name: 'device 1' } }] } }]);
});
