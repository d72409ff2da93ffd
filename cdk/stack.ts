/** The stack of the cloud side without the persistent data, and the connections between its parts. */
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import { background } from '../functions/groups/background.ts';
import type { CloudFunction, Group } from '../functions/groups/group.ts';
import { groups } from '../functions/groups/list.ts';
import { Api } from './api.ts';
import { iotArns } from './arns.ts';
import { Broker } from './broker.ts';
import type { DataStack } from './data-stack.ts';
import { encryptWith } from './encryption.ts';
import { GroupFunction } from './functions.ts';
import { Monitoring } from './monitoring.ts';
import { privileges } from './privileges.ts';
import { makeReleasesBucket } from './releases.ts';
import type { Settings } from './settings.ts';
import { givenTable } from './table.ts';
import { Tasks } from './tasks.ts';

interface LanReachStackProps {
  settings: Settings;
  data: DataStack;
  version: string;
  /** Folder of the project. */
  root: string;
}

/**
 * The minimum of Lambda for each queue, because a new account has ten for everything. They work for 0.1 s at a time; if all
 * were busy at once, requests would be rejected, and retried. With reserved executions, ingest has more.
 */
const INSTANCES_FOR_A_QUEUE = 2;

/** Sightings and measurements are not urgent, and frequent: one batch of some seconds costs a fifth with many sites. */
const GATHER_SIGHTINGS = Duration.seconds(5);

export class LanReachStack extends Stack {
  constructor(scope: Construct, id: string, { settings, data, version, root }: LanReachStackProps) {
    const { terminationProtection, tags = {} } = settings;
    super(scope, id, { description: `LanReach ${version}`, terminationProtection, tags });
    const table = givenTable(this, settings) ?? data.table;
    const broker = new Broker(this, 'Broker', settings);
    const tasks = new Tasks(this, 'Tasks');
    const releases = makeReleasesBucket(this, settings);
    const rightsOf = privileges({
      stage: settings.stage,
      tableArn: table.tableArn,
      agentPolicyArn: iotArns.policy(data.agentPolicy.ref),
      taskQueueArn: tasks.queue.queueArn,
      releasesArn: releases.bucketArn,
      signInSecretArn: settings.oidcClientSecretArn ?? null,
      mailSecretArn: settings.smtpPasswordSecretArn ?? null,
    });
    const { reservedConcurrency, waitingCalls } = settings;
    const environment = {
      TABLE_NAME: table.tableName,
      STAGE: settings.stage,
      IOT_ENDPOINT: broker.endpoint,
      AGENT_BROKER: `mqtts://${broker.agentEndpoint}:8883`,
      AGENT_POLICY: data.agentPolicy.ref,
      CORS_ORIGINS: settings.corsOrigins.join(','),
      TOKEN_REQUESTS_PER_MINUTE: String(settings.tokenRequestsPerMinute ?? 'off'),
      LONGEST_WAIT: String(settings.longestWait),
      TASK_QUEUE_URL: tasks.queue.queueUrl,
      VERSION: version,
    };
    /** Of functions with other variables. */
    const environments: Partial<Record<string, Record<string, string>>> = {
      console: { CORS_ORIGINS: environment.CORS_ORIGINS },
      access: { ...environment, ...signInEnvironment(settings), ...mailEnvironment(settings) },
      worker: { ...environment, ...mailEnvironment(settings) },
    };
    const deploy = (one: CloudFunction) =>
      new GroupFunction(this, capitalized(one.name), {
        root,
        cloudFunction: one,
        environment: {
          ...(environments[one.name] ?? environment),
          ...(one.rights.releases ? { RELEASES_BUCKET: releases.bucketName } : {}),
        },
        rights: rightsOf(one.rights),
        reservedConcurrency: one.hasReserve ? reservedConcurrency : one.name === 'commands' ? waitingCalls : undefined,
        logRetention: settings.logRetentionDays,
      });
    const answering = mapValues(groups, deploy);
    const { ingest, worker } = mapValues(background, deploy);

    // Beyond the reserve, Lambda would throttle, and messages would end in the dead letters.
    const forIngest = Math.floor((reservedConcurrency ?? 2 * INSTANCES_FOR_A_QUEUE) / 2);
    for (const queue of [broker.queue, broker.sightings]) {
      ingest.function.addEventSource(
        new SqsEventSource(queue, {
          batchSize: 10,
          reportBatchItemFailures: true,
          maxConcurrency: forIngest,
          ...(queue === broker.sightings ? { maxBatchingWindow: GATHER_SIGHTINGS } : {}),
        }),
      );
    }
    tasks.start(worker, settings);
    const api = new Api(this, 'Api', {
      settings,
      routes: Object.values<Group<never>>(groups).map(({ name, routes, timeLimitS, catchesAll = false }) => ({
        operations: Object.values(routes).map(({ operations }) => operations),
        handler: answering[name as keyof typeof groups].function,
        timeout: Duration.seconds(timeLimitS),
        catchesAll,
      })),
    });
    worker.function.addEnvironment('API_URL', api.url);
    const { topic } = new Monitoring(this, 'Monitoring', { settings, ingest, broker, tasks });
    if (settings.kmsKeyArn !== undefined) {
      const { console: _, ...withTable } = answering;
      const users = [...Object.values(withTable), ingest, worker].map((group) => group.function);
      encryptWith(this, settings.kmsKeyArn, [...users, broker.ruleRole]);
    }
    new CfnOutput(this, 'Url', { value: api.url, description: 'Base URL of the API' });
    new CfnOutput(this, 'MakeFirstToken', {
      // Without --cli-binary-format, version 2 of the AWS CLI would decode the payload as base64.
      value: `aws lambda invoke --region ${this.region} --function-name ${answering.access.function.functionName} --cli-binary-format raw-in-base64-out --payload '{}' /dev/stdout`,
      description: 'Makes the first token and prints it, once',
    });
    new CfnOutput(this, 'TableName', { value: table.tableName, description: 'The table with all persistent data' });
    new CfnOutput(this, 'AgentBroker', {
      value: environment.AGENT_BROKER,
      description: 'The broker for agents, which they get when they enrol',
    });
    new CfnOutput(this, 'ReleasesBucket', {
      value: releases.bucketName,
      description: 'The bucket for the packages of the agent',
    });
    new CfnOutput(this, 'AlarmTopic', {
      value: topic.topicArn,
      description: 'The topic of the alarms; subscribe to get them',
    });
  }
}

function signInEnvironment(settings: Settings): Record<string, string> {
  return withValues({
    OIDC_ISSUER: settings.oidcIssuer,
    OIDC_NAME: settings.oidcName,
    OIDC_CLIENT_ID: settings.oidcClientId,
    OIDC_CLIENT_SECRET_ARN: settings.oidcClientSecretArn,
    OIDC_SCOPES: settings.oidcScopes,
    OIDC_ROLES: settings.oidcRoles === undefined ? undefined : JSON.stringify(settings.oidcRoles),
    SESSION_HOURS: settings.sessionHours?.toString(),
  });
}

function mailEnvironment(settings: Settings): Record<string, string> {
  return withValues({
    SMTP_URL: settings.smtpUrl,
    SMTP_FROM: settings.smtpFrom,
    SMTP_USER: settings.smtpUser,
    SMTP_PASSWORD_ARN: settings.smtpPasswordSecretArn,
  });
}

/** Settings without a value have no variable. */
function withValues(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function mapValues<Key extends string, From, To>(of: Readonly<Record<Key, From>>, map: (from: From) => To) {
  return Object.fromEntries(Object.entries<From>(of).map(([key, from]) => [key, map(from)])) as Record<Key, To>;
}
