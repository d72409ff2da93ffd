import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type DeviceScan,
  type FoundPort,
  isPortList,
  MAX_PORT_CHANGES,
  MAX_PORTS,
  MAX_SCANS,
  mergePorts,
  NO_PORTS,
  type PortHistory,
} from './merge-ports.ts';

const port = (number: number, rest: Partial<FoundPort> = {}): FoundPort => ({
  ...{ port: number, protocol: 'tcp', state: 'open', service: null, product: null, version: null },
  ...rest,
});

/** The scan of this time, which found these ports open. */
const scan = (at: number, tried: string, open: (number | FoundPort)[], rest: Partial<DeviceScan> = {}): DeviceScan => ({
  ...{ at, address: '', scan: `home.scan-${String(at).padStart(9, '0')}` as never },
  ...{ mode: tried === '' ? 'normal' : 'fast', tried, protocol: 'tcp', unclear: '' },
  open: open.map((one) => (typeof one === 'number' ? port(one) : one)),
  ...rest,
});

const mergeAll = (scans: readonly DeviceScan[]): PortHistory =>
  scans.reduce((known, one) => mergePorts(known, one).history, NO_PORTS);
/** What each of the scans, one after the other, has changed: such as `+22`. */
const changesOf = (scans: readonly DeviceScan[]): string[][] => {
  let known = NO_PORTS;
  return scans.map((one) => {
    const { history, changed } = mergePorts(known, one);
    known = history;
    return changed.map(({ change, port }) => `${change === 'opened' ? '+' : '-'}${port}`);
  });
};
const numbers = ({ ports }: PortHistory) => ports.map((one) => one.port);

/** The lists of two scans, of which one tries all that the other tries, and of a scan that does not tell. */
const LISTS = { '20-24': [20, 24], '20-30,80': [20, 30], '': [20, 40] } as const;
const anyScan = fc
  .record({
    at: fc.integer({ min: 1, max: 6 }),
    tried: fc.constantFrom('20-24', '20-30,80', '') as fc.Arbitrary<keyof typeof LISTS>,
    open: fc.uniqueArray(fc.integer({ min: 20, max: 40 }), { maxLength: 6 }),
    service: fc.constantFrom(null, 'ssh', 'http'),
  })
  .map(({ at, tried, open, service }) => {
    const [from, to] = LISTS[tried];
    const found = open.filter((number) => number >= from && number <= to).map((number) => port(number, { service }));
    return { at, tried, found };
  });
/** Each with an id of its own, also when two end at the same time. */
const anyScans = fc
  .array(anyScan, { maxLength: 8 })
  .map((scans) =>
    scans.map(({ at, tried, found }, i) => scan(at, tried, found, { scan: `home.scan-${at}-${i}` as never })),
  );

function tries({ tried }: DeviceScan, number: number): boolean {
  const [from, to] = LISTS[tried as keyof typeof LISTS];
  return tried !== '' && from <= number && number <= to;
}
const finds = ({ open }: DeviceScan, number: number) => open.some((one) => one.port === number);

/** What decides: everything but what is only remembered on the way. */
const decided = ({ ports, scans }: PortHistory) => ({ ports: ports.map(({ firstSeenAt: _, ...rest }) => rest), scans });

test('the order in which scans arrive makes no difference, nor does one that arrives twice', () => {
  fc.assert(
    fc.property(
      anyScans.chain((scans) => {
        const length = { minLength: 2 * scans.length, maxLength: 2 * scans.length };
        return fc.tuple(fc.constant(scans), fc.shuffledSubarray([...scans, ...scans], length));
      }),
      ([scans, arrived]) => void expect(decided(mergeAll(arrived))).toEqual(decided(mergeAll(scans))),
    ),
  );
});

test('a port is open exactly when the newest scan that tried it, or found it, found it open', () => {
  fc.assert(
    fc.property(anyScans, (scans) => {
      const newestFirst = [...scans].sort((a, b) => b.at - a.at || (a.scan < b.scan ? 1 : -1));
      const expected = Array.from({ length: 21 }, (_, i) => 20 + i).filter((number) => {
        const decides = newestFirst.find((one) => tries(one, number) || finds(one, number));
        return decides !== undefined && finds(decides, number);
      });
      const history = mergeAll(scans);
      expect(numbers(history)).toEqual(expected);
      for (const { port: number, seenAt, firstSeenAt } of history.ports) {
        const at = scans.filter((one) => finds(one, number)).map((one) => one.at);
        expect(seenAt).toBe(Math.max(...at));
        expect(at).toContain(firstSeenAt);
      }
    }),
  );
});

