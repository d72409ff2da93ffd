import { expect, test } from 'vitest';
import { type Deployment, readDeployment } from './deployment.ts';
import { type Load, monitoringCost, monthlyCosts, totalOf, waitingCost } from './month.ts';

const DEPLOYMENT: Deployment = {
  alarmMetrics: 4,
  countedMetrics: 1,
  dashboards: 1,
  secrets: 0,
  polledQueues: 1,
  memoryGb: { Devices: 1, Nettools: 0.5, Ingest: 0.5 },
  logRetentionDays: 30,
  traced: 0.05,
  firewallRules: null,
};
const IDLE: Load = { sites: 1, devices: 100, calls: 0, commands: 0, waitSeconds: 10 };

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
    Dashboard: { Type: 'AWS::CloudWatch::Dashboard' },
    Queue: { Type: 'AWS::SQS::Queue' },
    DeadLetters: { Type: 'AWS::SQS::Queue' },
    Table: { Type: 'AWS::DynamoDB::GlobalTable' },
    OfQueue: { Type: 'AWS::Lambda::EventSourceMapping', Properties: source('Queue') },
    OfStream: { Type: 'AWS::Lambda::EventSourceMapping', Properties: source('Table') },
    ...Object.fromEntries(
      Object.entries(DEPLOYMENT.memoryGb).map(([name, gb]) => [
        `${name}Function0A1B2C3D`,
        { Type: 'AWS::Lambda::Function', Properties: { MemorySize: gb * 1024 } },
      ]),
    ),
    Log: { Type: 'AWS::Logs::LogGroup', Properties: { RetentionInDays: 30 } },
    Traces: { Type: 'AWS::XRay::SamplingRule', Properties: { SamplingRule: { FixedRate: 0.05 } } },
  };
  expect(readDeployment({ Resources, Outputs: {} })).toEqual(DEPLOYMENT);
  expect(monitoringCost(DEPLOYMENT)).toBeCloseTo(0.4 + 0.3 + 3);
});

test('waiting is paid for by the second and by the memory of the function that waits', () => {
  const wait = (seconds: number, memoryGb: number) =>
    waitingCost(
      { ...DEPLOYMENT, memoryGb: { Nettools: memoryGb } },
      { ...IDLE, commands: 1_000, waitSeconds: seconds },
    );
  expect(wait(10, 0.5)).toBeCloseTo(0.0667, 3);
  expect(wait(60, 0.5)).toBeCloseTo(6 * wait(10, 0.5));
  expect(wait(60, 0.25)).toBeCloseTo(wait(60, 0.5) / 2);
  const [short, long] = [10, 280].map((waitSeconds) =>
    totalOf(monthlyCosts(DEPLOYMENT, { ...IDLE, commands: 1_000, waitSeconds })),
  );
  expect((long ?? 0) - (short ?? 0)).toBeCloseTo(wait(270, 0.5));
});

test('a function that the template does not have is named', () => {
  expect(() => monthlyCosts({ ...DEPLOYMENT, memoryGb: {} }, IDLE)).toThrow('the template has no function Devices');
});
