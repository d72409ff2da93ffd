/**
 * The first token: an empty secret, and a resource of our own that has it filled. CloudFormation invokes the function
 * itself: nothing of what the function does passes through a second function, its rights and its log.
 */
import { Aws, CustomResource, Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';

/** Without a value: a generated one would look like a token, and be none. Reading the secret fails until it has one. */
export function createTokenSecret(scope: Construct, { keepData }: { keepData: boolean }): CfnSecret {
  const secret = new CfnSecret(scope, 'TokenSecret', {
    description: 'LanReach: the first API token, with every right',
  });
  secret.applyRemovalPolicy(keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY);
  acknowledge(secret, {
    'AwsSolutions-SMG4':
      'A token that changed by itself would lock out who uses it. Whoever wants another makes a second one and revokes the first, or overwrites the value and deploys again.',
  });
  return secret;
}

export interface FirstTokenProps {
  secret: CfnSecret;
  /** `functions/setup` */
  provider: IFunction;
}

export class FirstToken extends Construct {
  /** Prints the token. */
  readonly fetchCommand: string;

  constructor(scope: Construct, id: string, { secret, provider }: FirstTokenProps) {
    super(scope, id);
    new CustomResource(this, 'Resource', {
      resourceType: 'Custom::FirstToken',
      serviceToken: provider.functionArn,
      // Room for two more invocations, which Lambda makes by itself when the first one breaks down without an answer.
      serviceTimeout: Duration.minutes(10),
      // A resource is looked at again only when something about it has changed.
      properties: { DeployedAt: new Date().toISOString() },
    });
    this.fetchCommand = `aws secretsmanager get-secret-value --region ${Aws.REGION} --secret-id ${secret.ref} --query SecretString --output text`;
  }
}
