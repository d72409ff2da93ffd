/** DEPLOY.md says what the stack costs that would be deployed now. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { unchecked } from '../../cdk/synthesize.ts';
import { type Deployment, deploymentOf } from './deployment.ts';
import { monthlyCosts, totalOf } from './month.ts';
import { costTable, THOUSAND_SITES, thousandsTable } from './tables.ts';

const ROOT = join(import.meta.dirname, '../../..');
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

test('a thousand sites of 100 devices with discovery cost at most 125 dollars a month, an idle one 2', () => {
  expect(totalOf(monthlyCosts(deployment, THOUSAND_SITES))).toBeLessThanOrEqual(125);
  const idle = { ...THOUSAND_SITES, sites: 1, hasDiscovery: false, calls: 0, commands: 0 };
  expect(totalOf(monthlyCosts(deployment, idle))).toBeLessThanOrEqual(2);
});

test('the prices and the commands of DEPLOY.md are of the same region', () => {
  const regions = new Set(textOf('DEPLOY.md').match(/\b[a-z]{2}-(?:north|south|east|west|central)[a-z]*-\d\b/g));
  expect([...regions]).toEqual(['us-east-1']);
});
