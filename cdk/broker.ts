/** IoT Core: the permissions of agents, and the rules that forward their messages to ingest. */
import { Aws, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnPolicy, CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { AwsCustomResource, AwsCustomResourcePolicy, PhysicalResourceId } from 'aws-cdk-lib/custom-resources';
import { Construct } from 'constructs';
import type { Queued } from '../functions/ingest/queue.ts';
import { ingestFilters, permissions } from '../shared/agent/topics.ts';
import { AGENT_ID } from '../shared/identity.ts';
import { acknowledge } from './acknowledge.ts';
import { iotArns } from './arns.ts';
import { TIME_LIMITS } from './functions.ts';

/** A policy variable that IoT Core replaces, for each connection, by the name of the certificate's thing. */
const THIS_AGENT = `\${iot:Connection.Thing.ThingName}`;

/**
 * Without the stage. An account has one broker per region, where agents are identified by site and name alone: two
 * deployments there would confirm each other's results, and revoke each other's agents. Because the names are fixed,
 * CloudFormation refuses a second deployment.
 */
const RULE_NAMES = 'LanReach';

export class Broker extends Construct {
  /** Host of the account's data endpoint. */
  readonly endpoint: string;
  readonly agentPolicy: CfnPolicy;
  /** Results, presence, connection events and sightings for ingest. */
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { keepData }: { keepData: boolean }) {
    super(scope, id);
    this.endpoint = dataEndpoint(this);
    this.agentPolicy = new CfnPolicy(this, 'AgentPolicy', { policyDocument: agentPolicyDocument() });
    // If it were deleted, agents would lose their permissions; and an attached policy cannot be deleted anyway.
    this.agentPolicy.applyRemovalPolicy(keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY);

    const deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(4),
      visibilityTimeout: Duration.seconds(6 * TIME_LIMITS.ingest.toSeconds()),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 5 },
    });
    const role = ruleRole(this, [this.queue, deadLetters]);
    const toQueue = (queue: Queue) => ({ sqs: { queueUrl: queue.queueUrl, roleArn: role.roleArn, useBase64: false } });
    const rule = (name: string, description: string, sql: string) =>
      new CfnTopicRule(this, name, {
        ruleName: `${RULE_NAMES}${name}`,
        topicRulePayload: {
          description,
          sql,
          awsIotSqlVersion: '2016-03-23',
          actions: [toQueue(this.queue)],
          errorAction: toQueue(deadLetters),
        },
      });
    // Acks and output have another topic, because only the waiting function needs them.
    rule('Results', 'Results of commands, to be stored', queued(ingestFilters.results));
    rule('Presence', 'Which agents are there, and what they can do', queued(ingestFilters.presence));
    rule('Connections', 'Whose connection has begun or ended', queued(ingestFilters.connections, OF_AN_AGENT));
    rule('Sightings', 'Devices that agents have seen', queued(ingestFilters.sightings));
  }
}

/**
 * Lifecycle events are published for every client of the account. This condition drops those about functions and
 * foreign things before they reach the queue, and those about refused connections, which anybody can attempt. IoT Core
 * itself sets the parts of the topic.
 */
const OF_AN_AGENT = `(topic(4) = 'connected' OR topic(4) = 'disconnected') AND regexp_matches(topic(5), '${AGENT_ID.source}')`;

/** The SQL of a rule, which defines the form of a message in the queue; ingest uses the same names. */
function queued(filter: string, where?: string): string {
  const fields: Record<keyof Queued, string> = { topic: 'topic()', payload: "encode(*, 'base64')" };
  const columns = Object.entries(fields).map(([name, expression]) => `${expression} AS ${name}`);
  return `SELECT ${columns.join(', ')} FROM '${filter}'${where === undefined ? '' : ` WHERE ${where}`}`;
}

function ruleRole(scope: Construct, queues: Queue[]): Role {
  const role = new Role(scope, 'RuleRole', {
    assumedBy: new ServicePrincipal('iot.amazonaws.com', {
      conditions: {
        StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
        ArnLike: { 'aws:SourceArn': iotArns.rule(`${RULE_NAMES}*`) },
      },
    }),
  });
  role.addToPolicy(
    new PolicyStatement({ actions: ['sqs:SendMessage'], resources: queues.map(({ queueArn }) => queueArn) }),
  );
  return role;
}

/** One policy for all agents. IoT Core allows 2048 characters, without blanks. */
function agentPolicyDocument(): object {
  const { subscribe, receive, publish } = permissions.agent(THIS_AGENT);
  const allow = (Action: string, Resource: string[], Condition?: object) => ({
    Effect: Effect.ALLOW,
    Action,
    Resource,
    ...(Condition === undefined ? {} : { Condition }),
  });
  return {
    Version: '2012-10-17',
    Statement: [
      allow('iot:Connect', [iotArns.client(THIS_AGENT)], {
        Bool: { 'iot:Connection.Thing.IsAttached': 'true' },
        // Permits a last will, but no persistent session that queues requests while the agent is offline.
        'ForAllValues:StringEquals': { 'iot:ConnectAttributes': ['LastWill'] },
      }),
      allow('iot:Subscribe', subscribe.map(iotArns.filter)),
      allow('iot:Receive', receive.map(iotArns.topic)),
      allow('iot:Publish', publish.map(iotArns.topic)),
    ],
  };
}

/** The data endpoint of the account. CloudFormation has no attribute for it. */
function dataEndpoint(scope: Construct): string {
  const role = new Role(scope, 'EndpointRole', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  const logGroup = new LogGroup(scope, 'EndpointLog', {
    retention: RetentionDays.ONE_WEEK,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  logGroup.grantWrite(role);
  const lookUp = new AwsCustomResource(scope, 'Endpoint', {
    onUpdate: {
      service: 'Iot',
      action: 'describeEndpoint',
      parameters: { endpointType: 'iot:Data-ATS' },
      physicalResourceId: PhysicalResourceId.fromResponse('endpointAddress'),
      outputPaths: ['endpointAddress'],
    },
    policy: AwsCustomResourcePolicy.fromStatements([
      new PolicyStatement({ actions: ['iot:DescribeEndpoint'], resources: ['*'] }),
    ]),
    installLatestAwsSdk: false,
    role,
    logGroup,
  });
  acknowledge(lookUp, {
    'AwsSolutions-IAM5[Resource::*]': 'DescribeEndpoint knows no resource, and tells nothing but a host name.',
  });
  return lookUp.getResponseField('endpointAddress');
}
