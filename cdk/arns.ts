/** ARNs of IoT Core resources in the account and region of the deployment. */
import { Aws } from 'aws-cdk-lib';

const iot = (resource: string) => `arn:${Aws.PARTITION}:iot:${Aws.REGION}:${Aws.ACCOUNT_ID}:${resource}`;

export const iotArns = {
  client: (id: string) => iot(`client/${id}`),
  /** Topics for publishing or receiving, where policies use `*` instead of MQTT wildcards. */
  topic: (filter: string) => iot(`topic/${filter.replace(/[+#]/g, '*')}`),
  /** A subscription, whose filter must be identical. */
  filter: (filter: string) => iot(`topicfilter/${filter}`),
  thing: (name: string) => iot(`thing/${name}`),
  certificate: (id: string) => iot(`cert/${id}`),
  policy: (name: string) => iot(`policy/${name}`),
  rule: (name: string) => iot(`rule/${name}`),
};
