/** The devices that others hang on, wherever in the list they stand. */
import { useMemo } from 'react';
import { POLL_MS, useAnswer } from '../../api/queries.ts';

/** @returns their names by their keys; none as long as nobody wants to know */
export function useParents(site: string, when: boolean): ReadonlyMap<string, string> {
  const { data } = useAnswer('GET /devices/network/topology', { site }, { when, everyMs: POLL_MS.calm });
  return useMemo(() => {
    const parents = new Set(data?.links.map(({ source }) => source));
    return new Map(data?.nodes.filter(({ id }) => parents.has(id)).map(({ id, name }) => [id, name]));
  }, [data]);
}
