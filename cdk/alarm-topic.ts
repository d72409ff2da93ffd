/** The topic of the alarms. */
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/**
 * Without a key of its own: CloudWatch cannot publish with the key that AWS manages for SNS, and a customer key costs more
 * per month than the rest of the monitoring. Alarms name parts of the stack, but no stored data.
 */
export function alarmTopic(scope: Construct, { stage, alarmEmail }: Settings): Topic {
  const topic = new Topic(scope, 'Topic', { displayName: `LanReach ${stage}`, enforceSSL: true });
  const stack = Stack.of(scope);
  // Replaces the default policy, which lets the account's alarms publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': stack.account },
        ArnLike: {
          'aws:SourceArn': stack.formatArn({
            service: 'cloudwatch',
            resource: 'alarm',
            resourceName: `${stack.stackName}-*`,
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        },
      },
    }),
  );
  if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail));
  return topic;
}
