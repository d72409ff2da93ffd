type Given<T> = { [Field in keyof T]?: Exclude<T[Field], undefined> };

/** The fields that a change names: without those that are undefined, which stay as they are. */
export function given<T extends object>(change: T): Given<T> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Given<T>;
}
