/** A dashboard with the metrics of the stack. A dashboard with up to fifty metrics can be free of charge. */
import { Duration, Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, PeriodOverride } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { Watched } from './alarms.ts';
import type { GroupFunction } from './functions.ts';
import { brokerMetric, LARGEST, PERIOD, ruleMatches, rulesOf } from './metrics.ts';

export function addDashboard(scope: Construct, watched: Watched): void {
  const { api, functions, files, broker, hookQueues, batchQueue, table, agentsGone } = watched;
  const { stage } = api;
  const { queue, sightings, deadLetters } = broker;
  const latency = (statistic: string) => stage.metricLatency({ statistic, period: PERIOD, label: statistic });
  const ofFunctions = (metric: (of: GroupFunction['function'], label: string) => IMetric) =>
    functions.map(({ function: lambda, node }) => metric(lambda, node.id));
  const total = { statistic: 'Sum', period: PERIOD };

  new Dashboard(scope, 'Dashboard', {
    dashboardName: Stack.of(scope).stackName,
    defaultInterval: Duration.hours(12),
    periodOverride: PeriodOverride.AUTO,
    widgets: [
      [
        graph('Requests', [stage.metricCount({ period: PERIOD, label: 'Requests' })]),
        graph('Answers that are errors', [
          stage.metricClientError({ ...total, label: '4xx' }),
          stage.metricServerError({ ...total, label: '5xx' }),
        ]),
        graph('Latency (ms)', [latency('p50'), latency('p99')]),
      ],
      [
        graph(
          'Duration of functions, p99 (ms)',
          ofFunctions((of, label) => of.metricDuration({ statistic: 'p99', period: PERIOD, label })),
        ),
        graph('Errors of functions', [
          ...ofFunctions((of, label) => of.metricErrors({ ...total, label })),
          files.function.metricErrors({ ...total, label: files.node.id }),
        ]),
        graph(
          'Functions at the same time',
          ofFunctions((of, label) => of.metric('ConcurrentExecutions', { ...LARGEST, label })),
        ),
      ],
      [
        graph('Messages for ingest', [
          queue.metricApproximateNumberOfMessagesVisible({ ...LARGEST, label: 'Waiting' }),
          sightings.metricApproximateNumberOfMessagesVisible({ ...LARGEST, label: 'Sightings waiting' }),
        ]),
        graph('Age of the oldest message (s)', [
          queue.metricApproximateAgeOfOldestMessage({ ...LARGEST, label: 'For ingest' }),
          sightings.metricApproximateAgeOfOldestMessage({ ...LARGEST, label: 'Sightings' }),
          hookQueues.queue.metricApproximateAgeOfOldestMessage({ ...LARGEST, label: 'For hooks' }),
          batchQueue.queue.metricApproximateAgeOfOldestMessage({ ...LARGEST, label: 'For batches' }),
        ]),
        graph('Dead letters', [
          deadLetters.metricApproximateNumberOfMessagesVisible({ ...LARGEST, label: 'Of agents' }),
          hookQueues.deadLetters.metricApproximateNumberOfMessagesVisible({ ...LARGEST, label: 'Of hooks' }),
        ]),
      ],
      [
        graph('Messages that rules took', rulesOf(broker).map(ruleMatches)),
        graph('Broker, the whole account', [brokerMetric('Connect.Success'), brokerMetric('PublishIn.Success')]),
        graph('Agents that disconnected', [agentsGone]),
      ],
      [
        graph('Table, units consumed', [
          table.metricConsumedReadCapacityUnits({ ...total, label: 'Read' }),
          table.metricConsumedWriteCapacityUnits({ ...total, label: 'Written' }),
        ]),
        graph('Table, calls throttled', [
          table.metric('ReadThrottleEvents', { ...total, label: 'Reads' }),
          table.metric('WriteThrottleEvents', { ...total, label: 'Writes' }),
        ]),
      ],
    ],
  });
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8, height: 6, leftYAxis: { min: 0, showUnits: false } });
}
