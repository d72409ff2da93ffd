/** A dashboard with the metrics of the stack. A dashboard with up to fifty metrics can be free of charge. */
import { Duration, Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, PeriodOverride, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { GroupFunction } from './functions.ts';
import { brokerMetric, PERIOD, ruleMatches } from './metrics.ts';
import type { Watched } from './watched.ts';

export function addDashboard(scope: Construct, watched: Watched): void {
  const { api, functions, files, queue, sightings, deadLetters, hookQueues, rules, table, agentsGone } = watched;
  const { stage } = api;
  const latency = (statistic: string) => stage.metricLatency({ statistic, period: PERIOD, label: statistic });
  const ofFunctions = (metric: (of: GroupFunction['function'], label: string) => IMetric) =>
    functions.map(({ function: lambda, node }) => metric(lambda, node.id));
  const largest = { statistic: Stats.MAXIMUM, period: PERIOD };
  const total = { statistic: Stats.SUM, period: PERIOD };

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
          ...ofFunctions((of, label) => of.metricThrottles({ ...total, label: `${label} throttled` })),
        ]),
        graph(
          'Functions at the same time',
          ofFunctions((of, label) => of.metric('ConcurrentExecutions', { ...largest, label })),
        ),
      ],
      [
        graph('Messages for ingest', [
          queue.metricApproximateNumberOfMessagesVisible({ ...largest, label: 'Waiting' }),
          queue.metricApproximateNumberOfMessagesNotVisible({ ...largest, label: 'In work' }),
          sightings.metricApproximateNumberOfMessagesVisible({ ...largest, label: 'Sightings waiting' }),
        ]),
        graph('Age of the oldest message (s)', [
          queue.metricApproximateAgeOfOldestMessage({ ...largest, label: 'For ingest' }),
          sightings.metricApproximateAgeOfOldestMessage({ ...largest, label: 'Sightings' }),
          hookQueues.queue.metricApproximateAgeOfOldestMessage({ ...largest, label: 'For hooks' }),
        ]),
        graph('Dead letters', [
          deadLetters.metricApproximateNumberOfMessagesVisible({ ...largest, label: 'Of agents' }),
          hookQueues.deadLetters.metricApproximateNumberOfMessagesVisible({ ...largest, label: 'Of hooks' }),
        ]),
      ],
      [
        graph('Messages that rules took', rules.map(ruleMatches)),
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
