import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TOOL, TOOLS } from '../../shared/tools/list.ts';
import { blocksOf, declaredTable, headingOf } from './result-blocks.ts';

const words = { yes: 'yes', no: 'no' };

test('an array of objects becomes a table without the columns that are empty, the rest becomes facts', () => {
  const [facts, hosts, tried] = blocksOf(TOOL.nmap.example.result, words);
  expect(facts).toEqual({
    kind: 'facts',
    facts: [
      { name: 'Hosts up', lines: ['1'] },
      { name: 'Hosts total', lines: ['1'] },
    ],
  });
  expect(hosts).toEqual({
    kind: 'table',
    title: 'Hosts',
    headings: ['Address', 'MAC', 'State', 'Timed out', 'Ports'],
    rows: [[['192.168.1.20'], ['00:1E:06:AA:BB:01'], ['up'], ['no'], ['22 · tcp · open · ssh']]],
  });
  expect(tried).toEqual({ kind: 'ports', count: 3, text: '22,80,443' });
});

test('what was tried comes last, as a number of ports', () => {
  const tried = blocksOf({ triedTcpPorts: '1,3-4,990-1000', hostsUp: 1 }, words);
  expect(tried.map(({ kind }) => kind)).toEqual(['facts', 'ports']);
  expect(tried.at(-1)).toMatchObject({ count: 14 });
  expect(blocksOf({ triedTcpPorts: null }, words).map(({ kind }) => kind)).toEqual(['facts']);
});

test('the times of a traceroute have their unit', () => {
  const [, hops] = blocksOf(TOOL.traceroute.example.result, words);
  expect(hops).toMatchObject({
    rows: [[['1'], ['192.168.1.1 · 0.3 ms', '192.168.1.1 · 0.2 ms', '192.168.1.1 · 0.2 ms']]],
  });
});

test('an object within a result says what its parts are', () => {
  const verified = { awake: true, already: false, afterMs: 14_000, ip: '192.168.1.20' };
  expect(blocksOf({ verified }, words)).toEqual([
    {
      kind: 'facts',
      facts: [{ name: 'Verified', lines: ['Awake: yes', 'Already: no', 'After (ms): 14000', 'IP: 192.168.1.20'] }],
    },
  ]);
});

test('every tool has a readable result: no cell shows JSON', () => {
  for (const name of TOOLS) {
    const blocks = blocksOf(TOOL[name].example.result, words);
    expect(blocks.length).toBeGreaterThan(0);
    if (TOOL[name].cli.table === undefined) expect(JSON.stringify(blocks)).not.toContain('{\\"');
  }
});

test('a table that a tool declares: its headings in the usual case, no dashes for what is missing', () => {
  expect(
    declaredTable([
      ['NAME', 'MAC'],
      ['lo', '-'],
    ]),
  ).toEqual({ kind: 'table', title: null, headings: ['Name', 'MAC'], rows: [[['lo'], []]] });
});

test('any JSON can be shown, and every row has a cell for every heading', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const block of blocksOf(value, words)) {
        if (block.kind === 'table') for (const row of block.rows) expect(row.length).toBe(block.headings.length);
      }
    }),
  );
});

test.each([
  ['rttMs', 'Rtt (ms)'],
  ['downloadMbps', 'Download (Mbit/s)'],
  ['rx_bytes', 'Rx (bytes)'],
  ['ipv4', 'IPv4'],
  ['', ''],
])('the heading of %j is %j', (name, heading) => expect(headingOf(name)).toBe(heading));
