/** Devices that go together, as agents tell of them: in one batch or in many, in any order, and more than once. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sighting } from '../../../shared/agent/discovery.ts';
import { BLANK_DEVICE, type DeviceRecord } from '../../../shared/device.ts';
import type { Occurrence } from '../../devices/collection/change-row.ts';
import { Snapshot } from '../../devices/collection/snapshot.ts';
import { formatTime } from '../../devices/time.ts';
import { mergeSightings } from '../../sightings/merge-sightings.ts';
import { takeOutages } from './outages.ts';
import { SiteState } from './site-state.ts';

const AT = Date.parse('2026-11-01T08:00:00Z');
const MINUTE = 60_000;
const macOf = (i: number) => `00:1E:06:00:00:${i.toString(16).padStart(2, '0').toUpperCase()}`;
const GATEWAY = macOf(0);

type Fields = Partial<DeviceRecord>;

/** A site whose device 0 is the gateway, and all others hang on it unless they say otherwise. */
function siteOf(count: number, fields: (i: number) => Fields = () => ({})) {
  const devices = Array.from({ length: count }, (_, i) => {
    const devMac = macOf(i);
    const record = { ...BLANK_DEVICE, devMac, devName: `host-${i}`, devPresentLastScan: 1 as const };
    const devParentMAC = i === 0 ? 'Internet' : GATEWAY;
    const devLastConnection = formatTime(new Date(AT - 60 * MINUTE));
    const sightings = { main: { epoch: 1, n: i + 1, online: true, since: 1 } };
    return { key: devMac, record: { ...record, devParentMAC, devLastConnection, ...fields(i) }, sightings };
  });
  let snapshot = new Snapshot('home', 1, devices);
  let state = SiteState.parse({});
  let n = 1_000;
  const occurrences: Occurrence[] = [];
  const covered: string[] = [];

  /** What the agent says of a device in its next change. @param seconds its last sign, or when it is back, after AT */
  const saying = (i: number, online: boolean, seconds: number): Sighting => {
    const seenAt = AT + seconds * 1000;
    const since = online ? seenAt : seenAt + 5 * MINUTE;
    const random = fields(i).devRandomMAC === 1 ? { random: true as const } : {};
    return { mac: macOf(i), n: ++n, online, since, seenAt, ip: null, ...random };
  };

  async function tell(sightings: readonly Sighting[], now = AT + 10 * MINUTE): Promise<void> {
    const batch = { epoch: 1, n: Math.max(...sightings.map((one) => one.n)), covers: null, sightings: [...sightings] };
    const agents = new Map([['main', { connected: true }]]);
    const merged = mergeSightings(snapshot, batch, { agent: 'main', agents, now: new Date(now) });
    const taken = takeOutages(state, { before: snapshot, ...merged, agent: 'main', intervalMs: MINUTE, now });
    state = SiteState.parse(JSON.parse(JSON.stringify(taken.state)));
    occurrences.push(...taken.occurrences);
    covered.push(...taken.outages.keys());
    snapshot = await snapshot.with(merged.put, [], snapshot.version + 1);
  }
  const gone = (devices: readonly number[], seconds = 0) => devices.map((i) => saying(i, false, seconds));
  const back = (devices: readonly number[], seconds: number) => devices.map((i) => saying(i, true, seconds));
  const read = () => ({ occurrences, covered, outages: state.outages });
  return { saying, tell, gone, back, read };
}

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i);

test.each([
  ['switch', 'host-7 is gone, and 1 device behind it', { gone: [7, 8], of: 60, behind: [8] }],
  [
    'switch',
    '4 of 5 devices behind host-7 are gone: the switch, its power or its cable',
    { gone: numbers(4, 50), of: 60, behind: numbers(5, 50) },
  ],
  ['power', '8 of the 9 devices that were there are gone: power, or the wire to them', { gone: numbers(8, 1), of: 9 }],
  ['devices', '4 of 20 devices were seen last within 30 s', { gone: numbers(4, 1), of: 20, secondsApart: 10 }],
])('what goes together is one outage, and its cause is %s: %s', async (cause, why, fleet) => {
  const { gone, of, behind, secondsApart } = { behind: [] as number[], secondsApart: 0, ...fleet };
  const { tell, saying, read } = siteOf(of, (i) => (behind.includes(i) ? { devParentMAC: macOf(7) } : {}));
  await tell(gone.map((i) => saying(i, false, i * secondsApart)));
  expect(read().occurrences[0]?.detail).toEqual({ cause, why });
});

