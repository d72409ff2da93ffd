import { expect, test } from 'vitest';
import { historyEntry, historyTable } from './history.ts';
import { asText, type Report, type RequestRow, ratioFigure, skippedFigure } from './report.ts';
import { NAMES } from './requests.ts';

const row: RequestRow = {
  name: NAMES.totals,
  p50Ms: 0.1,
  p99Ms: 1,
  perSecond: 9_000,
  timesYardstick: 2.345,
  percentOfYardstick: 31.267,
  serverCpuMs: 0.08,
  timesYardstickCpu: 3.2,
  serverCpuAloneMs: 0.1,
  engineCpuMs: null,
};
const report: Report = {
  machine: {
    date: '2026-01-02',
    cpu: 'any',
    cores: 2,
    memoryGb: 4,
    os: 'Linux',
    node: '24.0.0',
    loadBefore: 0,
    isolated: true,
  },
  figures: [
    ratioFigure("import of 10,000 rows: rows/s of the empty route's requests/s", '%', null, 50),
    ratioFigure('GET /nettools/interfaces: ten in flight, of the bare ip', '%', null, 14.159),
    skippedFigure('POST /nettools/nslookup', 5, 'needs a network namespace'),
  ],
  requests: ['1,000 devices', '10,000 devices', '100,000 devices', "1,000 devices, the cloud's way"].map(
    (title, i) => ({
      title,
      rows: Object.values(NAMES).map((name) => ({ ...row, name, percentOfYardstick: 10 * i + 1.267 })),
    }),
  ),
};

test('a commit has the ratios of 10,000 devices, and nothing for what was skipped', () => {
  const entry = historyEntry(report, 'abcdef0');
  expect(entry).toMatchObject({ commit: 'abcdef0', date: '2026-01-02', node: '24.0.0' });
  expect(entry.values).toMatchObject({ totals: 11.3, 'totals, p50 ×': 2.35, interfaces: 14.2, nslookup: null });
  const [headings = '', first = ''] = asText(historyTable([entry])).split('\n');
  expect(headings).toMatch(/^commit {3}date {8}Node {4}totals {2}latest {2}list, 304 {2}by-status/);
  expect(first).toMatch(/^abcdef0 {2}2026-01-02 {2}24\.0\.0 {4}11\.3 /);
});

test('a figure of the history that the report lacks is an error, which names it', () => {
  const { figures, requests } = report;
  expect(() => historyEntry({ ...report, figures: figures.slice(1) }, 'abcdef0')).toThrow('import of 10,000 rows');
  expect(() => historyEntry({ ...report, requests: requests.slice(0, 3) }, 'abcdef0')).toThrow("cloud's way");
});
