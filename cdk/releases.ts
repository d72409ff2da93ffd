/** The bucket with the packages of the agent, which the operator uploads: see DEPLOY.md. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { Settings } from './settings.ts';

/**
 * Only functions can read it, which sign URLs for hosts with an enrolment code and for agents. The key that signs releases is
 * never here: an attacker in the account can offer an older release, but no other code.
 */
export function makeReleasesBucket(scope: Construct, { keepData }: Pick<Settings, 'keepData'>): Bucket {
  const bucket = new Bucket(scope, 'Releases', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    // CloudFormation deletes only an empty bucket, such as that of a failed first deployment.
    removalPolicy: keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
  acknowledge(bucket, {
    'AwsSolutions-S1':
      'It contains no secret, and the service logs each URL that it signs; a log of reads would cost more.',
  });
  return bucket;
}
