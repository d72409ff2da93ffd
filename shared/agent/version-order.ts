/** Separate from `release.ts`, because the launcher of the agent and the command line do without zod. */

/** Three numbers with dots between them, as `1.20.3`. */
export const RELEASE_VERSION = /^\d{1,5}\.\d{1,5}\.\d{1,5}$/;

/** Below zero when `a` is older than `b`, 0 when they are the same. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  return left!.map((part, i) => part - (right![i] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** Whether an agent's version, which may be any text, is older than a release. */
export function isOlder(version: string | null | undefined, release: string): boolean {
  return typeof version === 'string' && RELEASE_VERSION.test(version) && compareVersions(version, release) < 0;
}
