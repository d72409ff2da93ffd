/** The stack of the cloud side but for what it keeps, and how its parts are connected. */
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import { consoleEndpoints } from '../api/http/console.ts';
import { admin } from '../shared/api/admin.ts';
import { devices } from '../shared/api/devices.ts';
import { health } from '../shared/api/health.ts';
import { hooks } from '../shared/api/hooks.ts';
import { jobs } from '../shared/api/jobs.ts';
import { mcp } from '../shared/api/mcp.ts';
import { metrics } from '../shared/api/metrics.ts';
import { nettools } from '../shared/api/nettools.ts';
import { overview } from '../shared/api/overview.ts';
import { specification } from '../shared/api/specification.ts';
import { Api } from './api.ts';
import { iotArns } from './arns.ts';
import { Broker } from './broker.ts';
import type { DataStack } from './data-stack.ts';
import { encryptWith } from './encryption.ts';
import { GroupFunction, TIME_LIMITS } from './functions.ts';
import { HookQueues, hookInstances, streamOf } from './hooks.ts';
import { Monitoring } from './monitoring.ts';
import { privileges } from './privileges.ts';
import type { Settings } from './settings.ts';
import { givenTable } from './table.ts';

export interface LanReachStackProps {
  settings: Settings;
  data: DataStack;
  version: string;
  /** Folder of the project. */
  root: string;
}

/**
 * For each queue the fewest that Lambda has, because a new account has ten for everything, of which four may wait for 25
 * seconds (`waitingCalls`) and one to four follow the table's stream, one for each of its shards. These instances work for a
 * tenth of a second at a time: only if all of them were busy at once, requests would be refused, and come back. Ingest
 * has more where some are reserved.
 */
const INSTANCES_FOR_A_QUEUE = 2;

