/** The values that inputs propose: those in use on the site. */
import { useMemo } from 'react';
import { useAnswer } from '../../api/queries.ts';
import type { Device } from './device.ts';

/** More would be slow to render, and nobody reads so many. */
const MAX_PROPOSED = 200;

export function ValueLists({
  site,
  rows,
  find,
}: {
  site: string;
  rows: readonly Device[];
  find: (key: string) => Device | undefined;
}) {
  const facets = useAnswer('GET /devices/facets', { site });
  const parents = useMemo(() => {
    const used = new Set(rows.map(({ devParentMAC }) => devParentMAC));
    return [...used].filter((mac) => mac !== '').slice(0, MAX_PROPOSED);
  }, [rows]);
  return (
    <>
      {(['type', 'group'] as const).map((name) => (
        <datalist key={name} id={name === 'type' ? 'devices-devType' : 'devices-devGroup'}>
          {facets.data?.[name].values
            .filter(({ value }) => value !== '')
            .slice(0, MAX_PROPOSED)
            .map(({ value }) => (
              <option key={value} value={value} />
            ))}
        </datalist>
      ))}
      <datalist id="devices-devParentMAC">
        {parents.map((mac) => (
          <option key={mac} value={mac} label={find(mac)?.devName} />
        ))}
      </datalist>
    </>
  );
}