test('a scan closes only what was open at the address that was scanned, and tells only what it opened there', () => {
  const [v6, other] = [{ address: 'fd50:1::240' }, { address: '192.168.50.241' }];
  const scans = [
    scan(1, '20-30,80', [22, 80]),
    scan(2, '20-30,80', [], v6),
    scan(3, '20-30,80', [22, 25], other),
    scan(4, '20-30,80', [22, 80]),
    scan(5, '20-30,80', [22], v6),
    scan(6, '20-30,80', [25], other),
    scan(7, '20-30,80', [80]),
  ];
  expect(changesOf(scans)).toEqual([[], [], [], [], ['+22'], ['-22'], ['-22']]);
  const { ports } = mergeAll(scans);
  expect(ports.map(({ port, address }) => [port, address])).toEqual([
    [22, 'fd50:1::240'],
    [25, '192.168.50.241'],
    [80, ''],
  ]);
});

test('a change is what a scan tried that an earlier scan had tried as well, with the other result', () => {
  fc.assert(
    fc.property(anyScans, (scans) => {
      const inOrder = [...scans].sort((a, b) => a.at - b.at || (a.scan < b.scan ? -1 : 1));
      const expected = inOrder.map((one, i) =>
        Array.from({ length: 21 }, (_, j) => 20 + j).flatMap((number) => {
          const before = inOrder.slice(0, i);
          const last = before.findLast((other) => tries(other, number) || finds(other, number));
          const wasOpen = last !== undefined && finds(last, number);
          if (finds(one, number)) return !wasOpen && before.some((other) => tries(other, number)) ? [`+${number}`] : [];
          return wasOpen && tries(one, number) ? [`-${number}`] : [];
        }),
      );
      expect(changesOf(inOrder)).toEqual(expected);
      const { changes } = mergeAll(inOrder);
      expect(changes).toHaveLength(expected.flat().length);
      // Repeated, or in any order: no change is recorded twice.
      const repeated = changesOf([...inOrder, ...inOrder]).slice(inOrder.length);
      expect(repeated.flat()).toEqual([]);
    }),
  );
});

test('a scan that arrives late tells nothing', () => {
  const scans = [scan(1, '20-30', [22]), scan(3, '20-30', [22, 23]), scan(2, '20-30', [])];
  expect(changesOf(scans)).toEqual([[], ['+23'], []]);
});

test('of UDP only what answers opens, and what says nothing closes nothing', () => {
  const udp = (at: number, open: number[], unclear = '') =>
    scan(at, '53,123,161', [...open.map((number) => port(number, { protocol: 'udp' }))], { protocol: 'udp', unclear });
  const changes = changesOf([
    udp(1, [], '53,123,161'),
    udp(2, [123]),
    scan(3, '1-1000', [53]),
    udp(4, [], '123'),
    udp(5, []),
  ]);
  expect(changes).toEqual([[], ['+123'], [], [], ['-123']]);
});

test('the newest changes are remembered, for 90 days before the newest one', () => {
  const flips = (from: number, step: number) =>
    Array.from({ length: 150 }, (_, i) => scan(from + i * step, '20-30', i % 2 === 0 ? [22, 23] : []));
  const { changes } = mergeAll(flips(1, 1));
  expect(changes).toHaveLength(MAX_PORT_CHANGES);
  expect(changes[0]?.at).toBe(150);
  const day = 86_400_000;
  const slow = mergeAll(flips(day, day)).changes;
  expect(slow[0]?.at).toBe(150 * day);
  expect(slow.at(-1)?.at).toBe(61 * day);
});

test('what version detection found stays when a scan without it follows, with its time', () => {
  const detail = scan(1, '22', [port(22, { service: 'ssh', product: 'OpenSSH', version: '9.2p1' })], {
    mode: 'detail',
  });
  const fast = scan(2, '22', [port(22, { service: 'ssh' })]);
  for (const scans of [
    [detail, fast],
    [fast, detail],
  ]) {
    expect(mergeAll(scans).ports).toMatchObject([
      { product: 'OpenSSH', version: '9.2p1', identifiedAt: 1, seenAt: 2, mode: 'fast', scan: fast.scan },
    ]);
  }
  const [changed] = mergeAll([detail, fast, scan(3, '22', [port(22, { product: 'Dropbear sshd' })])]).ports;
  expect(changed).toMatchObject({ product: 'Dropbear sshd', version: null, identifiedAt: 3 });
});

test('however many ports scans claim, a bounded number is kept: those seen last', () => {
  const many = (from: number) => Array.from({ length: MAX_PORTS }, (_, i) => from + i);
  const history = mergeAll([scan(1, '', many(1)), scan(2, '', many(501))]);
  expect(numbers(history)).toEqual(many(501));
  const lists = Array.from({ length: 10 }, (_, i) => scan(i + 1, `${i + 1}`, []));
  expect(mergeAll(lists).scans.map(({ tried }) => tried)).toEqual(['10', '9', '8', '7'].slice(0, MAX_SCANS));
});

test.each([
  ['22', true],
  ['7,9,13,21-23,25-26', true],
  ['', false],
  ['22,', false],
  ['22-', false],
  ['T:22', false],
  [`1${',1'.repeat(4_000)}`, false],
])('%s is a list of ports: %s', (text, expected) => {
  expect(isPortList(text)).toBe(expected);
});
