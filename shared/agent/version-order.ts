/** Apart from `release.ts`, because the launcher of the agent does without zod. */

/** Below zero when `a` is older than `b`, 0 when they are the same. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  return left!.map((part, i) => part - (right![i] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
