/** Encryption at rest with a key of the customer, instead of keys that AWS owns. */
import { Aspects, Aws, type IAspect } from 'aws-cdk-lib';
import { CfnGlobalTable } from 'aws-cdk-lib/aws-dynamodb';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnTopic } from 'aws-cdk-lib/aws-sns';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';

/**
 * Encrypts the table, every queue, log and topic below the scope. CloudWatch itself encrypts logs and alarms, which the policy
 * of the key must allow: see DEPLOY.md.
 * @param users roles that use the table or send to a queue
 */
export function encryptWith(scope: IConstruct, keyArn: string, users: readonly IGrantable[]): void {
  Aspects.of(scope).add(new KeyOfResources(keyArn));
  for (const { grantPrincipal } of users) {
    grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'].map(
          (action) => `kms:${action}`,
        ),
        resources: [keyArn],
        // Only through the table and the queues, not for other data.
        conditions: {
          StringEquals: {
            'kms:ViaService': ['dynamodb', 'sqs'].map((service) => `${service}.${Aws.REGION}.amazonaws.com`),
          },
        },
      }),
    );
  }
}

class KeyOfResources implements IAspect {
  readonly #keyArn: string;

  constructor(keyArn: string) {
    this.#keyArn = keyArn;
  }

  visit(node: IConstruct): void {
    if (node instanceof CfnGlobalTable) {
      node.sseSpecification = { sseEnabled: true, sseType: 'KMS' };
      // One key for the one region. The construct itself requires an account and a region known before the deployment.
      node.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: this.#keyArn });
    } else if (node instanceof CfnQueue) {
      node.sqsManagedSseEnabled = false;
      node.kmsMasterKeyId = this.#keyArn;
    } else if (node instanceof CfnLogGroup) {
      node.kmsKeyId = this.#keyArn;
    } else if (node instanceof CfnTopic) {
      node.kmsMasterKeyId = this.#keyArn;
    }
  }
}
