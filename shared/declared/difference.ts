/** What makes one list of things into another. Templates and files are applied by it. */

export interface Difference<Wanted, Present> {
  add: Wanted[];
  change: { wanted: Wanted; present: Present }[];
  remove: Present[];
}

interface Comparison<Wanted, Present> {
  wantedKey(wanted: Wanted): string;
  presentKey(present: Present): string;
  /** Whether what is there is as it is wanted. */
  isSame(wanted: Wanted, present: Present): boolean;
}

/** Of several with one key the first counts. What is there already is neither added nor removed. */
export function difference<Wanted, Present>(
  wanted: readonly Wanted[],
  present: readonly Present[],
  { wantedKey, presentKey, isSame }: Comparison<Wanted, Present>,
): Difference<Wanted, Present> {
  const there = firstOf(present, presentKey);
  const asked = firstOf(wanted, wantedKey);
  const of: Difference<Wanted, Present> = { add: [], change: [], remove: [] };
  for (const [key, one] of asked) {
    const found = there.get(key);
    if (found === undefined) of.add.push(one);
    else if (!isSame(one, found)) of.change.push({ wanted: one, present: found });
  }
  for (const [key, one] of there) if (!asked.has(key)) of.remove.push(one);
  return of;
}

export function isNothing({ add, change, remove }: Difference<unknown, unknown>): boolean {
  return add.length + change.length + remove.length === 0;
}

function firstOf<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item> {
  const first = new Map<string, Item>();
  for (const item of items) if (!first.has(keyOf(item))) first.set(keyOf(item), item);
  return first;
}
