const FIRST = 'main';

/** A name for a further agent that none of these has. */
export function freeName(taken: readonly string[]): string {
  for (let i = 1; ; i++) {
    const name = i === 1 ? FIRST : `${FIRST}-${i}`;
    if (!taken.includes(name)) return name;
  }
}
