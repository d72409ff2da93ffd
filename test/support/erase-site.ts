import { expect } from 'vitest';
import type { DeletionContext } from '../../functions/sites/site-deletion.ts';
import type { Log } from '../../shared/log.ts';
import type { ApiClient } from '../api-client.ts';
import { removeDeleted } from './background-work.ts';
import { SILENT } from './ingest-messages.ts';

/** When no deletion of today can be taken back any more. */
export const afterAWeek = () => new Date(Date.now() + 8 * 86_400_000);

/** Removes the sites that are deleted, as the upkeep of another day does. */
export function endDeletions(context: DeletionContext, isTime = () => false, log: Log = SILENT): Promise<void> {
  return removeDeleted({ ...context, now: afterAWeek }, log, isTime);
}

/** Deletes a site, and lets the time go by in which it can be restored. */
export async function eraseSite(api: Pick<ApiClient, 'request'>, context: DeletionContext, site: string, name = site) {
  const deleted = await api.request('DELETE', `/sites/${site}?${new URLSearchParams({ confirm: name })}`);
  expect(deleted.status).toBe(200);
  await endDeletions(context);
}
