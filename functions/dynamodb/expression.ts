/**
 * Conditions and updates, in terms of attributes. In a condition `#name` stands for the attribute of that name, so that
 * the map of names which DynamoDB asks for follows from the text. `pk` and `sk` need no `#`: they are no reserved words.
 */

export type Scalar = string | number | Uint8Array;

export interface Condition {
  /** Constant text. `:name` stands for the value of that name: one of `values`, or what an update gives the attribute. */
  condition?: string;
  values?: Record<string, Scalar>;
}

/** A change of some attributes of an item. */
export interface Update extends Condition {
  set?: Record<string, Scalar>;
  /** What an attribute is set to if it does not exist. */
  setOnce?: Record<string, Scalar>;
  add?: Record<string, number>;
  remove?: readonly string[];
}

/** The input of a call that is made on a condition. */
export function conditionInput({ condition = '', values = {} }: Condition) {
  return input('', condition, Object.entries(values));
}

/** The input of a call that changes some attributes. */
export function updateInput({ set = {}, setOnce = {}, add = {}, remove = [], condition = '', values = {} }: Update) {
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

function input(update: string, condition: string, values: [name: string, value: Scalar][]) {
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
    ...(values.length === 0 ? {} : { ExpressionAttributeValues: byName }),
  };
}
