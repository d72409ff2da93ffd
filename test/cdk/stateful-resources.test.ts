import { expect, test } from 'vitest';
import type { Resources } from './policy.ts';
import { replacements, statefulResources } from './stateful-resources.ts';

const TABLE = {
  Type: 'AWS::DynamoDB::GlobalTable',
  Properties: {
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    BillingMode: 'PAY_PER_REQUEST',
  },
};
const RULE = { Type: 'AWS::IoT::TopicRule', Properties: { RuleName: 'LanReachResults', TopicRulePayload: {} } };
const ALARM = { Type: 'AWS::CloudWatch::Alarm', Properties: { AlarmName: 'Errors', Threshold: 1 } };
const RELEASED: Resources = { Table1: TABLE, Rule1: RULE, Alarm1: ALARM };

/** What a deployment would delete when the stack has these resources instead of the released ones. */
function lostWith(changed: Resources): string[] {
  return replacements(statefulResources(RELEASED), statefulResources(changed));
}

test('changes in place, new resources, and whatever becomes of an alarm are no loss', () => {
  const table = { ...TABLE, Properties: { ...TABLE.Properties, BillingMode: 'PROVISIONED' } };
  expect(lostWith({ Table1: table, Rule1: RULE, Rule2: RULE })).toEqual([]);
});

test('a construct that was renamed has another logical id, and its resource is lost', () => {
  expect(lostWith({ ...RELEASED, Table1: ALARM, Table2: TABLE })).toEqual([
    'Table1 (AWS::DynamoDB::GlobalTable): deleted, or another logical id because its construct was renamed',
  ]);
});

test('a property that cannot be changed in place is named with both values, also when it is added or removed', () => {
  const definitions = [{ AttributeName: 'pk', AttributeType: 'N' }];
  const table = {
    ...TABLE,
    Properties: { ...TABLE.Properties, TableName: 'lanreach', AttributeDefinitions: definitions },
  };
  const rule = { ...RULE, Properties: { TopicRulePayload: {} } };
  expect(lostWith({ Table1: table, Rule1: rule })).toEqual([
    'Rule1 (AWS::IoT::TopicRule): replaced, because RuleName changes: "LanReachResults" → absent',
    'Table1 (AWS::DynamoDB::GlobalTable): replaced, because AttributeDefinitions changes: ' +
      '[{"AttributeName":"pk","AttributeType":"S"}] → [{"AttributeName":"pk","AttributeType":"N"}]',
    'Table1 (AWS::DynamoDB::GlobalTable): replaced, because TableName changes: absent → "lanreach"',
  ]);
});

test('a type that the registry does not contain is refused by name', () => {
  expect(() => statefulResources({ Odd: { Type: 'AWS::Odd::Thing', Properties: {} } })).toThrow(
    'Odd: the registry of CloudFormation has no type AWS::Odd::Thing',
  );
});
