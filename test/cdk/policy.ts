/** Reads the policies of a synthesized template, and decides as IAM and IoT Core do: what no statement allows is denied. */

export interface Statement {
  Effect: 'Allow' | 'Deny';
  Action: string | string[];
  Resource: string | string[];
  Condition?: Record<string, Record<string, string | string[]>>;
}

export interface Request {
  action: string;
  resource: string;
  /** Condition keys and their values; also what policy variables are replaced by. */
  context?: Record<string, string | string[]>;
}

export function isAllowed(statements: readonly Statement[], request: Request): boolean {
  const applying = statements.filter((statement) => applies(statement, request));
  return applying.some(({ Effect }) => Effect === 'Allow') && !applying.some(({ Effect }) => Effect === 'Deny');
}

function applies(
  { Action, Resource, Condition = {} }: Statement,
  { action, resource, context = {} }: Request,
): boolean {
  return (
    listOf(Action).some((pattern) => matches(pattern.toLowerCase(), action.toLowerCase())) &&
    listOf(Resource).some((pattern) => matches(pattern, resource, context)) &&
    Object.entries(Condition).every(([operator, tests]) =>
      Object.entries(tests).every(([key, wanted]) => holds(operator, listOf(wanted), context[key], context)),
    )
  );
}

function holds(
  operator: string,
  wanted: string[],
  given: string | string[] | undefined,
  context: Record<string, string | string[]>,
): boolean {
  const [, forAll, name = '', ifExists] = /^(ForAllValues:)?(\w+?)(IfExists)?$/.exec(operator) ?? [];
  if (name === 'Null') return wanted.includes(String(given === undefined));
  if (given === undefined) return forAll !== undefined || ifExists !== undefined;
  const compare = COMPARISONS[name];
  if (compare === undefined) throw new Error(`the operator ${operator} is not known here`);
  return listOf(given).every((value) => wanted.some((pattern) => compare(pattern, value, context)));
}

const COMPARISONS: Record<string, typeof matches> = {
  StringEquals: (wanted, given) => wanted === given,
  Bool: (wanted, given) => wanted === given,
  StringLike: matches,
  ArnLike: matches,
};

/** `*` is any text, `?` any one character; a variable is replaced by its value, in which neither means anything. */
function matches(pattern: string, text: string, context: Record<string, string | string[]> = {}): boolean {
  const parts = pattern.split(/(\$\{[^}]+\}|\*|\?)/).map((part) => {
    if (part === '*') return '.*';
    if (part === '?') return '.';
    const variable = /^\$\{(.+)\}$/.exec(part)?.[1];
    const literal = variable === undefined ? part : listOf(context[variable] ?? '\0')[0]!;
    return literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 's').test(text);
}

function listOf(value: string | string[]): string[] {
  return Array.isArray(value) ? value : [value];
}

export interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
}
export type Resources = Record<string, Resource>;

export const ACCOUNT = '123456789012';
export const REGION = 'eu-central-1';
const PSEUDO: Record<string, string> = {
  'AWS::Partition': 'aws',
  'AWS::Region': REGION,
  'AWS::AccountId': ACCOUNT,
  'AWS::URLSuffix': 'amazonaws.com',
};

/**
 * The template with its references resolved: a resource is called by its logical id, its ARN is `arn:<logical id>`.
 * @param exported what the stack takes from another one, by the names of its exports
 */
export function resolved(value: unknown, exported: Readonly<Record<string, unknown>> = {}): unknown {
  if (Array.isArray(value)) return value.map((part) => resolved(part, exported));
  if (typeof value !== 'object' || value === null) return value;
  const [[name, argument] = ['', null]] = Object.entries(value);
  if (name === 'Ref') return PSEUDO[String(argument)] ?? argument;
  if (name === 'Fn::GetAtt' && Array.isArray(argument)) {
    return argument[1] === 'Arn' ? `arn:${argument[0]}` : argument.join('.');
  }
  if (name === 'Fn::ImportValue') {
    if (!(String(argument) in exported)) throw new Error(`no stack exports ${argument}`);
    return exported[String(argument)];
  }
  if (name === 'Fn::Join' && Array.isArray(argument)) {
    return (resolved(argument[1], exported) as string[]).join(argument[0]);
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolved(inner, exported)]));
}

/** The statements of every policy that is attached to a role, by the role's logical id without its digest. */
export function statementsOf(resources: Resources, role: string): Statement[] {
  return (
    Object.values(resources)
      // What is too long for a policy inside of the role, the CDK puts into managed ones.
      .filter(({ Type }) => Type === 'AWS::IAM::Policy' || Type === 'AWS::IAM::ManagedPolicy')
      .filter(({ Properties }) => ((Properties.Roles ?? []) as string[]).some((name) => name.startsWith(role)))
      .flatMap(({ Properties }) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement)
  );
}

export function ofType(resources: Resources, type: string): [string, Resource][] {
  return Object.entries(resources).filter(([, { Type }]) => Type === type);
}
