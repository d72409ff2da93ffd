import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerOf, compare, type SiteAnswer } from './comparison.ts';

const trace = (reached: boolean, rttMs: number | null) => ({
  target: '192.0.2.7',
  reached,
  hops: [{ hop: 1, probes: [{ address: rttMs === null ? null : '192.0.2.7', rttMs, note: null }] }],
});
const scan = (address: string, ports: number[], hostsTotal = 1) => ({
  hosts: [
    {
      ...{ address, mac: null, vendor: null, names: [], state: 'up', timedOut: false, os: null },
      ports: ports.map((port) => ({
        ...{ port, protocol: 'tcp', state: port === 9 ? 'closed' : 'open' },
        ...{ service: null, product: null, version: null },
      })),
    },
  ],
  ...{ hostsUp: 1, hostsTotal, triedTcpPorts: null },
});

test('who resolves it differently: equal answers are one group, in whatever order, and a hostile one is made legible', () => {
  const look = (site: string, ...addresses: string[]) =>
    answerOf(site, 'nslookup', { server: null, name: 'intranet.example.org', addresses, names: [] });
  const equal = [look('a', '10.0.0.1', '10.0.0.2'), look('b', '10.0.0.2', '10.0.0.1')];
  const others = [look('c', '10.0.0.1'), look('d', '\u001b[31mred\u202e')];
  const { groups, differing } = compare([...equal, ...others], [], 10);
  expect(groups).toEqual([
    { parts: ['10.0.0.1', '10.0.0.2'], count: 2, sites: ['a', 'b'] },
    { parts: ['10.0.0.1'], count: 1, sites: ['c'] },
    { parts: ['[31mred'], count: 1, sites: ['d'] },
  ]);
  expect(differing).toEqual([
    { part: '10.0.0.1', count: 3, sites: ['a', 'b', 'c'], missing: ['d'] },
    { part: '[31mred', count: 1, sites: ['d'], missing: ['a', 'b', 'c'] },
    { part: '10.0.0.2', count: 2, sites: ['a', 'b'], missing: ['c', 'd'] },
  ]);
});

test('of an address its names are compared', () => {
  const result = { server: null, name: '10.0.0.1', addresses: ['10.0.0.1'], names: ['nas.lan'] };
  expect(answerOf('a', 'nslookup', result).parts).toEqual(['nas.lan']);
});

test('from which sites it is reached, and how far: only those that reach it have times', () => {
  const answers = [
    answerOf('a', 'traceroute', trace(true, 4)),
    answerOf('b', 'traceroute', trace(true, 12)),
    answerOf('c', 'traceroute', trace(false, null)),
  ];
  const { groups, numbers } = compare(answers, [], 10);
  expect(groups.map(({ parts, sites }) => [parts, sites])).toEqual([
    [['reached'], ['a', 'b']],
    [['not reached'], ['c']],
  ]);
  expect(numbers.find(({ name }) => name === 'rttMs')).toEqual({
    ...{ name: 'rttMs', count: 2, min: 4, median: 8, max: 12, lowest: 'a', highest: 'b' },
  });
});

test('which see other open ports: of one address by port, of a range by address and port', () => {
  const one = [answerOf('a', 'nmap', scan('10.0.0.1', [22, 80, 9])), answerOf('b', 'nmap', scan('10.9.9.9', [22]))];
  expect(compare(one, [], 10).differing).toEqual([{ part: '80/tcp', count: 1, sites: ['a'], missing: ['b'] }]);
  expect(answerOf('a', 'nmap', scan('10.0.0.1', [22], 256)).parts).toEqual(['10.0.0.1 22/tcp', '10.0.0.1 up']);
});

test('min, median and max of what was measured', () => {
  const speed = (site: string, downloadMbps: number) =>
    answerOf(site, 'speedtest', { server: 's', pingMs: 1, downloadMbps, uploadMbps: 5 });
  const { groups, numbers } = compare([speed('a', 50), speed('b', 10), speed('c', 900)], [], 10);
  expect(groups).toEqual([]);
  const downloads = { name: 'downloadMbps', count: 3, min: 10, median: 50, max: 900 };
  expect(numbers).toContainEqual({ ...downloads, lowest: 'b', highest: 'c' });
});

const Answers = fc.uniqueArray(
  fc.record({
    site: fc.stringMatching(/^[a-z]{1,6}$/),
    parts: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 }).map((parts) => [...new Set(parts)].sort()),
    numbers: fc.dictionary(fc.constantFrom('x', 'y'), fc.double({ noNaN: true, noDefaultInfinity: true })),
  }),
  { selector: ({ site }) => site, maxLength: 300 },
);

test('every site is in one group, however they are named, and every number between its ends', () => {
  fc.assert(
    fc.property(Answers, fc.integer({ min: 1, max: 5 }), (answers: SiteAnswer[], named) => {
      const { compared, groups, moreGroups, differing, numbers } = compare(answers, [], named);
      expect(compared).toBe(answers.length);
      if (moreGroups === 0) expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(answers.length);
      for (const { sites, count } of groups) expect(sites).toHaveLength(Math.min(named, count));
      for (const { part, count, sites, missing } of differing) {
        const having = answers.filter(({ parts }) => parts?.includes(part));
        expect([having.length, count > 0 && count < answers.length]).toEqual([count, true]);
        expect(sites.every((site) => having.some((one) => one.site === site))).toBe(true);
        expect(missing.some((site) => having.some((one) => one.site === site))).toBe(false);
      }
      for (const { min, median, max } of numbers) expect(min <= median && median <= max).toBe(true);
    }),
  );
});
