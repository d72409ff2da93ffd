/** The project only gets smaller: see `scripts/size.mjs`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { rows } from '../../functions/table/rows.ts';
import { bounds, measure } from '../../scripts/size.mjs';

const allowed = bounds();
const { folders, longestFile, words } = measure(inject('trackedFiles'));

test('each folder is within its bounds', () => {
  expect(Object.keys(folders).sort()).toEqual(Object.keys(allowed.folders).sort());
  const above = Object.entries(folders).flatMap(([name, { source, tests }]) => {
    const bound = allowed.folders[name] ?? { source: 0, tests: 0 };
    return [
      ...(source > bound.source ? [`${name}: ${source} lines of source, at most ${bound.source}`] : []),
      ...(tests > bound.tests ? [`${name}: ${tests} lines of tests, at most ${bound.tests}`] : []),
    ];
  });
  expect(above).toEqual([]);
});

test('a folder that got smaller has its bound lowered: npm run size -- --lower', () => {
  const slack = 150;
  const loose = Object.entries(folders).filter(([name, { source, tests }]) => {
    const bound = allowed.folders[name] ?? { source: 0, tests: 0 };
    return bound.source - source > slack || bound.tests - tests > slack;
  });
  expect(loose).toEqual([]);
});

test('no file of source is longer than the longest may be', () => {
  expect(longestFile.lines, longestFile.name).toBeLessThanOrEqual(allowed.longestFile);
});

test('the documents are within their bound', () => {
  expect(words).toBeLessThanOrEqual(allowed.words);
});

test('the table has no more kinds of rows, and the API no more operations', () => {
  const { probe: _, ...kinds } = rows;
  expect(Object.keys(kinds).length).toBeLessThanOrEqual(allowed.rows);
  const { paths } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'openapi.json'), 'utf8'));
  const methods = ['get', 'put', 'post', 'patch', 'delete'];
  const operations = Object.values<object>(paths).flatMap((path) =>
    Object.keys(path).filter((key) => methods.includes(key)),
  );
  expect(operations.length).toBeLessThanOrEqual(allowed.operations);
});

test('a bound that rose names the issue that allows it', () => {
  for (const { bound, by, issue } of allowed.raised) {
    expect([bound, by > 0, issue]).toEqual([expect.any(String), true, expect.stringMatching(/\S/)]);
  }
});
