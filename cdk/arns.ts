/** Names of what IoT Core protects. Account and region are those of the deployment. */
import { Aws } from 'aws-cdk-lib';

const iot = (resource: string) => `arn:${Aws.PARTITION}:iot:${Aws.REGION}:${Aws.ACCOUNT_ID}:${resource}`;

export const iotArns = {
  client: (id: string) => iot(`client/${id}`),
  /** Of topics that are published or received. Policies know no MQTT wildcards there: `*` stands for any text. */
  topic: (filter: string) => iot(`topic/${filter.replace(/[+#]/g, '*')}`),
  /** Of a subscription, which must be asked for in just these letters. */
  filter: (filter: string) => iot(`topicfilter/${filter}`),
  thing: (name: string) => iot(`thing/${name}`),
  certificate: (id: string) => iot(`cert/${id}`),
  policy: (name: string) => iot(`policy/${name}`),
  rule: (name: string) => iot(`rule/${name}`),
};
