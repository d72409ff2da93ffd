/** The Lambda functions: one for each set of privileges, with its own role and log. */
import { join } from 'node:path';
import { AssetHashType, DockerImage, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { bundleFunction } from './bundle-function.ts';
import type { Rights } from './privileges.ts';

export interface GroupFunctionProps {
  /** Folder of the project. */
  root: string;
  /** File in `api/lambda/`, without `.ts`. */
  group: string;
  description: string;
  memoryMb: number;
  timeout: Duration;
  environment: Record<string, string>;
  rights: Rights;
  /** Concurrent executions that are kept for this function, and that it has at most. */
  reservedConcurrency?: number | undefined;
  logRetention: RetentionDays;
  /**
   * Logs only warnings of the platform, because a function that runs for every message would log every start and end.
   */
  quiet?: boolean;
}

export class GroupFunction extends Construct {
  readonly function: LambdaFunction;
  readonly log: LogGroup;

  constructor(scope: Construct, id: string, props: GroupFunctionProps) {
    super(scope, id);
    const { root, group, description, memoryMb, timeout, environment, rights, logRetention, quiet = false } = props;
    const { reservedConcurrency } = props;
    this.log = new LogGroup(this, 'Log', {
      retention: logRetention,
      // Logs are always deleted with the stack, because the audit is in the table.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.log.grantWrite(role);
    for (const statement of rights.statements) role.addToPolicy(statement);
    acknowledge(role, rights.acknowledged);
    this.function = new LambdaFunction(this, 'Function', {
      code: bundle(root, group),
      handler: 'index.handler',
      description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memoryMb,
      timeout,
      environment,
      role,
      ...(reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
      logGroup: this.log,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: quiet ? SystemLogLevel.WARN : SystemLogLevel.INFO,
    });
  }
}

/** The group in one file: see {@link bundleFunction}. */
function bundle(root: string, group: string): Code {
  return Code.fromAsset(join(root, 'api'), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('none'), // Never used, because the files are built locally.
      command: [group], // The CDK takes bundles of the same description for the same.
      local: {
        tryBundle(output) {
          bundleFunction(root, group, output);
          return true;
        },
      },
    },
  });
}

/** Time limit of each function. */
export const TIME_LIMITS = {
  /** An import of ten megabytes that waits for other changes of the site; a stream of events lasts two minutes. */
  devices: Duration.minutes(3),
  /** A request is held for 280 seconds at most, a stream of events for two minutes. */
  nettools: Duration.minutes(5),
  /** An export of the audit of ninety days; everything else takes seconds. */
  admin: Duration.minutes(3),
  /** An assistant waits for a command for 280 seconds at most, and is then told how to ask for its result. */
  mcp: Duration.minutes(5),
  /** Files are there within milliseconds. */
  console: Duration.seconds(10),
  /** Ten messages, of which one may be the first about a large site. What fails is tried again after six times as long. */
  ingest: Duration.seconds(20),
  /** Ten deliveries at the same time, each of at most ten seconds, with the calls of the table around them. */
  hooks: Duration.seconds(60),
  /** As long as Lambda allows; what is left then is for the next day. */
  removals: Duration.minutes(15),
  /** Less than the minute for which the AWS CLI waits for an answer. */
  setup: Duration.seconds(30),
};
