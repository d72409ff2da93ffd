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
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { CloudFunction } from '../functions/groups/group.ts';
import { acknowledge } from './acknowledge.ts';
import { bundleFunction } from './bundle-function.ts';
import type { RolePolicy } from './privileges.ts';

interface GroupFunctionProps {
  /** Folder of the project. */
  root: string;
  cloudFunction: CloudFunction;
  environment: Record<string, string>;
  rights: RolePolicy;
  /** Reserved concurrent executions of this function, and its limit. */
  reservedConcurrency: number | undefined;
  logRetention: RetentionDays;
}

export class GroupFunction extends Construct {
  readonly function: LambdaFunction;
  readonly log: LogGroup;

  constructor(scope: Construct, id: string, props: GroupFunctionProps) {
    super(scope, id);
    const { root, cloudFunction, environment, rights, logRetention, reservedConcurrency } = props;
    const { name, description, memoryMb, timeLimitS, isQuiet = false, callsItself = false } = cloudFunction;
    this.log = new LogGroup(this, 'Log', {
      retention: logRetention,
      // Always deleted with the stack, because the audit is in the table.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.log.grantWrite(role);
    for (const statement of rights.statements) role.addToPolicy(statement);
    acknowledge(role, rights.acknowledged);
    this.function = new LambdaFunction(this, 'Function', {
      code: bundle(root, name),
      handler: 'index.handler',
      description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memoryMb,
      timeout: Duration.seconds(timeLimitS),
      environment,
      role,
      ...(reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
      // Lambda would stop it after 16 rounds.
      ...(callsItself ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      logGroup: this.log,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: isQuiet ? SystemLogLevel.WARN : SystemLogLevel.INFO,
    });
  }
}

/** The group in one file: see {@link bundleFunction}. */
function bundle(root: string, group: string): Code {
  return Code.fromAsset(join(root, 'functions'), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('none'), // Never used, because the build is local.
      environment: { FUNCTION: group }, // Distinguishes the assets of one folder, which the CDK would build once.
      command: [group], // The same for bundles of the same description.
      local: {
        tryBundle(output) {
          bundleFunction(root, group, output);
          return true;
        },
      },
    },
  });
}
