/**
 * The privileges of each function (least privilege): its operations, its keys of the table, its topics.
 *
 * Partition keys have the kind of item as a prefix, to which most privileges are limited. Where two kinds of items
 * share a partition (`S#<site>` holds devices, the state of the collection, and agents), privileges are limited to
 * attributes.
 */
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { instanceId, permissions, topics } from '../shared/agent/topics.ts';
import { type ClientId, clientIdOf, type Stage } from '../shared/identity.ts';
import { ATTRIBUTES, PARTITIONS } from '../store/rows.ts';
import { iotArns } from './arns.ts';

/** Partition keys as IAM patterns. */
const TOKENS = `${PARTITIONS.token}*`;
const TOKEN_LIST = PARTITIONS.tokenList;
const SITE = `${PARTITIONS.site}*`;
const SITE_LIST = PARTITIONS.siteList;
const JOBS = `${PARTITIONS.jobs}*`;
const RESULTS = `${PARTITIONS.results}*`;
const AUDIT = `${PARTITIONS.audit}*`;
const CODES = `${PARTITIONS.enrolmentCode}*`;
const IDEMPOTENCY_KEYS = `${PARTITIONS.idempotencyKeys}*`;
const HOOKS = `${PARTITIONS.hooks}*`;
const DELIVERIES = `${PARTITIONS.deliveries}*`;
const WAITING = PARTITIONS.waitingPlaces;
const PROBE = PARTITIONS.probe;
const SETUP = PARTITIONS.setup;

/** The privileges of a role, and the reasons for wildcards in them, by the findings of the checks (cdk-nag). */
export interface Rights {
  statements: PolicyStatement[];
  acknowledged: Record<string, string>;
}

export type FunctionName =
  | 'devices'
  | 'nettools'
  | 'admin'
  | 'mcp'
  | 'console'
  | 'ingest'
  | 'hooks'
  | 'setup'
  | 'removals';

