/** The policies of the functions' roles, from the rights that `functions/` declares. */
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { FORMAT_RIGHT, type Rights, type TableRight } from '../functions/groups/rights.ts';
import { instanceId, permissions, topics } from '../shared/agent/topics.ts';
import { type ClientId, clientIdOf, type Stage } from '../shared/identity.ts';
import { iotArns } from './arns.ts';

/** The statements of a role, and the reasons for wildcards in them, by the findings of the checks (cdk-nag). */
export interface RolePolicy {
  statements: PolicyStatement[];
  acknowledged: Record<string, string>;
}

interface PolicyResources {
  stage: Stage;
  tableArn: string;
  agentPolicyArn: string;
  taskQueueArn: string;
  releasesArn: string;
  signInSecretArn: string | null;
  mailSecretArn: string | null;
}

export function privileges(resources: PolicyResources): (rights: Rights) => RolePolicy {
  return ({ table, messages, certificates, releases = false, tasks = false, ...secrets }) => {
    const parts: RolePolicy[] = [
      {
        statements: (table.length === 0 ? [] : [FORMAT_RIGHT, ...table]).map((right) =>
          tableStatement(resources.tableArn, right),
        ),
        acknowledged: {},
      },
      ...(messages === undefined ? [] : [messagesPolicy(resources, messages)]),
      ...(certificates === undefined ? [] : [certificatesPolicy(resources, certificates)]),
      ...(releases ? [releasesPolicy(resources)] : []),
      ...(secrets.signInSecret ? [secretPolicy(resources.signInSecretArn)] : []),
      ...(secrets.mailSecret ? [secretPolicy(resources.mailSecretArn)] : []),
      ...(tasks ? [tasksPolicy(resources)] : []),
    ];
    return {
      statements: parts.flatMap(({ statements }) => statements),
      acknowledged: Object.assign({}, ...parts.map(({ acknowledged }) => acknowledged)),
    };
  };
}

/** Limited by partition keys, and by the attributes in the call. */
function tableStatement(tableArn: string, { actions, keys, attributes }: TableRight): PolicyStatement {
  return new PolicyStatement({
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [tableArn],
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
      // "ForAllValues" is also true for a request without keys or attributes.
      Null: {
        'dynamodb:LeadingKeys': 'false',
        ...(attributes === undefined ? {} : { 'dynamodb:Attributes': 'false' }),
      },
      ...(attributes === undefined
        ? {}
        : { 'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', ...attributes] } }),
    },
  });
}

function messagesPolicy(
  { stage }: PolicyResources,
  { over, request, control }: NonNullable<Rights['messages']>,
): RolePolicy {
  const agents = agentsOf(stage);
  const published = [
    ...(request === undefined ? [] : [{ topic: topics.request(agents), reason: request }]),
    { topic: topics.control(agents), reason: control },
  ];
  const names = published.map(({ topic }) => topic);
  return {
    statements:
      over === 'connection'
        ? connection(stage, names)
        : [new PolicyStatement({ actions: ['iot:Publish'], resources: names.map(iotArns.topic) })],
    acknowledged: {
      ...(over === 'connection' ? connectionIsWide(stage) : {}),
      ...Object.fromEntries(published.map(({ topic, reason }) => [wide(`topic/${topic}`), reason])),
    },
  };
}

/** The right to issue certificates includes that to revoke agents, which includes that to retire certificates. */
function certificatesPolicy(
  { stage, agentPolicyArn }: PolicyResources,
  right: NonNullable<Rights['certificates']>,
): RolePolicy {
  const agents = agentsOf(stage);
  return {
    statements: [
      ...(right === 'issue' ? issuing(stage, agentPolicyArn) : []),
      ...retirement(stage, agentPolicyArn),
      ...(right === 'retire' ? [] : revocation(stage)),
    ],
    acknowledged: {
      ...(right === 'issue'
        ? {
            'AwsSolutions-IAM5[Resource::*]':
              'CreateCertificateFromCsr supports no resource. A certificate is useless until it is attached and activated.',
          }
        : {}),
      [wide('cert/*')]: 'IoT Core chooses the names of certificates.',
      [wide(`thing/${agents}`)]: 'Adds, renews and removes agents of the stage, and no other things.',
      ...(right === 'retire'
        ? {}
        : { [wide(`client/${agents}`)]: 'Closes the connection of a revoked agent, which can be any one.' }),
    },
  };
}

