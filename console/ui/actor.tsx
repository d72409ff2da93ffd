/** Who did something: in words, with the id as the tooltip. */
import { useMemo } from 'react';
import { POLL_MS, useAnswer } from '../api/queries.ts';
import { useRights } from '../api/rights.ts';
import { actorName, type KnownActors } from './actor-name.ts';

/** @param site the site that the screen is about; null for all */
export function useActors(site: string | null): KnownActors {
  const rights = useRights();
  const { data } = useAnswer('GET /tokens', {}, { everyMs: POLL_MS.calm, when: rights.may('admin') });
  const own = rights.tokenId;
  return useMemo(
    () => ({ own, site, tokens: new Map(data?.tokens.map(({ id, name }) => [id, name])) }),
    [own, site, data],
  );
}

export function Actor({ id, known }: { id: string; known: KnownActors }) {
  return (
    <span data-foreign title={id}>
      {actorName(id, known)}
    </span>
  );
}
