type Given<T> = { [Field in keyof T]?: Exclude<T[Field], undefined> };

/** The fields that are given: without those that are undefined. A null stays. */
export function given<T extends object>(change: T): Given<T> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Given<T>;
}
