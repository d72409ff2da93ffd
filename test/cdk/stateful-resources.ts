/**
 * Resources of the stack that must survive an upgrade. CloudFormation deletes a resource and makes another one when its
 * logical id changes, its type, or one of the properties that cannot be changed in place: a table would lose its items,
 * a queue its messages, and the API its URL.
 */
import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import * as z from 'zod';
import type { Resources } from './policy.ts';

/** Types that hold no data themselves, but to which something outside the stack refers. */
const REFERRED_TO: readonly string[] = [
  'AWS::IoT::Policy', // Attached to the certificate of every agent.
  'AWS::IoT::TopicRule', // What is published while there is none is lost.
  'AWS::ApiGateway::RestApi', // Part of the URL that programs and agents keep.
  'AWS::ApiGateway::Stage', // The same.
  'AWS::ApiGateway::DomainName', // A DNS record points to its target.
  'AWS::IoT::DomainConfiguration', // The same.
  'AWS::SNS::Topic', // Subscriptions that were confirmed belong to it.
];

/** Not marked by the registry. The documentation: editing an AttributeDefinition replaces the table. */
const ALSO_REPLACING: Record<string, readonly string[]> = { 'AWS::DynamoDB::GlobalTable': ['AttributeDefinitions'] };

const registry = loadAwsServiceSpecSync(); // Once, because it takes a second.

const StatefulResource = z.object({
  type: z.string(),
  /** The properties that cannot be changed in place, as far as the template sets them. */
  fixed: z.record(z.string(), z.unknown()),
});
/** By logical id. */
const StatefulResources = z.record(z.string(), StatefulResource);
export type StatefulResources = z.infer<typeof StatefulResources>;

/** Of both stacks, because what moves from one to the other is deleted and made anew. */
export const StatefulStacks = z.object({ data: StatefulResources, main: StatefulResources });
export type StatefulStacks = z.infer<typeof StatefulStacks>;

/** @throws {Error} for a type that the registry of CloudFormation does not contain */
export function statefulResources(resources: Resources): StatefulResources {
  const found = Object.entries(resources).flatMap(([id, { Type, Properties = {} }]) => {
    if (Type.startsWith('Custom::')) return [];
    const [schema] = registry.lookup('resource', 'cloudFormationType', 'equals', Type);
    if (schema === undefined) throw new Error(`${id}: the registry of CloudFormation has no type ${Type}`);
    if (schema.isStateful !== true && !REFERRED_TO.includes(Type)) return [];
    return [[id, { type: Type, fixed: fixedOf(Type, Properties) }] as const];
  });
  return Object.fromEntries(found.sort(byName));
}

/** The properties that cannot be changed in place. */
function fixedOf(type: string, properties: object): Record<string, unknown> {
  const [schema] = registry.lookup('resource', 'cloudFormationType', 'equals', type);
  const replacing = Object.entries(schema?.properties ?? {})
    .filter(([, { causesReplacement = 'no' }]) => causesReplacement !== 'no')
    .map(([name]) => name)
    .concat(ALSO_REPLACING[type] ?? []);
  const fixed = Object.entries(properties).filter(([name]) => replacing.includes(name));
  return Object.fromEntries(fixed.sort(byName));
}

/**
 * CloudFormation makes the next resource before it deletes the one that it replaces, which fails when both have one name.
 * @returns one sentence for each resource with a fixed name that a deployment of the second would replace
 */
export function collisions(before: Resources, after: Resources): string[] {
  return Object.entries(before).flatMap(([id, { Type, Properties = {} }]) => {
    const now = after[id];
    if (now?.Type !== Type || Type.startsWith('Custom::')) return [];
    const [own, next] = [Properties, now.Properties ?? {}].map((properties) => fixedOf(Type, properties));
    const name = nameOf(Type, Properties);
    if (name === undefined || name !== nameOf(Type, now.Properties ?? {})) return [];
    return Object.keys({ ...own, ...next })
      .filter((property) => text(own?.[property]) !== text(next?.[property]))
      .map((property) => `${Type} ${name}: ${property} changes`);
  });
}

/** The name that a template gives a resource, such as `BudgetName` in the `Budget` of a budget. */
function nameOf(type: string, properties: object): string | undefined {
  const isName = (key: string) => key.endsWith('Name') && type.endsWith(key.slice(0, -'Name'.length));
  const inside = Object.values(properties).filter((value) => typeof value === 'object' && value !== null);
  const found = [properties, ...inside].flatMap((one) => Object.entries(one)).find(([key]) => isName(key));
  return found === undefined ? undefined : text(found[1]);
}

/** @returns one sentence for each resource of the release that a deployment of the current stacks would delete */
export function lostResources(released: StatefulStacks, current: StatefulStacks): string[] {
  return (['data', 'main'] as const).flatMap((stack) => replacements(released[stack], current[stack]));
}

/** As {@link lostResources}, of one stack. */
export function replacements(released: StatefulResources, current: StatefulResources): string[] {
  return Object.entries(released).flatMap(([id, { type, fixed }]) => {
    const now = current[id];
    if (now === undefined) return [`${id} (${type}): deleted, or another logical id because its construct was renamed`];
    if (now.type !== type) return [`${id}: deleted, because its type is now ${now.type} instead of ${type}`];
    return [...new Set([...Object.keys(fixed), ...Object.keys(now.fixed)])]
      .filter((name) => text(fixed[name]) !== text(now.fixed[name]))
      .map(
        (name) => `${id} (${type}): replaced, because ${name} changes: ${text(fixed[name])} → ${text(now.fixed[name])}`,
      );
  });
}

function text(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
