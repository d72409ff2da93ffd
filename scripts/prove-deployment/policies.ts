/** The policies of a synthesized template, as IAM would get them: with ARNs in the place of references. */

export interface Place {
  account: string;
  region: string;
}

export interface NamedPolicy {
  /** Logical id of the resource that contains it. */
  id: string;
  kind: 'identity' | 'trust' | 'resource';
  document: unknown;
}

export interface Template {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
  Outputs?: Record<string, { Value?: unknown; Export?: { Name: string } }>;
}

/** Which property of which type is a policy of IAM. Those of IoT Core have another language. */
const POLICIES: Record<string, { property: string; kind: NamedPolicy['kind'] }> = {
  'AWS::IAM::Policy': { property: 'PolicyDocument', kind: 'identity' },
  'AWS::IAM::Role': { property: 'AssumeRolePolicyDocument', kind: 'trust' },
  'AWS::SQS::QueuePolicy': { property: 'PolicyDocument', kind: 'resource' },
  'AWS::SNS::TopicPolicy': { property: 'PolicyDocument', kind: 'resource' },
};

/** @param others templates of stacks whose exports this one uses */
export function policiesOf(template: Template, others: readonly Template[], place: Place): NamedPolicy[] {
  return Object.entries(template.Resources).flatMap(([id, { Type, Properties = {} }]) => {
    const found = POLICIES[Type];
    if (found === undefined) return [];
    return [{ id, kind: found.kind, document: resolve(Properties[found.property], template, others, place) }];
  });
}

/** ARNs of the types to which policies refer; the name of a resource is its logical id, because it has none yet. */
const ARNS: Record<string, (id: string, place: Place) => string> = {
  'AWS::DynamoDB::GlobalTable': (id, { region, account }) => `arn:aws:dynamodb:${region}:${account}:table/${id}`,
  'AWS::SQS::Queue': (id, { region, account }) => `arn:aws:sqs:${region}:${account}:${id}`,
  'AWS::SNS::Topic': (id, { region, account }) => `arn:aws:sns:${region}:${account}:${id}`,
  'AWS::Logs::LogGroup': (id, { region, account }) => `arn:aws:logs:${region}:${account}:log-group:${id}:*`,
};

function resolve(value: unknown, template: Template, others: readonly Template[], place: Place): unknown {
  const inside = (inner: unknown) => resolve(inner, template, others, place);
  if (Array.isArray(value)) return value.map(inside);
  if (typeof value !== 'object' || value === null) return value;
  const [[name, argument] = ['', null]] = Object.entries(value);
  if (name === 'Ref') return refer(String(argument), template, place);
  if (name === 'Fn::GetAtt' && Array.isArray(argument)) {
    const [id, attribute] = argument.map(String);
    const arn = refer(id ?? '', template, place);
    return attribute === 'StreamArn' ? `${arn}/stream/2026-11-01T08:15:00.000` : arn;
  }
  if (name === 'Fn::ImportValue') return imported(String(argument), others, place);
  if (name === 'Fn::Join' && Array.isArray(argument)) {
    const [separator, parts] = argument as [string, unknown[]];
    return parts.map(inside).join(separator);
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inside(inner)]));
}

function imported(name: string, others: readonly Template[], place: Place): unknown {
  for (const template of others) {
    const output = Object.values(template.Outputs ?? {}).find(({ Export }) => Export?.Name === name);
    if (output !== undefined) return resolve(output.Value, template, [], place);
  }
  throw new Error(`No template exports ${name}`);
}

function refer(id: string, { Resources }: Template, place: Place): string {
  const pseudo: Record<string, string> = {
    'AWS::Partition': 'aws',
    'AWS::Region': place.region,
    'AWS::AccountId': place.account,
    'AWS::URLSuffix': 'amazonaws.com',
  };
  return pseudo[id] ?? ARNS[Resources[id]?.Type ?? '']?.(id, place) ?? id;
}
