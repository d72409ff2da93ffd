/** The deployed stack: the names that its resources got. */
import * as z from 'zod';
import type { Stage } from '../../shared/identity.ts';
import type { Aws } from './aws-cli.ts';

const Resources = z.object({
  StackResourceSummaries: z.array(
    // A resource whose creation failed may have no physical id.
    z.object({
      LogicalResourceId: z.string(),
      PhysicalResourceId: z.string().optional(),
      ResourceType: z.string(),
    }),
  ),
});

/**
 * @param logicalId its beginning, because the CDK appends a digest
 * @returns the name of the one resource of that type
 * @throws {Error} when there is none, or several
 */
export async function resourceOf(
  { aws, stack }: { aws: Aws; stack: string },
  type: string,
  logicalId: string,
  signal: AbortSignal,
): Promise<string> {
  // `describe-stack-resources` returns only the first 100 resources; the AWS CLI reads all pages of this list.
  const answer = await aws(['cloudformation', 'list-stack-resources', '--stack-name', stack], signal);
  const found = Resources.parse(answer).StackResourceSummaries.filter(
    (one) => one.ResourceType === type && new RegExp(`^${logicalId}[0-9A-F]{8}$`).test(one.LogicalResourceId),
  );
  const [resource] = found;
  if (resource === undefined || found.length > 1) {
    throw new Error(`The stack ${stack} has ${found.length} resources ${logicalId} of type ${type}, expected one`);
  }
  if (resource.PhysicalResourceId === undefined) throw new Error(`${resource.LogicalResourceId} was not created`);
  return resource.PhysicalResourceId;
}

export const functionOf = (means: { aws: Aws; stack: string }, group: string, signal: AbortSignal) =>
  resourceOf(means, 'AWS::Lambda::Function', `${group}Function`, signal);
export const logOf = (means: { aws: Aws; stack: string }, group: string, signal: AbortSignal) =>
  resourceOf(means, 'AWS::Logs::LogGroup', `${group}Log`, signal);

/** The stage of a stack, which is part of all names at the broker. */
export function stageOf(stack: string): Stage {
  return stack.replace(/^LanReach-/, '');
}

/** The stack that keeps the data of another one. */
export function dataStackOf(stack: string): string {
  return `${stack}-data`;
}