export class LanReachStack extends Stack {
  constructor(scope: Construct, id: string, { settings, data, version, root }: LanReachStackProps) {
    const { terminationProtection, tags = {} } = settings;
    super(scope, id, { description: `LanReach ${version}`, terminationProtection, tags });
    const table = givenTable(this, settings) ?? data.table;
    const broker = new Broker(this, 'Broker', settings);
    const hookQueues = new HookQueues(this, 'HookQueues');
    const rights = privileges({
      stage: settings.stage,
      tableArn: table.tableArn,
      agentPolicyArn: iotArns.policy(data.agentPolicy.ref),
      hookQueueArn: hookQueues.queue.queueArn,
      streamArn: streamOf(table),
    });
    const { reservedConcurrency } = settings;
    const common = {
      root,
      logRetention: settings.logRetentionDays,
      environment: {
        TABLE_NAME: table.tableName,
        STAGE: settings.stage,
        IOT_ENDPOINT: broker.endpoint,
        AGENT_BROKER: `mqtts://${broker.agentEndpoint}:8883`,
        AGENT_POLICY: data.agentPolicy.ref,
        CORS_ORIGINS: settings.corsOrigins.join(','),
        TOKEN_REQUESTS_PER_MINUTE: String(settings.tokenRequestsPerMinute ?? 'off'),
        LONGEST_WAIT: String(settings.longestWait),
        WAITING_CALLS: String(settings.waitingCalls),
        VERSION: version,
      },
    };
    const devicesFunction = new GroupFunction(this, 'Devices', {
      ...common,
      group: 'devices',
      description: 'The devices of all sites',
      memoryMb: 1024, // A third of it is for devices of whole collections: 400,000 of them.
      timeout: TIME_LIMITS.devices,
      rights: rights.devices,
    });
    const nettoolsFunction = new GroupFunction(this, 'Nettools', {
      ...common,
      group: 'nettools',
      description: 'Commands for agents',
      memoryMb: 512, // Half would do for commands, but to wake a device by its name reads its collection.
      timeout: TIME_LIMITS.nettools,
      rights: rights.nettools,
    });
    const adminFunction = new GroupFunction(this, 'Admin', {
      ...common,
      group: 'admin',
      description: 'Sites, tokens, and the enrolment of agents',
      memoryMb: 512,
      timeout: TIME_LIMITS.admin,
      rights: rights.admin,
      reservedConcurrency,
    });
    const mcpFunction = new GroupFunction(this, 'Mcp', {
      ...common,
      group: 'mcp',
      description: 'Tools for assistants (Model Context Protocol)',
      memoryMb: 1024, // Caches whole collections, as the function of the devices does.
      timeout: TIME_LIMITS.mcp,
      rights: rights.mcp,
    });
    const consoleFunction = new GroupFunction(this, 'Console', {
      ...common,
      environment: { CORS_ORIGINS: common.environment.CORS_ORIGINS },
      group: 'console',
      description: 'The files of the web console, and the answer to paths that do not exist',
      memoryMb: 256, // With less, it would also have less of a processor, and take longer to start.
      timeout: TIME_LIMITS.console,
      rights: rights.console,
      quiet: true,
    });
    const ingestFunction = new GroupFunction(this, 'Ingest', {
      ...common,
      group: 'ingest',
      description: 'Stores what agents say',
      memoryMb: 512,
      timeout: TIME_LIMITS.ingest,
      rights: rights.ingest,
      reservedConcurrency,
      quiet: true,
    });
    // More than what is reserved would be throttled, and end in the dead letters.
    const forIngest = Math.floor((reservedConcurrency ?? 2 * INSTANCES_FOR_A_QUEUE) / 2);
    for (const queue of [broker.queue, broker.sightings]) {
      ingestFunction.function.addEventSource(
        new SqsEventSource(queue, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: forIngest }),
      );
    }
    const hooksFunction = new GroupFunction(this, 'Hooks', {
      ...common,
      environment: { TABLE_NAME: table.tableName, HOOK_QUEUE_URL: hookQueues.queue.queueUrl },
      group: 'hooks',
      description: 'Tells the receivers of hooks what has happened',
      memoryMb: 256,
      timeout: TIME_LIMITS.hooks,
      rights: rights.hooks,
      quiet: true,
    });
    hookQueues.start(hooksFunction, table, hookInstances(settings));
    const setupFunction = new GroupFunction(this, 'Setup', {
      ...common,
      environment: { TABLE_NAME: table.tableName },
      group: 'setup',
      description: 'Makes the first token, and returns it once',
      memoryMb: 512,
      timeout: TIME_LIMITS.setup,
      rights: rights.setup,
    });
    const removalsFunction = new GroupFunction(this, 'Removals', {
      ...common,
      group: 'removals',
      description: 'Ends removals of sites that nobody has asked to the end',
      memoryMb: 512,
      timeout: TIME_LIMITS.removals,
      rights: rights.removals,
      quiet: true,
    });
    new Rule(this, 'Daily', {
      description: 'Removals of sites come to their end also when nobody asks for it',
      schedule: Schedule.rate(Duration.days(1)),
      targets: [new LambdaTarget(removalsFunction.function)],
    });
    const api = new Api(this, 'Api', {
      settings,
      routes: [
        {
          operations: [devices, overview, metrics],
          handler: devicesFunction.function,
          timeout: TIME_LIMITS.devices,
        },
        {
          operations: [nettools, jobs, health],
          handler: nettoolsFunction.function,
          timeout: TIME_LIMITS.nettools,
        },
        {
          operations: [admin, hooks, specification],
          handler: adminFunction.function,
          timeout: TIME_LIMITS.admin,
        },
        { operations: [mcp], handler: mcpFunction.function, timeout: TIME_LIMITS.mcp },
        {
          operations: [consoleEndpoints],
          handler: consoleFunction.function,
          timeout: TIME_LIMITS.console,
          // It has no privilege and the least memory, and anybody can make it run.
          catchesAll: true,
        },
      ],
    });
    mcpFunction.function.addEnvironment('API_HOSTS', api.hosts.join(','));
    hooksFunction.function.addEnvironment('API_URL', api.url);
    const { topic } = new Monitoring(this, 'Monitoring', {
      settings,
      api,
      functions: [devicesFunction, nettoolsFunction, adminFunction, mcpFunction, ingestFunction, hooksFunction],
      files: consoleFunction,
      setup: setupFunction,
      removals: removalsFunction,
      nettools: nettoolsFunction,
      ingest: ingestFunction,
      broker,
      hooks: hooksFunction,
      hookQueues,
      table,
    });
    if (settings.kmsKeyArn !== undefined) {
      const functions = [devicesFunction, nettoolsFunction, adminFunction, mcpFunction, ingestFunction, hooksFunction];
      const users = [...functions, setupFunction, removalsFunction].map((group) => group.function);
      encryptWith(this, settings.kmsKeyArn, [...users, broker.ruleRole]);
    }
    new CfnOutput(this, 'Url', { value: api.url, description: 'Base URL of the API' });
    new CfnOutput(this, 'MakeFirstToken', {
      // Without --cli-binary-format, version 2 of the AWS CLI would decode the payload as base64.
      value: `aws lambda invoke --region ${this.region} --function-name ${setupFunction.function.functionName} --cli-binary-format raw-in-base64-out --payload '{}' /dev/stdout`,
      description: 'Makes the first token and prints it, once',
    });
    new CfnOutput(this, 'TableName', { value: table.tableName, description: 'The table with everything that is kept' });
    new CfnOutput(this, 'AgentBroker', {
      value: common.environment.AGENT_BROKER,
      description: 'Where agents connect to; they are told when they enrol',
    });
    new CfnOutput(this, 'AlarmTopic', {
      value: topic.topicArn,
      description: 'What goes wrong is told to this topic; subscribe to hear of it',
    });
  }
}
