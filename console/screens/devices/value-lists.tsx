/** The values that inputs propose: those in use on the site. */
import { useAnswer } from '../../api/queries.ts';
import { useScreen } from './screen.ts';

/** More would be slow to render, and nobody reads so many. */
const MAX_PROPOSED = 200;

export function ValueLists() {
  const { site, parents } = useScreen();
  const facets = useAnswer('GET /devices/facets', { site });
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
        {[...parents].slice(0, MAX_PROPOSED).map(([mac, name]) => (
          <option key={mac} value={mac} label={name} />
        ))}
      </datalist>
    </>
  );
}
