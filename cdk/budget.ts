/** A budget, for whoever wants to hear of costs before the bill comes. */
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/**
 * Watches all costs of the account, because AWS attributes costs to a stack only by tags that the owner has activated.
 * AWS Budgets sends the e-mails by itself: it cannot use a topic that only the alarms of this stack may publish to.
 */
export function addBudget(scope: Construct, { monthlyBudget, alarmEmail }: Settings): void {
  if (monthlyBudget === undefined || alarmEmail === undefined) return;
  const notification = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
    notification: { notificationType, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE', threshold },
    subscribers: [{ subscriptionType: 'EMAIL', address: alarmEmail }],
  });
  // Without a name of ours: another address replaces it, and CloudFormation makes the next one before it deletes this one.
  new CfnBudget(scope, 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: monthlyBudget, unit: 'USD' } },
    // The forecast needs some weeks of use before AWS makes one.
    notificationsWithSubscribers: [notification('ACTUAL', 80), notification('FORECASTED', 100)],
  });
}
