/**
 * Builds condition and update expressions for DynamoDB. In a condition `#name` stands for the attribute of that name,
 * so that the required map of names follows from the text. `pk` and `sk` need no `#`, because they are not reserved
 * words.
 */
import { type Scalar, toAttributes } from './attribute-values.ts';
import type { Expressions } from './operations.ts';

export interface Condition {
  /**
   * A constant text. `:name` stands for a value: one of `values`, or the value that the update gives that attribute.
   */
  condition?: string;
  values?: Record<string, Scalar>;
}

/** A change of some attributes of an item. */
export interface Update extends Condition {
  set?: Record<string, Scalar>;
  /** Attributes that are set only if they do not exist. */
  setOnce?: Record<string, Scalar>;
  add?: Record<string, number>;
  remove?: readonly string[];
}

/** The update that sets attributes to these values, and removes those that are null. */
export function setOrRemove(
  attributes: Readonly<Record<string, Scalar | null>>,
): Required<Pick<Update, 'set' | 'remove'>> {
  const entries = Object.entries(attributes);
  return {
    set: Object.fromEntries(entries.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
    remove: entries.flatMap(([name, value]) => (value === null ? [name] : [])),
  };
}

/** The condition that these attributes of an item are still what they were when it was read. */
export function unchanged(
  names: readonly string[],
  read: Readonly<Record<string, Scalar | undefined>>,
): Required<Condition> {
  const found = names.map((name) => ({ name, value: read[name] }));
  return {
    condition: found
      .map(({ name, value }) => (value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :read_${name}`))
      .join(' AND '),
    values: Object.fromEntries(
      found.flatMap(({ name, value }) => (value === undefined ? [] : [[`read_${name}`, value]])),
    ),
  };
}

/** The condition in the input of a call. */
export function conditionInput({ condition = '', values = {} }: Condition): Expressions {
  return input('', condition, Object.entries(values));
}

/** The update expression in the input of a call. */
export function updateInput({
  set = {},
  setOnce = {},
  add = {},
  remove = [],
  condition = '',
  values = {},
}: Update): Expressions {
  const clauses = {
    SET: [
      ...Object.keys(set).map((name) => `#${name} = :${name}`),
      ...Object.keys(setOnce).map((name) => `#${name} = if_not_exists(#${name}, :${name})`),
    ],
    ADD: Object.keys(add).map((name) => `#${name} :${name}`),
    REMOVE: remove.map((name) => `#${name}`),
  };
  const used = Object.entries(clauses).filter(([, parts]) => parts.length > 0);
  const update = used.map(([keyword, parts]) => `${keyword} ${parts.join(', ')}`).join(' ');
  return input(update, condition, [set, setOnce, add, values].flatMap(Object.entries<Scalar>));
}

/** The input of a call that reads the key and these attributes of an item, or all of them. */
export function projectionInput(attributes?: readonly string[]): Expressions {
  if (attributes === undefined) return {};
  return {
    ProjectionExpression: ['pk', 'sk', ...attributes.map((name) => `#${name}`)].join(', '),
    ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [`#${name}`, name])),
  };
}

function input(update: string, condition: string, values: [name: string, value: Scalar][]): Expressions {
  const text = `${update} ${condition}`;
  const names = Object.fromEntries(
    [...text.matchAll(/#(\w+)/g)].map(([placeholder, name = '']) => [placeholder, name]),
  );
  const byName = Object.fromEntries(values.map(([name, value]) => [`:${name}`, value]));
  if (Object.keys(byName).length < values.length) throw new Error(`two values have the same name: ${text}`);
  // DynamoDB refuses empty maps and texts.
  return {
    ...(update === '' ? {} : { UpdateExpression: update }),
    ...(condition === '' ? {} : { ConditionExpression: condition }),
    ...(Object.keys(names).length === 0 ? {} : { ExpressionAttributeNames: names }),
    ...(values.length === 0 ? {} : { ExpressionAttributeValues: toAttributes(byName) }),
  };
}
