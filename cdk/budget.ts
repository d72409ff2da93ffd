/** A budget that warns of costs before the bill. */
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/**
 * Covers all costs of the account, because AWS attributes costs to a stack only by tags that the owner has activated. AWS
 * Budgets sends the e-mails itself: only the alarms of this stack may publish to the topic.
 */
export function addBudget(scope: Construct, { monthlyBudget, alarmEmail }: Settings): void {
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
