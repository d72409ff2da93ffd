/** The rights of the certificate of an agent at the broker. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { Effect } from 'aws-cdk-lib/aws-iam';
import { CfnPolicy } from 'aws-cdk-lib/aws-iot';
import type { Construct } from 'constructs';
import { permissions } from '../shared/agent/topics.ts';
import type { Stage } from '../shared/identity.ts';
import { iotArns } from './arns.ts';
import type { Settings } from './settings.ts';

/** A policy variable that IoT Core replaces, for each connection, by the name of the certificate's thing. */
const THIS_AGENT = `\${iot:Connection.Thing.ThingName}`;

/** One policy for all agents of a stage. */
export function makeAgentPolicy(scope: Construct, { stage, keepData }: Pick<Settings, 'stage' | 'keepData'>) {
  const policy = new CfnPolicy(scope, 'AgentPolicy', { policyDocument: agentPolicyDocument(stage) });
  // Without it, agents would lose their rights; and an attached policy cannot be deleted anyway.
  policy.applyRemovalPolicy(keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY);
  return policy;
}

/** IoT Core allows 2048 characters, without blanks. */
function agentPolicyDocument(stage: Stage): object {
  const { subscribe, receive, publish } = permissions.agent(stage, THIS_AGENT);
  const allow = (Action: string, Resource: string[], Condition?: object) => ({
    Effect: Effect.ALLOW,
    Action,
    Resource,
    ...(Condition === undefined ? {} : { Condition }),
  });
  return {
    Version: '2012-10-17',
    Statement: [
      allow('iot:Connect', [iotArns.client(THIS_AGENT)], {
        Bool: { 'iot:Connection.Thing.IsAttached': 'true' },
        // Permits a last will, but no persistent session that queues requests while the agent is offline.
        'ForAllValues:StringEquals': { 'iot:ConnectAttributes': ['LastWill'] },
      }),
      allow('iot:Subscribe', subscribe.map(iotArns.filter)),
      allow('iot:Receive', receive.map(iotArns.topic)),
      allow('iot:Publish', publish.map(iotArns.topic)),
    ],
  };
}
