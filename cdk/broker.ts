/** IoT Core: the endpoint for agents, and the rules that forward their messages to ingest. */
import { Aws, CfnOutput, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnDomainConfiguration, CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { AwsCustomResource, AwsCustomResourcePolicy, PhysicalResourceId } from 'aws-cdk-lib/custom-resources';
import { Construct } from 'constructs';
import { background } from '../functions/groups/background.ts';
import type { Queued } from '../functions/sightings/queue.ts';
import { ingestFilters, ruleName } from '../shared/agent/topics.ts';
import { clientIdPattern, type Stage } from '../shared/identity.ts';
import { acknowledge } from './acknowledge.ts';
import { iotArns } from './arns.ts';
import type { Settings } from './settings.ts';

type BrokerSettings = Pick<Settings, 'stage' | 'brokerDomain' | 'brokerCertificateArn'>;

export class Broker extends Construct {
  /** Host of the account's data endpoint. */
  readonly endpoint: string;
  /** Host to which agents connect: that of the account, or a custom domain name. */
  readonly agentEndpoint: string;
  readonly ruleRole: Role;
  /** Results, presence and connection events for ingest. */
  readonly queue: Queue;
  /** Sightings for ingest: most of the traffic, which in one queue could delay the results of all agents. */
  readonly sightings: Queue;
  /** Messages of both at which ingest or a rule has failed. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, settings: BrokerSettings) {
    super(scope, id);
    const { stage, brokerDomain, brokerCertificateArn } = settings;
    this.endpoint = dataEndpoint(this);
    this.agentEndpoint = brokerDomain ?? this.endpoint;
    if (brokerDomain !== undefined && brokerCertificateArn !== undefined) {
      new CfnDomainConfiguration(this, 'Domain', {
        domainName: brokerDomain,
        serverCertificateArns: [brokerCertificateArn],
        serviceType: 'DATA',
      });
      new CfnOutput(this, 'BrokerDnsTarget', {
        value: this.endpoint,
        description: `The record to create: ${brokerDomain} CNAME this name`,
      }).overrideLogicalId('BrokerDnsTarget');
    }
    this.deadLetters = makeQueue(this, 'DeadLetters', 14);
    this.queue = queueForIngest(this, 'Queue', this.deadLetters);
    this.sightings = queueForIngest(this, 'SightingsQueue', this.deadLetters);
    this.ruleRole = makeRuleRole(this, stage, [this.queue, this.sightings, this.deadLetters]);
    const { roleArn } = this.ruleRole;
    const toQueue = (queue: Queue) => ({ sqs: { queueUrl: queue.queueUrl, roleArn, useBase64: false } });
    const rule = (name: string, description: string, sql: string, queue = this.queue) =>
      new CfnTopicRule(this, name, {
        ruleName: ruleName(stage, name),
        topicRulePayload: {
          description,
          sql,
          awsIotSqlVersion: '2016-03-23',
          actions: [toQueue(queue)],
          errorAction: toQueue(this.deadLetters),
        },
      });
    const filters = ingestFilters(stage);
    // Acks and output have another topic, because only the waiting function needs them.
    rule('Results', 'Results of commands', queued(filters.results));
    rule('Presence', 'Presence and capabilities of agents', queued(filters.presence));
    rule('Connections', 'Starts and ends of connections', queued(filters.connections, ofAnAgent(stage)));
    rule('Sightings', 'Devices that agents have seen', queued(filters.sightings), this.sightings);
    rule('Measurements', 'Measurements of agents', queued(filters.measurements), this.sightings);
  }
}

/** The delay of a retry: the minimum that Lambda advises. */
const VISIBILITY_S = 6 * background.ingest.timeLimitS;
/** Long enough for an outage of the table to pass. */
const TRIED_FOR_S = Duration.minutes(30).toSeconds();

export function makeQueue(scope: Construct, id: string, days: number, props: QueueProps = {}): Queue {
  const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod: Duration.days(days) };
  return new Queue(scope, id, { ...common, ...props });
}

function queueForIngest(scope: Construct, id: string, deadLetters: Queue): Queue {
  return makeQueue(scope, id, 4, {
    visibilityTimeout: Duration.seconds(VISIBILITY_S),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: TRIED_FOR_S / VISIBILITY_S },
  });
}

/**
 * IoT Core publishes lifecycle events for every client of the account. This condition drops those of functions, of agents of
 * other stages, of foreign things, and of rejected connections, which every host can attempt. IoT Core itself sets the topic.
 */
const ofAnAgent = (stage: Stage) =>
  `(topic(4) = 'connected' OR topic(4) = 'disconnected') AND regexp_matches(topic(5), '${clientIdPattern(stage)}')`;

/** The SQL of a rule, which defines the format of a message in the queue; ingest uses the same names. */
function queued(filter: string, where?: string): string {
  const fields: Record<keyof Queued, string> = { topic: 'topic()', payload: "encode(*, 'base64')" };
  const columns = Object.entries(fields).map(([name, expression]) => `${expression} AS ${name}`);
  return `SELECT ${columns.join(', ')} FROM '${filter}'${where === undefined ? '' : ` WHERE ${where}`}`;
}

function makeRuleRole(scope: Construct, stage: Stage, queues: Queue[]): Role {
  const role = new Role(scope, 'RuleRole', {
    assumedBy: new ServicePrincipal('iot.amazonaws.com', {
      conditions: {
        StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
        ArnLike: { 'aws:SourceArn': iotArns.rule(ruleName(stage, '*')) },
      },
    }),
  });
  role.addToPolicy(
    new PolicyStatement({ actions: ['sqs:SendMessage'], resources: queues.map(({ queueArn }) => queueArn) }),
  );
  return role;
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
    'AwsSolutions-IAM5[Resource::*]': 'DescribeEndpoint supports no resource, and returns only a host name.',
  });
  return lookUp.getResponseField('endpointAddress');
}
