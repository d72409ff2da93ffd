/** DEPLOY.md and docs/scale.md say what the stack costs, and what it can do, that would be deployed now. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { unchecked } from '../../test/cdk/synthesize.ts';
import { type Deployment, deploymentOf } from '../costs/deployment.ts';
import { monthlyCosts, totalOf } from '../costs/month.ts';
import { costTable, THOUSAND_SITES, thousandsTable } from '../costs/tables.ts';
import { scaleTables } from './tables.ts';

const ROOT = join(import.meta.dirname, '../..');
const textOf = (document: string) => readFileSync(join(ROOT, document), 'utf8');
let deployment: Deployment;
beforeAll(() => {
  deployment = unchecked(() => deploymentOf(ROOT));
});

test('the tables of DEPLOY.md are those that npm run bench -- costs prints', () => {
  for (const table of [costTable(deployment), thousandsTable(deployment)]) {
    expect(textOf('DEPLOY.md')).toContain(`\n${table}\n`);
  }
});

test('the tables of docs/scale.md are those that npm run bench -- costs prints', () => {
  for (const table of scaleTables(deployment)) expect(textOf('docs/scale.md')).toContain(`\n${table}`);
});

test('a thousand sites of 100 devices with discovery cost at most 150 dollars a month', () => {
  expect(totalOf(monthlyCosts(deployment, THOUSAND_SITES))).toBeLessThanOrEqual(150);
});

test('the prices and the commands of DEPLOY.md are of the same region', () => {
  const regions = new Set(textOf('DEPLOY.md').match(/\b[a-z]{2}-(?:north|south|east|west|central)[a-z]*-\d\b/g));
  expect([...regions]).toEqual(['us-east-1']);
});
