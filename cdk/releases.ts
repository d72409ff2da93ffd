/** The bucket with the packages of the agent, which the operator fills: see DEPLOY.md. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { Settings } from './settings.ts';

/**
 * Nobody can read it but functions, which sign addresses for hosts with an enrolment code and for agents. The key that signs releases is never here: who breaks into
 * the account can hand out an older release, and no other code.
 */
export function makeReleasesBucket(scope: Construct, { keepData }: Pick<Settings, 'keepData'>): Bucket {
  const bucket = new Bucket(scope, 'Releases', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    // CloudFormation deletes no bucket with files in it. An empty one goes with a first deployment that fails.
    removalPolicy: keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
  acknowledge(bucket, {
    'AwsSolutions-S1':
      'There is nothing secret in it, and the service logs each address that it signs; a log of reads would cost more.',
  });
  return bucket;
}
