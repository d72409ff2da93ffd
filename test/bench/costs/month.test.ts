/** The model of costs, with numbers that can be checked by hand. */
import { expect, test } from 'vitest';
import { type Deployment, readDeployment } from './deployment.ts';
import { dailyUse } from './discovery.ts';
import { checksCost, type Load, monitoringCost, monthlyCosts, thousandDownloadsCost } from './month.ts';
import { PRICES } from './prices.ts';

const DEPLOYMENT: Deployment = {
  alarmMetrics: 4,
  countedMetrics: 1,
  secrets: 0,
  polledQueues: 1,
  gatherSeconds: 5,
  memoryGb: { Data: 1, Commands: 0.5, Ingest: 0.5, Access: 0.5 },
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
  const wait = (waitSeconds: number, Commands = 0.5) => {
    const deployment = { ...DEPLOYMENT, memoryGb: { ...DEPLOYMENT.memoryGb, Commands } };
    return monthlyCosts(deployment, { ...IDLE, commands: 1_000, waitSeconds }).waiting;
  };
  expect(wait(10)).toBeCloseTo(0.0667, 3);
  expect(wait(60)).toBeCloseTo(6 * wait(10));
  expect(wait(60, 0.25)).toBeCloseTo(wait(60) / 2);
});

test('messages are bounded by the looks, and writes follow the transitions', () => {
  expect(dailyUse(1_000, { transitionsPerDevice: 0 })).toMatchObject({ messages: 3, writes: 0, changes: 0 });
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

test('checks are paid for by the messages of five minutes, a download by the gigabyte', () => {
  expect(checksCost(DEPLOYMENT, 1_000)).toBeGreaterThan(15);
  expect(checksCost(DEPLOYMENT, 1_000)).toBeLessThan(30);
  expect(checksCost(DEPLOYMENT, 1) * 1_000).toBeGreaterThan(checksCost(DEPLOYMENT, 1_000)); // Fewer come together.
  expect(thousandDownloadsCost(30)).toBeCloseTo(2.7);
});

test('a function that the template does not have is named', () => {
  expect(() => monthlyCosts({ ...DEPLOYMENT, memoryGb: {} }, IDLE)).toThrow('the template has no function');
});
