/** Whether alarms have what they look at, and reach somebody. */
import * as z from 'zod';
import type { Aws } from './aws-cli.ts';
import { type Check, failed, passed, unclear } from './checks.ts';
import { resourceOf } from './stack.ts';

const Subscriptions = z.object({
  Subscriptions: z.array(z.object({ SubscriptionArn: z.string(), Protocol: z.string(), Endpoint: z.string() })),
});
/** In the place of an ARN. */
const UNCONFIRMED = 'PendingConfirmation';
const Metrics = z.object({ Metrics: z.array(z.unknown()) });

export const ALARM_CHECKS: readonly Check<{ aws: Aws; stack: string }>[] = [
  {
    title: 'Somebody hears of alarms',
    timeoutMs: 60_000,
    async run(means, signal) {
      const topic = await resourceOf(means, 'AWS::SNS::Topic', 'MonitoringTopic', signal);
      const answer = await means.aws(['sns', 'list-subscriptions-by-topic', '--topic-arn', topic], signal);
      const { Subscriptions: found } = Subscriptions.parse(answer);
      const facts = found.map(({ Protocol, Endpoint, SubscriptionArn }) =>
        SubscriptionArn === UNCONFIRMED ? `${Protocol} ${Endpoint}: not confirmed` : `${Protocol} ${Endpoint}`,
      );
      if (found.some(({ SubscriptionArn }) => SubscriptionArn === UNCONFIRMED)) {
        return failed(...facts, 'AWS has asked that address in an e-mail, and sends nothing before it has agreed');
      }
      return found.length > 0 ? passed(...facts) : unclear('Nobody is subscribed: deploy with -c alarmEmail=<address>');
    },
  },
  {
    title: 'AWS counts the concurrent executions of Lambda for the alarm about them',
    timeoutMs: 60_000,
    async run({ aws }, signal) {
      const of = ['--namespace', 'AWS/Usage', '--metric-name', 'ResourceCount'];
      const dimensions = ['--dimensions', 'Name=Service,Value=Lambda', 'Name=Resource,Value=ConcurrentExecutions'];
      const { Metrics: found } = Metrics.parse(await aws(['cloudwatch', 'list-metrics', ...of, ...dimensions], signal));
      if (found.length > 0) return passed();
      return failed('AWS/Usage has no such metric: deploy with -c accountConcurrency=<quota of the account>');
    },
  },
];
