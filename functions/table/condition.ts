/** Conditions of writes, as data: for DynamoDB they become an expression, the other adapters evaluate them. */

/** The types that attributes have. */
export type Scalar = string | number | Uint8Array;

type Comparable = Exclude<Scalar, Uint8Array>;

export type Condition =
  | { exists: boolean }
  /** These attributes have these values; null for one that must be absent. */
  | { equals: Readonly<Record<string, Comparable | null>> }
  /** These attributes are present. */
  | { present: readonly string[] }
  /** These attributes are present, and less than these numbers. */
  | { less: Readonly<Record<string, number>> }
  /** Each of these attributes has one of its values. */
  | { in: Readonly<Record<string, readonly Comparable[]>> }
  /** At least one condition in the list. */
  | { all: readonly Condition[] }
  | { any: readonly Condition[] };

export const EXISTS: Condition = { exists: true };
export const IS_NEW: Condition = { exists: false };
/** Of the row of a site. */
export const IS_NOT_DELETED: Condition = { all: [EXISTS, { equals: { gone: null } }] };

/** The condition that these attributes of an item have not changed since it was read. */
export function unchanged(
  names: readonly string[],
  read: Readonly<Record<string, Scalar | null | undefined>>,
): Condition {
  return { equals: Object.fromEntries(names.map((name) => [name, (read[name] as Comparable | undefined) ?? null])) };
}

/** @param item null when there is none */
export function holds(condition: Condition, item: Readonly<Record<string, unknown>> | null): boolean {
  if ('exists' in condition) return (item !== null) === condition.exists;
  if ('all' in condition) return condition.all.every((one) => holds(one, item));
  if ('any' in condition) return condition.any.some((one) => holds(one, item));
  if ('present' in condition) return condition.present.every((name) => item?.[name] !== undefined);
  if ('equals' in condition)
    return Object.entries(condition.equals).every(([name, value]) => (item?.[name] ?? null) === value);
  if ('less' in condition) {
    return Object.entries(condition.less).every(([name, limit]) => {
      const value = item?.[name];
      return typeof value === 'number' && value < limit;
    });
  }
  return Object.entries(condition.in).every(([name, values]) => (values as unknown[]).includes(item?.[name]));
}
