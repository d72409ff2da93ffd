/** Tags that no site has: as the API refuses them where something is to be done at sites, also where it only lists none. */
import type { Site } from '../../shared/api/records.ts';
import { tagOfRef } from '../../shared/identity.ts';
import { Failure } from './failure.ts';
import type { Output } from './session.ts';

/**
 * @param sites that the selection has found
 * @param named ids and tags
 * @returns the sentence about the first tag that none of the sites has; null when there is none
 */
function untagged(sites: readonly Pick<Site, 'tags'>[], named: readonly string[]): string | null {
  const tags = named.flatMap((ref) => tagOfRef(ref.trim()) ?? []);
  const missing = tags.find((tag) => !sites.some((site) => site.tags.includes(tag)));
  return missing === undefined ? null : `No site that the token may use has the tag "${missing}"`;
}

/** @param selection ids and tags with commas; undefined for all */
export function noteUntagged(
  { note }: Pick<Output, 'note'>,
  sites: Parameters<typeof untagged>[0],
  selection?: string,
) {
  const problem = untagged(sites, selection?.split(',') ?? []);
  if (problem !== null) note(problem);
}

/** @throws {Failure} for a tag that no site has */
export function requireTagged(sites: readonly Pick<Site, 'tags'>[], named: readonly string[]): void {
  const problem = untagged(sites, named);
  if (problem !== null) throw new Failure('auth', problem);
}
