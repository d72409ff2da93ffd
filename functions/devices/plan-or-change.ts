import type { SiteCall } from '../http/call.ts';
import type { Cause, Change } from './collection/change-row.ts';
import type { Snapshot } from './collection/snapshot.ts';
import type { DevicesContext } from './context.ts';

/**
 * Changes the collection; with `dryRun` only plans that.
 * @returns the plan, and as `change` the id that restoring accepts and events have; null when nothing was changed
 */
export async function planOrChange<C extends Change>(
  { devices }: Pick<DevicesContext, 'devices'>,
  call: SiteCall,
  { cause, dryRun }: { cause: Cause; dryRun: boolean },
  plan: (snapshot: Snapshot) => C | Promise<C>,
): Promise<C & { change: string | null }> {
  if (dryRun) return { ...(await plan(await devices.snapshot(call.site))), change: null };
  const done = await devices.change(call.site, { actor: call.token.id, cause }, plan);
  return { ...done, change: done.version === null ? null : String(done.version) };
}