function releasesPolicy({ releasesArn }: PolicyResources): RolePolicy {
  return {
    statements: [new PolicyStatement({ actions: ['s3:GetObject'], resources: [`${releasesArn}/*`] })],
    acknowledged: {
      'AwsSolutions-IAM5[Resource::<ReleasesE6BA3EBF.Arn>/*]':
        'The names of packages contain their version; the bucket contains nothing else.',
    },
  };
}

function secretPolicy(arn: string | null): RolePolicy {
  const statements =
    arn === null ? [] : [new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [arn] })];
  return { statements, acknowledged: {} };
}

function tasksPolicy({ taskQueueArn }: PolicyResources): RolePolicy {
  const statements = [new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [taskQueueArn] })];
  return { statements, acknowledged: {} };
}

/** The rights of a connection to the broker to publish on these topics, and to receive its own messages. */
function connection(stage: Stage, publish: string[]): PolicyStatement[] {
  const instances = instancesOf(stage);
  const { subscribe, receive } = permissions.functions(instances);
  const echo = topics.echo(instances, '*');
  return [
    new PolicyStatement({ actions: ['iot:Connect'], resources: [iotArns.client(instances)] }),
    new PolicyStatement({ actions: ['iot:Subscribe'], resources: subscribe.map(iotArns.filter) }),
    new PolicyStatement({ actions: ['iot:Receive'], resources: receive.map(iotArns.topic) }),
    new PolicyStatement({ actions: ['iot:Publish'], resources: [...publish, echo].map(iotArns.topic) }),
  ];
}

/** The id of a finding about a resource with a wildcard. */
function wide(resource: string): string {
  return `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:iot:<AWS::Region>:<AWS::AccountId>:${resource}]`;
}

function connectionIsWide(stage: Stage): Record<string, string> {
  const instances = instancesOf(stage);
  return {
    [wide(`client/${instances}`)]: 'Every connection has a random client id.',
    [wide(`topicfilter/${topics.allForInstance(instances)}`)]: 'A connection receives the messages for its client id.',
    [wide(`topic/${topics.allForInstance(instances).replace('#', '*')}`)]: 'The same, for the messages that arrive.',
    [wide(`topic/${topics.echo(instances, '*')}`)]: 'A connection is verified by a message to itself.',
  };
}

/** Client ids of the functions of a stage, one for each connection. */
function instancesOf(stage: Stage): string {
  return instanceId(stage, '*');
}

/** Client ids and things of all agents of a stage. */
function agentsOf(stage: Stage): ClientId {
  return clientIdOf(stage, '*');
}

function issuing(stage: Stage, agentPolicyArn: string): PolicyStatement[] {
  const certificates = iotArns.certificate('*');
  const things = iotArns.thing(agentsOf(stage));
  return [
    // The only action without a resource.
    new PolicyStatement({ actions: ['iot:CreateCertificateFromCsr'], resources: ['*'] }),
    new PolicyStatement({ actions: ['iot:CreateThing'], resources: [things] }),
    toThing('AttachThingPrincipal', things, certificates),
    new PolicyStatement({ actions: ['iot:AttachPolicy'], resources: [agentPolicyArn, certificates] }),
  ];
}

/** Invalidates a certificate that its agent no longer uses. */
function retirement(stage: Stage, agentPolicyArn: string): PolicyStatement[] {
  const certificates = iotArns.certificate('*');
  const things = iotArns.thing(agentsOf(stage));
  return [
    toThing('DetachThingPrincipal', things, certificates),
    new PolicyStatement({ actions: ['iot:DetachPolicy'], resources: [agentPolicyArn, certificates] }),
    new PolicyStatement({
      actions: ['iot:DescribeCertificate', 'iot:UpdateCertificate', 'iot:DeleteCertificate'],
      resources: [certificates],
    }),
  ];
}

function revocation(stage: Stage): PolicyStatement[] {
  const things = iotArns.thing(agentsOf(stage));
  return [
    new PolicyStatement({ actions: ['iot:DeleteThing', 'iot:ListThingPrincipals'], resources: [things] }),
    new PolicyStatement({ actions: ['iot:DeleteConnection'], resources: [iotArns.client(agentsOf(stage))] }),
  ];
}

/**
 * IAM checks these two actions and those about policies against the certificate, whose ARN does not contain the agent. A
 * condition can limit the former to a thing; nothing can limit the latter to a policy. IfExists, because no page of AWS shows
 * this key in a request: else IAM would deny one that lacks it, and no agent could ever enrol.
 */
function toThing(action: `${'At' | 'De'}tachThingPrincipal`, things: string, certificates: string): PolicyStatement {
  return new PolicyStatement({
    actions: [`iot:${action}`],
    resources: [things, certificates],
    conditions: { ArnLikeIfExists: { 'iot:thingArn': things } },
  });
}