test.each([
  ['two devices that do not depend on each other', 10, [3, 4], {}, 0, 0],
  ['three of a hundred: in a large network some go at any time', 100, [3, 4, 5], {}, 0, 0],
  ['phones that leave with their people', 10, [3, 4, 5], { devRandomMAC: 1 }, 0, 0],
  ['devices that are archived', 10, [3, 4, 5], { devIsArchived: 1 }, 0, 0],
  ['devices that went while no agent watched', 10, [3, 4, 5], {}, -120 * 60, 0],
  ['devices whose last signs lie far from each other', 10, [1, 2, 3, 4], {}, 0, 130],
] as const)('no outage are %s', async (_, count, devices, fields, seconds, secondsApart) => {
  const { tell, saying, read } = siteOf(count, () => fields);
  const signs = devices.map((i) => saying(i, false, seconds + i * secondsApart));
  await tell(signs.map((sign) => ({ ...sign, since: AT + 5 * MINUTE })));
  expect(read()).toEqual({ occurrences: [], covered: [], outages: [] });
});

test('over when more than half are back, with its length; late ones belong to it, and one that leaves again does not', async () => {
  const { tell, gone, back, saying, read } = siteOf(10);
  await tell(gone([0, 1, 2, 3, 4]));
  await tell(back([0, 1], 600), AT + 11 * MINUTE);
  expect(read().occurrences).toHaveLength(1);
  await tell(back([2], 660), AT + 12 * MINUTE);
  expect(read().occurrences[1]).toMatchObject({
    type: 'outage-over',
    at: AT / 1000 + 660,
    count: 5,
    subject: { kind: 'outage', id: read().occurrences[0]?.subject?.id },
    detail: { seconds: 660, back: 3, still: 2 },
    members: [macOf(3), macOf(4)],
  });
  await tell(back([3], 900), AT + 16 * MINUTE);
  await tell([saying(3, false, 960)], AT + 22 * MINUTE);
  await tell(back([4], 3_600), AT + 61 * MINUTE);
  expect(read().covered.filter((key) => key === macOf(3))).toHaveLength(2);
  expect(read().covered.filter((key) => key === macOf(4))).toHaveLength(2);
  expect(read()).toMatchObject({ occurrences: { length: 2 }, outages: [] });
});

test('over a quarter of an hour after the gateway is back, also when most devices stay away', async () => {
  const { tell, gone, back, read } = siteOf(12);
  await tell(gone([0, 1, 2, 3, 4, 5]));
  await tell(back([0], 600), AT + 11 * MINUTE);
  await tell(back([1], 1_600), AT + 27 * MINUTE);
  expect(read().occurrences[1]).toMatchObject({ type: 'outage-over', detail: { back: 2, still: 4 } });
});

test('an outage without an end is forgotten after a week, and one that is over after a day', async () => {
  const { tell, gone, back, read } = siteOf(40, (i) => (i > 30 ? { devParentMAC: macOf(30) } : {}));
  await tell(gone(numbers(8, 1)));
  await tell(gone([30, 31, 32, 33, 34], 3_600), AT + 70 * MINUTE);
  await tell(back([30, 31, 32], 7_200), AT + 121 * MINUTE);
  expect(read().outages).toHaveLength(2);
  await tell(gone([20], 26 * 3_600), AT + 27 * 60 * MINUTE);
  expect(read().outages).toMatchObject([{ at: AT, overAt: null }]);
  await tell(gone([21], 8 * 86_400), AT + 8 * 24 * 60 * MINUTE + 6 * MINUTE);
  expect(read()).toMatchObject({ occurrences: { length: 3 }, outages: [] });
});

test('in any order, in any batches and repeated: one outage, and one end of it', async () => {
  const Order = fc.record({
    signs: fc.array(fc.integer({ min: 0, max: 110 }), { minLength: 6, maxLength: 6 }),
    order: fc.shuffledSubarray(numbers(6), { minLength: 6 }),
    cuts: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 4 }),
    repeats: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(Order, Order, async (going, coming) => {
      const { tell, saying, read } = siteOf(30);
      for (const [online, { signs, order, cuts, repeats }] of [
        [false, going],
        [true, coming],
      ] as const) {
        const all = order.map((i) => saying(i, online, (online ? 1_200 : 0) + (signs[i] ?? 0)));
        const ends = [...new Set([...cuts, 6])].sort();
        const batches = ends.map((end, i) => all.slice(ends[i - 1] ?? 0, end));
        for (const batch of [...batches, ...(repeats ? batches : [])])
          await tell(batch, AT + (online ? 25 : 10) * MINUTE);
      }
      expect(read().occurrences.map(({ type }) => type)).toEqual(['outage', 'outage-over']);
    }),
    { numRuns: 200 },
  );
});
