/** DEPLOY.md and docs/scale.md say what the stack costs, and what it can do, that would be deployed now. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { costTables, type Deployments, deployments, idleSiteCost } from '../costs/tables.ts';
import { scaleTables } from './tables.ts';

const ROOT = join(import.meta.dirname, '../..');
const guide = readFileSync(join(ROOT, 'DEPLOY.md'), 'utf8');
let both: Deployments;
beforeAll(() => {
  both = deployments(ROOT);
});

test('the tables of DEPLOY.md are those that npm run costs prints', () => {
  for (const table of costTables(both)) expect(guide).toContain(`\n${table}\n`);
});

test('the tables of docs/scale.md are those that npm run costs prints', () => {
  const text = readFileSync(join(ROOT, 'docs/scale.md'), 'utf8');
  for (const table of scaleTables(both)) expect(text).toContain(`\n${table}`);
});

test('a site that nobody asks costs less than five dollars a month without further settings', () => {
  expect(idleSiteCost(both)).toBeLessThan(5);
});

test('the prices and the commands of DEPLOY.md are of the same region', () => {
  const regions = new Set(guide.match(/\b[a-z]{2}-(?:north|south|east|west|central)[a-z]*-\d\b/g));
  expect([...regions]).toEqual(['us-east-1']);
});
