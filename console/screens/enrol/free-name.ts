const FIRST = 'main';

/** A name for another agent. */
export function freeName(taken: readonly string[]): string {
  for (let i = 1; ; i++) {
    const name = i === 1 ? FIRST : `${FIRST}-${i}`;
    if (!taken.includes(name)) return name;
  }
}