export function privileges({
  stage,
  tableArn,
  agentPolicyArn,
  hookQueueArn,
  streamArn,
}: {
  stage: Stage;
  tableArn: string;
  agentPolicyArn: string;
  hookQueueArn: string;
  streamArn: string;
}): Record<FunctionName, Rights> {
  const items = itemsOf(tableArn);
  const agents = agentsOf(stage);
  const requests = topics.request(agents);
  const controls = topics.control(agents);
  return {
    devices: {
      statements: [
        ...authentication(items),
        items(['GetItem', 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'], [SITE]),
        // For the overview and the metrics: all sites, or those of the token.
        items(['Query', 'BatchGetItem'], [SITE_LIST]),
        items(['PutItem'], [AUDIT]),
        items(['Query', 'UpdateItem'], [WAITING]),
        new PolicyStatement({ actions: ['iot:Publish'], resources: [iotArns.topic(controls)] }),
      ],
      acknowledged: {
        [wide(`topic/${controls}`)]: 'After a deletion, the agents of any site are asked what they see.',
      },
    },
    nettools: {
      statements: [
        ...authentication(items),
        items(['GetItem'], [SITE_LIST, PROBE]),
        // Devices are looked up by name; the change of a writer that is gone is closed before, which moves the version on.
        items(['GetItem', 'Query'], [SITE]),
        items(['UpdateItem'], [SITE], ATTRIBUTES.version),
        items(['GetItem', 'PutItem', 'UpdateItem', 'Query'], [JOBS]),
        items(['GetItem'], [RESULTS]),
        items(['GetItem', 'PutItem', 'DeleteItem'], [IDEMPOTENCY_KEYS]),
        items(['PutItem'], [AUDIT]),
        items(['Query', 'UpdateItem'], [WAITING]),
        ...connection(stage, [requests, controls]),
      ],
      acknowledged: {
        ...connectionIsWide(stage),
        [wide(`topic/${requests}`)]: 'Which agent gets a command is chosen for each request.',
        [wide(`topic/${controls}`)]: 'Commands of every agent can be cancelled.',
      },
    },
    admin: {
      statements: [
        ...authentication(items),
        items(['Query', 'GetItem'], [TOKEN_LIST, SITE_LIST, SITE, CODES]),
        items(['BatchGetItem'], [TOKENS]),
        items(['PutItem', 'DeleteItem'], [TOKENS, TOKEN_LIST]),
        items(['PutItem'], [SITE_LIST, CODES, AUDIT]),
        items(['UpdateItem'], [CODES]),
        items(['UpdateItem'], [SITE_LIST], ATTRIBUTES.site),
        items(['Query'], [AUDIT]),
        // Commands are part of the audit; unfinished ones can be ended, as can those of a revoked agent.
        items(['GetItem', 'Query'], [JOBS, RESULTS]),
        items(['UpdateItem'], [JOBS], ATTRIBUTES.end),
        // The empty collection of a new site, and the certificates of an agent; never a device, because none of these
        // attributes is one of a device, and items cannot be replaced.
        items(['UpdateItem'], [SITE], ATTRIBUTES.collection),
        items(['UpdateItem'], [SITE], ATTRIBUTES.certificates),
        // A site is removed with all that is in it.
        items(['DeleteItem'], [SITE, SITE_LIST, JOBS, RESULTS, HOOKS, DELIVERIES]),
        // On the condition that the removal is under way. What is removed in the same transaction is named as well, in case
        // IAM judges the keys of all its parts together.
        items(['ConditionCheckItem'], [SITE_LIST, SITE, JOBS, RESULTS, HOOKS, DELIVERIES]),
        // Hooks, and deliveries that somebody asks for. What becomes of them is written by another function.
        items(['Query', 'GetItem', 'PutItem'], [HOOKS, DELIVERIES]),
        items(['UpdateItem'], [HOOKS]),
        new PolicyStatement({ actions: ['iot:Publish'], resources: [iotArns.topic(controls)] }),
        ...registry(stage, agentPolicyArn),
      ],
      acknowledged: {
        'AwsSolutions-IAM5[Resource::*]':
          'CreateCertificateFromCsr knows no resource. What it makes can do nothing until it is attached and switched on.',
        [wide('cert/*')]: 'IoT Core chooses the names of certificates when it makes them.',
        [wide(`thing/${agents}`)]: 'Agents of the stage are added and removed; other things are out of reach.',
        [wide(`client/${agents}`)]: 'The connection of a revoked agent is cut, whichever agent it is.',
        [wide(`topic/${controls}`)]: 'The agents of any site are told when its settings change.',
      },
    },
    mcp: {
      statements: [
        ...authentication(items),
        // Devices are read and renamed; no tool writes many of them, or deletes one.
        items(['GetItem', 'Query', 'PutItem', 'UpdateItem'], [SITE]),
        items(['GetItem', 'Query'], [SITE_LIST]),
        items(['GetItem', 'PutItem', 'UpdateItem'], [JOBS]),
        items(['GetItem'], [RESULTS]),
        items(['PutItem'], [AUDIT]),
        items(['Query', 'UpdateItem'], [WAITING]),
        ...connection(stage, [requests, controls]),
      ],
      acknowledged: {
        ...connectionIsWide(stage),
        [wide(`topic/${requests}`)]: 'Which agent gets a command is chosen for each request.',
        [wide(`topic/${controls}`)]: 'Commands of every agent can be cancelled.',
      },
    },
    // It sends files, and knows no token.
    console: { statements: [], acknowledged: {} },
    ingest: {
      statements: [
        items(['GetItem'], [JOBS]),
        // The result of a job; not its owner or its command.
        items(['UpdateItem'], [JOBS], ATTRIBUTES.outcome),
        items(['PutItem'], [RESULTS], ATTRIBUTES.result),
        items(['DeleteItem'], [RESULTS]), // Of a job that was removed meanwhile.
        // The presence of an agent, as reported by itself and by the broker, and that a certificate before is retired; not
        // the agent's certificates.
        items(['UpdateItem'], [SITE], [...ATTRIBUTES.presence, ...ATTRIBUTES.agentDetails, ...ATTRIBUTES.agentLimit]),
        items(['UpdateItem'], [SITE], ATTRIBUTES.retirement),
        ...retirement(stage, agentPolicyArn),
        // Sightings of agents become changes of the collection.
        items(['GetItem', 'Query'], [SITE]),
        items(['PutItem'], [SITE], [...ATTRIBUTES.device, ...ATTRIBUTES.change]),
        items(['UpdateItem'], [SITE], ATTRIBUTES.version),
        // What port scans find.
        items(['PutItem'], [SITE], ATTRIBUTES.ports),
        // The settings that an agent is told, and whether the site has another agent that is connected.
        items(['GetItem'], [SITE_LIST]),
        items(['UpdateItem'], [SITE, SITE_LIST], ATTRIBUTES.staleness),
        ...connection(stage, [controls]),
      ],
      acknowledged: {
        ...connectionIsWide(stage),
        [wide(`topic/${controls}`)]: 'Every agent is told that its results are safe, and its settings.',
        [wide('cert/*')]: 'IoT Core chooses the names of certificates when it makes them.',
        [wide(`thing/${agents}`)]: 'Any agent of the stage may renew its certificate.',
      },
    },
    hooks: {
      statements: [
        // The journal, the names of devices, and how far a change of many devices has come.
        items(['Query', 'GetItem'], [SITE]),
        items(['Query', 'GetItem'], [HOOKS]),
        // How far a hook has come; not where it leads.
        items(['UpdateItem'], [HOOKS], ATTRIBUTES.hookProgress),
        items(['Query', 'GetItem', 'PutItem'], [DELIVERIES]),
        items(['UpdateItem'], [DELIVERIES], ATTRIBUTES.deliveryProgress),
        new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [hookQueueArn] }),
        // Lambda itself follows the stream, in the name of the function.
        new PolicyStatement({
          actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
          resources: [streamArn],
        }),
        new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }),
      ],
      acknowledged: {
        'AwsSolutions-IAM5[Resource::*]': 'ListStreams, which Lambda needs to follow a stream, knows no resource.',
      },
    },
    // Of the rights of the administration, those that the removal of a site needs.
    removals: {
      statements: [
        items(['GetItem', 'Query'], [SITE_LIST, SITE]),
        items(['Query'], [TOKEN_LIST, JOBS, RESULTS, HOOKS, DELIVERIES]),
        items(['GetItem'], [JOBS]),
        items(['BatchGetItem'], [TOKENS]),
        // Tokens lose the site, and those that had no other are removed.
        items(['PutItem', 'DeleteItem'], [TOKENS, TOKEN_LIST]),
        items(['UpdateItem'], [JOBS], ATTRIBUTES.end),
        items(['UpdateItem'], [SITE], ATTRIBUTES.collection),
        items(['UpdateItem'], [SITE], ATTRIBUTES.certificates),
        items(['DeleteItem', 'ConditionCheckItem'], [SITE, SITE_LIST, JOBS, RESULTS, HOOKS, DELIVERIES]),
        ...revocation(stage, agentPolicyArn),
      ],
      acknowledged: {
        [wide('cert/*')]: 'IoT Core chooses the names of certificates when it makes them.',
        [wide(`thing/${agents}`)]: 'The agents of any site are removed with it; other things are out of reach.',
        [wide(`client/${agents}`)]: 'The connection of a revoked agent is cut, whichever agent it is.',
      },
    },
    setup: {
      statements: [
        items(['GetItem'], [SETUP, TOKENS, SITE_LIST]),
        // One statement, because one transaction writes several of these keys, and IAM may evaluate them together.
        items(['PutItem'], [SETUP, SITE_LIST, AUDIT, TOKENS, TOKEN_LIST]),
        items(['DeleteItem'], [TOKENS, TOKEN_LIST]),
        // The empty collection of the first site.
        items(['UpdateItem'], [SITE], ATTRIBUTES.collection),
      ],
      acknowledged: {},
    },
  };
}

