/** Adds checks to a site, as far as it has room for them. */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { MAX_CHECKS } from '../../../shared/agent/plan.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { SiteId } from '../../../shared/identity.ts';
import type { CheckStore, StoredCheck } from './check-store.ts';

/** Limits for all checks of a site, as JSON and compressed: half, and most, of what a plan may take. */
const MAX_JSON_BYTES = 512 * 1024;
const MAX_PACKED_BYTES = 72 * 1024;

export const newCheckId = (): string => randomBytes(6).toString('hex');

/** All (at most 99) or none. @throws {ServiceError} `conflict` when the site would have too many, or too long ones for a plan */
export async function addChecks(
  { checks }: { checks: CheckStore },
  site: SiteId,
  added: readonly StoredCheck[],
): Promise<void> {
  requireRoom(site, [...(await all(checks, site)), ...added]);
  await checks.add(site, added);
  try {
    // Again, because others may be added at the same time: the last one to add sees all that stay.
    requireRoom(site, await all(checks, site));
  } catch (error) {
    for (const { id } of added) await checks.remove(site, id);
    throw error;
  }
}

/** Unreadable checks count as well. */
async function all(checks: CheckStore, site: SiteId): Promise<readonly Partial<StoredCheck>[]> {
  const { checks: found, unreadable } = await checks.list(site);
  return [...found, ...unreadable.map(({ id }) => ({ id }))];
}

function requireRoom(site: SiteId, checks: readonly Partial<StoredCheck>[]): void {
  if (checks.length > MAX_CHECKS) {
    const message = `The site "${site}" may have ${MAX_CHECKS} checks: remove one first, or try again if others are being added`;
    throw new ServiceError('conflict', message);
  }
  // Without the fields that are not sent to agents.
  const sent = checks.map(({ label, createdAt, createdBy, agents, enabled, ...rest }) => rest);
  const json = Buffer.from(JSON.stringify(sent));
  if (json.length <= MAX_JSON_BYTES && gzipSync(json).length <= MAX_PACKED_BYTES) return;
  throw new ServiceError('conflict', `The checks of site "${site}" are too long for one plan: shorten URLs and texts`);
}
