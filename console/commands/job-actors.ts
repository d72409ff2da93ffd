/** The actors of jobs: people and schedules. */
import { useMemo } from 'react';
import { POLL_MS, useAnswer } from '../api/queries.ts';
import { useRights } from '../api/rights.ts';
import { useActors } from '../ui/actor.tsx';
import type { KnownActors } from '../ui/actor-name.ts';

/** @param site the site of the jobs; empty while loading */
export function useJobActors(site: string): KnownActors {
  const actors = useActors(null);
  const when = useRights().may('devices:read') && site !== '';
  const { data } = useAnswer('GET /schedules', { site }, { everyMs: POLL_MS.calm, when });
  return useMemo(
    () => ({ ...actors, schedules: new Map(data?.schedules.map(({ id, name }) => [id, name])) }),
    [actors, data],
  );
}
