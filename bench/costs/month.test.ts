/** The model of costs, with numbers that can be checked by hand. */
import { expect, test } from 'vitest';
import { ingestRate } from '../scale/limits.ts';
import { executionsOfWaiting, SECONDS_A_MONTH } from '../scale/waiting.ts';
import { type Deployment, readDeployment } from './deployment.ts';
import { dailyUse } from './discovery.ts';
import { BEFORE, type Costs, type Load, monitoringCost, monthlyCosts, NOW, totalOf } from './month.ts';
import { PRICES } from './prices.ts';

const DEPLOYMENT: Deployment = {
  alarmMetrics: 4,
  countedMetrics: 1,
  secrets: 0,
  polledQueues: 1,
  gatherSeconds: 5,
  memoryGb: { Devices: 1, Nettools: 0.5, Ingest: 0.5, Hooks: 0.25, Admin: 0.5 },
  logRetentionDays: 30,
};
const IDLE: Load = { sites: 1, devicesPerSite: 100, hasDiscovery: false, calls: 0, commands: 0, waitSeconds: 10 };
const THOUSAND: Load = { ...IDLE, sites: 1_000, hasDiscovery: true };

test('what is billed is read from the template: each metric of an alarm, and the queues that Lambda polls', () => {
  const metric = { MetricStat: {} };
  const source = (id: string) => ({ EventSourceArn: { 'Fn::GetAtt': [id, 'Arn'] } });
  const Resources = {
    Plain: { Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'Errors' } },
    Maths: {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: { Metrics: [{ Expression: 'a + b + c' }, metric, metric, metric] },
    },
    Lines: { Type: 'AWS::Logs::MetricFilter' },
    Queue: { Type: 'AWS::SQS::Queue' },
    DeadLetters: { Type: 'AWS::SQS::Queue' },
    Table: { Type: 'AWS::DynamoDB::GlobalTable' },
    OfQueue: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { ...source('Queue'), MaximumBatchingWindowInSeconds: 5 },
    },
    OfStream: { Type: 'AWS::Lambda::EventSourceMapping', Properties: source('Table') },
    ...Object.fromEntries(
      Object.entries(DEPLOYMENT.memoryGb).map(([name, gb]) => [
        `${name}Function0A1B2C3D`,
        { Type: 'AWS::Lambda::Function', Properties: { MemorySize: gb * 1024 } },
      ]),
    ),
    Log: { Type: 'AWS::Logs::LogGroup', Properties: { RetentionInDays: 30 } },
  };
  expect(readDeployment({ Resources, Outputs: {} })).toEqual(DEPLOYMENT);
  expect(monitoringCost(DEPLOYMENT)).toBeCloseTo(0.4 + 0.3);
});

test('waiting is paid for by the second and by the memory of the function that waits', () => {
  const wait = (waitSeconds: number, Nettools = 0.5) => {
    const deployment = { ...DEPLOYMENT, memoryGb: { ...DEPLOYMENT.memoryGb, Nettools } };
    return monthlyCosts(deployment, { ...IDLE, commands: 1_000, waitSeconds }).waiting;
  };
  expect(wait(10)).toBeCloseTo(0.0667, 3);
  expect(wait(60)).toBeCloseTo(6 * wait(10));
  expect(wait(60, 0.25)).toBeCloseTo(wait(60) / 2);
});

test('a message that is confirmed costs four of IoT Core, and one that is handed to a rule none', () => {
  const { messages } = dailyUse(100, { confirmsEach: true });
  const idle = monthlyCosts(DEPLOYMENT, { ...THOUSAND, hasDiscovery: false }, BEFORE).messages;
  const before = monthlyCosts(DEPLOYMENT, THOUSAND, BEFORE).messages - idle;
  expect(before / ((messages * 30.4 * 1_000) / 1e6)).toBeCloseTo(4, 1);
  const now = monthlyCosts(DEPLOYMENT, THOUSAND, { ...NOW, confirmsEach: true }).messages;
  expect(now).toBeLessThan(before * 0.76);
});

test('none of what was saved makes another driver dearer, and it is over a quarter in all', () => {
  const before = monthlyCosts(DEPLOYMENT, THOUSAND, BEFORE);
  const now = monthlyCosts(DEPLOYMENT, THOUSAND, NOW);
  for (const driver of Object.keys(now) as (keyof Costs)[]) {
    expect([driver, now[driver] <= before[driver] + 1e-9]).toEqual([driver, true]);
  }
  expect(totalOf(now)).toBeLessThan(totalOf(before) * 0.7);
});

test('a site whose devices never change costs a digest a day, and no write', () => {
  expect(dailyUse(1_000, { transitionsPerDevice: 0 })).toMatchObject({ messages: 3, writes: 0, changes: 0 });
});

test('messages are bounded by the looks, and writes follow the transitions', () => {
  const [few, many] = [dailyUse(100), dailyUse(10_000)];
  expect(few.messages).toBeLessThan(5 * 100);
  expect(many.messages).toBeLessThanOrEqual(2 * 24 * 60 + 25);
  expect(many.writes / few.writes).toBeGreaterThan(30);
});

test('sites beyond those in the memory of ingest are read again for each message', () => {
  const reads = (sites: number) => monthlyCosts(DEPLOYMENT, { ...THOUSAND, sites }).reads / sites;
  expect(reads(1_900)).toBeCloseTo(reads(1_000));
  const { messages } = dailyUse(100);
  const missing = 1 - 199_680 / 400_000;
  const more = (missing * 5 * messages * 30.4 * PRICES.million.readUnit) / 1e6;
  expect(reads(4_000) - reads(1_000)).toBeCloseTo(more, 6);
});

test('executions of waiting are a quantile of the Poisson distribution, in the busiest hour', () => {
  /** Commands of one second that are as many as this in the mean of the busiest hour. */
  const ofMean = (mean: number) => executionsOfWaiting({ perMonth: (mean / 4) * SECONDS_A_MONTH, seconds: 1 });
  expect([0, 1, 10].map(ofMean)).toEqual([0, 5, 21]);
  expect(Math.abs(ofMean(10_000) - (10_000 + 3.09 * 100))).toBeLessThan(5);
});

test('more instances of ingest help until the partition of the list of sites is used up', () => {
  expect(ingestRate(10)).toBeCloseTo(2 * ingestRate(5));
  expect(ingestRate(100)).toBe(1_500);
});

test('a function that the template does not have is named', () => {
  expect(() => monthlyCosts({ ...DEPLOYMENT, memoryGb: {} }, IDLE)).toThrow('the template has no function');
});
