/** What the template has that is paid for, whether it is used or not, and what decides the price of its use. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesizeStacks, type Template } from '../../cdk/stacks.ts';

export interface Deployment {
  /** Each metric of an alarm, also as a part of an expression. */
  alarmMetrics: number;
  /** Metrics that count log lines. */
  countedMetrics: number;
  secrets: number;
  /** Queues that Lambda asks for messages all the time. */
  polledQueues: number;
  /** For which it gathers the messages of one of them, at most. */
  gatherSeconds: number;
  /** By the name of the function. */
  memoryGb: Record<string, number>;
  logRetentionDays: number;
}

/**
 * Without further settings.
 * @param root folder of the project
 */
export function deploymentOf(root: string): Deployment {
  const folder = mkdtempSync(join(tmpdir(), 'lanreach-costs-'));
  try {
    return readDeployment(synthesizeStacks(root, {}, folder).main.template);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function readDeployment({ Resources }: Template): Deployment {
  const ofType = (type: string) => Object.entries(Resources).filter(([, { Type }]) => Type === type);
  const properties = (type: string) => ofType(type).map(([, { Properties }]) => Properties ?? {});
  const polled = properties('AWS::Lambda::EventSourceMapping').filter(({ EventSourceArn }) => {
    const [source = ''] = (EventSourceArn as { 'Fn::GetAtt'?: string[] })['Fn::GetAtt'] ?? [];
    return Resources[source]?.Type === 'AWS::SQS::Queue';
  });
  const retentions = properties('AWS::Logs::LogGroup').map(({ RetentionInDays }) => Number(RetentionInDays));
  return {
    alarmMetrics: properties('AWS::CloudWatch::Alarm')
      .map(({ Metrics }) => (Metrics as object[] | undefined)?.filter((part) => 'MetricStat' in part).length ?? 1)
      .reduce((sum, count) => sum + count, 0),
    countedMetrics: ofType('AWS::Logs::MetricFilter').length,
    secrets: ofType('AWS::SecretsManager::Secret').length,
    polledQueues: polled.length,
    gatherSeconds: Math.max(0, ...polled.map(({ MaximumBatchingWindowInSeconds: s = 0 }) => Number(s))),
    memoryGb: Object.fromEntries(
      ofType('AWS::Lambda::Function').map(([id, { Properties }]) => [
        id.replace(/Function\w{8}$/, ''),
        Number(Properties?.MemorySize ?? 128) / 1024,
      ]),
    ),
    logRetentionDays: Math.max(...retentions),
  };
}