type Items = (actions: string[], keys: string[], attributes?: readonly string[]) => PolicyStatement;

/** @returns a function that builds statements about items, by partition keys and by the attributes in the call */
function itemsOf(tableArn: string): Items {
  return (actions, keys, attributes) =>
    new PolicyStatement({
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

/** Reading a token, and recording its use; its rights cannot be changed. */
function authentication(items: Items): PolicyStatement[] {
  return [items(['GetItem'], [TOKENS]), items(['UpdateItem'], [TOKENS], ['usedAt'])];
}

/** A connection to the broker that may publish on these topics, and receive messages for itself. */
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

/** How the findings of the checks name a resource with a wildcard. */
function wide(resource: string): string {
  return `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:iot:<AWS::Region>:<AWS::AccountId>:${resource}]`;
}

function connectionIsWide(stage: Stage): Record<string, string> {
  const instances = instancesOf(stage);
  return {
    [wide(`client/${instances}`)]: 'Every connection has a client id of its own, made at random.',
    [wide(`topicfilter/${topics.allForInstance(instances)}`)]: 'A connection hears what is meant for its client id.',
    [wide(`topic/${topics.allForInstance(instances).replace('#', '*')}`)]: 'The same, as messages arrive.',
    [wide(`topic/${topics.echo(instances, '*')}`)]: 'A connection proves itself by a message to itself.',
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

/** Issuing and revoking the certificates of agents. */
function registry(stage: Stage, agentPolicyArn: string): PolicyStatement[] {
  const certificates = iotArns.certificate('*');
  const things = iotArns.thing(agentsOf(stage));
  return [
    // The only action without a resource; the certificate is useless until it is attached and activated.
    new PolicyStatement({ actions: ['iot:CreateCertificateFromCsr'], resources: ['*'] }),
    new PolicyStatement({ actions: ['iot:CreateThing'], resources: [things] }),
    toThing('AttachThingPrincipal', things, certificates),
    new PolicyStatement({ actions: ['iot:AttachPolicy'], resources: [agentPolicyArn, certificates] }),
    ...revocation(stage, agentPolicyArn),
  ];
}

function revocation(stage: Stage, agentPolicyArn: string): PolicyStatement[] {
  const things = iotArns.thing(agentsOf(stage));
  return [
    ...retirement(stage, agentPolicyArn),
    new PolicyStatement({ actions: ['iot:DeleteThing', 'iot:ListThingPrincipals'], resources: [things] }),
    new PolicyStatement({ actions: ['iot:DeleteConnection'], resources: [iotArns.client(agentsOf(stage))] }),
  ];
}

/** Making a certificate worthless that its agent does not use any more. */
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

/**
 * IAM checks these two actions and those about policies against the certificate, whose ARN does not contain the agent. A
 * condition can limit the former to a thing; nothing can limit the latter to a policy. IfExists, because no page of AWS
 * shows this key in a request: otherwise one that lacks it would be refused, and no agent could ever enrol.
 */
function toThing(
  action: 'AttachThingPrincipal' | 'DetachThingPrincipal',
  things: string,
  certificates: string,
): PolicyStatement {
  return new PolicyStatement({
    actions: [`iot:${action}`],
    resources: [things, certificates],
    conditions: { ArnLikeIfExists: { 'iot:thingArn': things } },
  });
}
