/** The name of an actor, with the id as the tooltip. */
import { useMemo } from 'react';
import { POLL_MS, useAnswer } from '../api/queries.ts';
import { useRights } from '../api/rights.ts';
import { actorName, type KnownActors } from './actor-name.ts';

/** The names of people by their ids, as far as the session may read them. */
export function usePeople(): ReadonlyMap<string, string> {
  const rights = useRights();
  const { data } = useAnswer('GET /people', {}, { everyMs: POLL_MS.calm, when: rights.may('admin') });
  return useMemo(() => new Map(data?.people.map(({ id, name }) => [id, name])), [data]);
}

/** @param site the site of the screen; null for all */
export function useActors(site: string | null): KnownActors {
  const rights = useRights();
  const people = usePeople();
  const { data } = useAnswer('GET /tokens', {}, { everyMs: POLL_MS.calm, when: rights.may('admin') });
  const own = rights.tokenId;
  return useMemo(() => {
    const named = data?.tokens.map(({ id, name, person }) => [id, people.get(person ?? '') ?? name] as const);
    return { own, site, tokens: new Map(named) };
  }, [own, site, data, people]);
}

export function Actor({ id, known }: { id: string; known: KnownActors }) {
  return (
    <span data-foreign title={id}>
      {actorName(id, known)}
    </span>
  );
}
