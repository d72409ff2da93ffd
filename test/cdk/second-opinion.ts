/** What a simulator of IAM that is not ours says of the same question. */
import { runSimulation } from '@cloud-copilot/iam-simulate';
import { ACCOUNT, type Request, type Statement } from './policy.ts';

/** @throws {Error} for a question that IAM would not understand, such as one about an action that does not exist */
export async function isAllowedBySimulator(statements: readonly Statement[], request: Request): Promise<boolean> {
  const { action, resource, context = {} } = request;
  const [service = ''] = action.split(':');
  const ofService = statements.filter(({ Action }) => [Action].flat().every((one) => one.startsWith(`${service}:`)));
  const result = await runSimulation(
    {
      request: {
        principal: `arn:aws:iam::${ACCOUNT}:role/Function`,
        action,
        resource: { resource, accountId: ACCOUNT },
        contextVariables: context,
      },
      identityPolicies: [{ name: 'role', policy: { Version: '2012-10-17', Statement: ofService } }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
    },
    {},
  );
  if (result.resultType === 'error') throw new Error(JSON.stringify(result.errors));
  return result.overallResult === 'Allowed';
}
