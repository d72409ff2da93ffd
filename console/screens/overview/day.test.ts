import { expect, test } from 'vitest';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import { dayUntil, slotsOf, stretchesOf, sumsOf } from './day.ts';

const NOW = Date.parse('2026-11-29T12:20:00.000Z');
const DAY = dayUntil(NOW);
const UNTIL_NOW = { ...DAY, to: NOW };
const time = (text: string) => `2026-11-29T${text}:00.000Z`;
const at = (text: string) => Date.parse(time(text));
const event = (type: DeviceEvent['type'], when: string, more: Partial<DeviceEvent> = {}) =>
  ({ type, at: time(when), cause: 'sighting', device: { mac: '', key: when, name: '' }, ...more }) as DeviceEvent;
const presence = {
  from: new Date(DAY.from).toISOString(),
  slotSeconds: 1800,
  online: Array<number | null>(48).fill(7),
};
const ALL_WELL = { darkSince: null, lostSince: null };

test('the day ends with the present hour, and each event counts in its hour', () => {
  expect(DAY).toEqual({ from: at('13:00') - 86_400_000, to: at('13:00') });
  const events = [
    event('online', '12:10'),
    event('offline', '11:59'),
    event('down', '11:00'),
    event('online', '11:01', { device: null, count: 5 }),
    event('outage', '11:02', { device: null, subject: { kind: 'outage', id: '1', name: '' }, count: 9 }),
    event('new', '10:30', { cause: 'edit' }),
    event('offline', '10:30', { cause: 'import' }),
  ];
  const slots = slotsOf(events, DAY, 1);
  expect(slots).toHaveLength(24);
  expect(slots.slice(-3).map(({ counts }) => counts)).toEqual([
    { problem: 0, new: 0, back: 0, arrived: 0, left: 0 },
    { problem: 2, new: 0, back: 0, arrived: 5, left: 1 },
    { problem: 0, new: 0, back: 0, arrived: 1, left: 0 },
  ]);
  const [last] = slotsOf(events, DAY, 2).slice(-1);
  expect([last?.from, last?.events.length]).toEqual([at('11:00'), 5]);
});

test('the band: without data, without an agent, without the internet, the worst of them', () => {
  expect(stretchesOf(presence, [], ALL_WELL, UNTIL_NOW)).toEqual([{ state: 'up', ...UNTIL_NOW }]);
  const online = presence.online.map((count, slot) => (slot < 2 ? null : count));
  const events = [
    event('internet-back', '09:00', { detail: { seconds: 600 } }),
    event('site-back', '08:30'),
    event('site-dark', '08:00'),
    event('site-dark', '07:00'),
    event('internet-lost', '06:00'),
  ];
  const stretches = stretchesOf({ ...presence, online }, events, { ...ALL_WELL, lostSince: time('12:00') }, UNTIL_NOW);
  const shown = stretches.map(({ state, to }) => `${state} until ${new Date(to).toISOString().slice(11, 16)}`);
  expect(shown).toEqual([
    ...['unknown until 14:00', 'up until 08:00', 'dark until 08:30', 'up until 08:50', 'lost until 09:00'],
    ...['up until 12:00', 'lost until 12:20'],
  ]);
  const minutes = sumsOf(stretches).map(({ state, ms }) => `${state} ${ms / 60_000}`);
  expect(minutes).toEqual(['unknown 60', 'dark 30', 'lost 30']);
});
