/** Encryption at rest with a key of the customer, in the place of keys that AWS owns. */
import { Aspects, Aws, type IAspect } from 'aws-cdk-lib';
import { CfnGlobalTable } from 'aws-cdk-lib/aws-dynamodb';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnTopic } from 'aws-cdk-lib/aws-sns';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';

/**
 * Encrypts the table, every queue, log and topic below the scope. Logs and alarms are encrypted by CloudWatch itself,
 * which the policy of the key has to allow: see DEPLOY.md.
 * @param users who use the table or send to a queue
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
        // Not for data that somebody hands to them: only as the table and the queues use the key in their name.
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
      // Each region has a key of its own, and here there is one region. The construct asks for an account and a region
      // that are known before the deployment.
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
