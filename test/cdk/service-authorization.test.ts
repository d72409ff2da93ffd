import { expect, test } from 'vitest';
import { ACCOUNT, REGION } from './policy.ts';
import { unknownInPolicies } from './service-authorization.ts';

const iot = (resource: string) => `arn:aws:iot:${REGION}:${ACCOUNT}:${resource}`;
const RESOURCES = {
  Table1: { Type: 'AWS::DynamoDB::GlobalTable', Properties: {} },
  Log1: { Type: 'AWS::Logs::LogGroup', Properties: {} },
};

/** What is wrong with a role's policy of this one statement. */
function findings(
  Action: string | string[],
  Resource: string | string[],
  Condition?: object,
  type = 'AWS::IAM::Policy',
) {
  const statement = { Effect: 'Allow', Action, Resource, ...(Condition === undefined ? {} : { Condition }) };
  const policy = { Type: type, Properties: { PolicyDocument: { Statement: [statement] } } };
  return unknownInPolicies({ ...RESOURCES, Policy: policy });
}

test('actions on their resources, with their own condition keys and with those of all services', async () => {
  const conditions = { Null: { 'dynamodb:LeadingKeys': 'false' }, StringEquals: { 'aws:ResourceTag/team': 'network' } };
  expect(await findings(['dynamodb:GetItem', 'dynamodb:Query'], 'arn:Table1', conditions)).toEqual([]);
  expect(await findings('dynamodb:GetRecords', 'Table1.StreamArn')).toEqual([]);
  expect(await findings(['logs:CreateLogStream', 'logs:PutLogEvents'], 'arn:Log1')).toEqual([]);
  expect(await findings('sqs:*', '*', { Bool: { 'aws:SecureTransport': 'false' } })).toEqual([]);
});

test('an action that does not exist', async () => {
  expect(await findings('lambda:InvokeWithResponseStream', '*')).toEqual([
    'Policy: no action lambda:InvokeWithResponseStream',
  ]);
  expect(await findings('nowhere:Do', '*')).toEqual(['Policy: no action nowhere:Do']);
});

test('a resource that the action is not checked on', async () => {
  expect(await findings('iot:AttachThingPrincipal', [iot('cert/*'), iot('thing/*:*')])).toEqual([
    `Policy: iot:AttachThingPrincipal is not checked on ${iot('thing/*:*')}`,
  ]);
  expect(await findings('iot:CreateCertificateFromCsr', iot('cert/*'))).toEqual([
    `Policy: iot:CreateCertificateFromCsr is not checked on ${iot('cert/*')}`,
  ]);
  expect(await findings('sqs:SendMessage', 'arn:Table1')).toEqual([
    `Policy: sqs:SendMessage is not checked on arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/Table1`,
  ]);
});

test('a condition key that the requests of the action never have', async () => {
  expect(await findings('iot:AttachPolicy', iot('cert/*'), { ArnLike: { 'iot:thingArn': iot('thing/*') } })).toEqual([
    'Policy: iot:AttachPolicy has no condition key iot:thingArn',
  ]);
  const stale = { StringEquals: { 'dynamodb:LeadingKey': 'T#' } };
  expect(await findings('dynamodb:GetItem', 'arn:Table1', stale)).toEqual([
    'Policy: dynamodb:GetItem has no condition key dynamodb:LeadingKey',
  ]);
});

test('a policy of IoT Core has the same actions and resources, and condition keys of its own', async () => {
  const attached = { Bool: { 'iot:Connection.Thing.IsAttached': 'true' } };
  const client = iot(`client/\${iot:Connection.Thing.ThingName}`);
  expect(await findings('iot:Connect', client, attached, 'AWS::IoT::Policy')).toEqual([]);
  expect(await findings('iot:Connect', iot('topic/lr'), attached, 'AWS::IoT::Policy')).toHaveLength(1);
});
