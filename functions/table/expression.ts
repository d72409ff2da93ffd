/** Conditions and updates as expressions of DynamoDB. Names and values are beside the text, under placeholders. */
import type { Condition, Scalar } from './condition.ts';
import type { Update } from './table.ts';

/** The expressions in the input of a call. DynamoDB rejects empty maps and texts. */
interface Expressions {
  ConditionExpression?: string;
  UpdateExpression?: string;
  ProjectionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, Scalar>;
}

/** Hands out placeholders: one for each name, and one for each value. */
class Placeholders {
  readonly #names = new Map<string, string>();
  readonly #values: Scalar[] = [];

  readonly name = (name: string): string => {
    const placeholder = this.#names.get(name) ?? `#n${this.#names.size}`;
    this.#names.set(name, placeholder);
    return placeholder;
  };

  readonly value = (value: Scalar): string => `:v${this.#values.push(value) - 1}`;

  get input(): Expressions {
    const names = [...this.#names].map(([name, placeholder]) => [placeholder, name]);
    const values = this.#values.map((value, i) => [`:v${i}`, value]);
    return {
      ...(names.length === 0 ? {} : { ExpressionAttributeNames: Object.fromEntries(names) }),
      ...(values.length === 0 ? {} : { ExpressionAttributeValues: Object.fromEntries(values) }),
    };
  }
}

export function conditionInput(condition: Condition | undefined): Expressions {
  if (condition === undefined) return {};
  const placeholders = new Placeholders();
  return { ConditionExpression: textOf(condition, placeholders), ...placeholders.input };
}

export function updateInput(
  { set = {}, setOnce = {}, add = {}, remove = [] }: Update,
  condition: Condition | undefined,
): Expressions {
  const placeholders = new Placeholders();
  const { name, value } = placeholders;
  const clauses = {
    SET: [
      ...Object.entries(set).map(([key, to]) => `${name(key)} = ${value(to)}`),
      ...Object.entries(setOnce).map(([key, to]) => `${name(key)} = if_not_exists(${name(key)}, ${value(to)})`),
    ],
    ADD: Object.entries(add).map(([key, more]) => `${name(key)} ${value(more)}`),
    REMOVE: remove.map(name),
  };
  const used = Object.entries(clauses).filter(([, parts]) => parts.length > 0);
  return {
    UpdateExpression: used.map(([keyword, parts]) => `${keyword} ${parts.join(', ')}`).join(' '),
    ...(condition === undefined ? {} : { ConditionExpression: textOf(condition, placeholders) }),
    ...placeholders.input,
  };
}

/** Reads the key and these attributes of an item, or all of them. */
export function projectionInput(attributes: readonly string[] | undefined): Expressions {
  if (attributes === undefined) return {};
  const placeholders = new Placeholders();
  const names = ['pk', 'sk', ...attributes].map(placeholders.name);
  return { ProjectionExpression: names.join(', '), ...placeholders.input };
}

function textOf(condition: Condition, placeholders: Placeholders): string {
  const { name, value } = placeholders;
  if ('exists' in condition) return `attribute_${condition.exists ? '' : 'not_'}exists(${name('pk')})`;
  if ('all' in condition) return joined(condition.all, 'AND', placeholders);
  if ('any' in condition) return joined(condition.any, 'OR', placeholders);
  return conjunctsOf(condition).join(' AND ');

  function conjunctsOf(one: Exclude<Condition, { exists: boolean } | { all: unknown } | { any: unknown }>): string[] {
    if ('present' in one) return one.present.map((key) => `attribute_exists(${name(key)})`);
    if ('less' in one) return Object.entries(one.less).map(([key, limit]) => `${name(key)} < ${value(limit)}`);
    if ('in' in one)
      return Object.entries(one.in).map(([key, values]) => `${name(key)} IN (${values.map(value).join(', ')})`);
    return Object.entries(one.equals).map(([key, wanted]) =>
      wanted === null ? `attribute_not_exists(${name(key)})` : `${name(key)} = ${value(wanted)}`,
    );
  }
}

function joined(conditions: readonly Condition[], operator: 'AND' | 'OR', placeholders: Placeholders): string {
  return conditions.map((one) => `(${textOf(one, placeholders)})`).join(` ${operator} `);
}
