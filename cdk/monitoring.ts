/** Alarms, their topic, and a budget that warns of costs before the bill. */
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { addAlarms, type MonitoredParts } from './alarms.ts';
import type { Settings } from './settings.ts';

export class Monitoring extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, parts: MonitoredParts) {
    super(scope, id);
    this.topic = alarmTopic(this, parts.settings);
    addAlarms(this, this.topic, parts);
    addBudget(this, parts.settings);
  }
}

/**
 * Without a key of its own: CloudWatch cannot publish with the key that AWS manages for SNS, and a customer key costs more
 * per month than the rest of the monitoring. Alarms name parts of the stack, but no stored data.
 */
function alarmTopic(scope: Construct, { stage, alarmEmail }: Settings): Topic {
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

/**
 * Covers all costs of the account, because AWS attributes costs to a stack only by tags that the owner has activated. AWS
 * Budgets sends the e-mails itself: only the alarms of this stack may publish to the topic.
 */
function addBudget(scope: Construct, { monthlyBudget, alarmEmail }: Settings): void {
  if (monthlyBudget === undefined || alarmEmail === undefined) return;
  const notification = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
    notification: { notificationType, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE', threshold },
    subscribers: [{ subscriptionType: 'EMAIL', address: alarmEmail }],
  });
  // Without a name of ours: another address replaces it, and CloudFormation creates the new one before it deletes the old.
  new CfnBudget(scope, 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: monthlyBudget, unit: 'USD' } },
    // The forecast needs some weeks of use before AWS makes one.
    notificationsWithSubscribers: [notification('ACTUAL', 80), notification('FORECASTED', 100)],
  });
}
