/** The values that inputs propose: those in use on the site. */
import { useAnswer } from '../../api/queries.ts';
import { proposedTypes, valuesInUse } from '../../text/proposed-values.ts';
import { ValueList } from '../../ui/value-list.tsx';
import { useScreen } from './screen.ts';

/** More would be slow to render, and nobody reads so many. */
const MAX_PROPOSED = 200;

export function ValueLists() {
  const { site, parents } = useScreen();
  const facets = useAnswer('GET /devices/facets', { site });
  return (
    <>
      <ValueList id="devices-devType" values={proposedTypes(facets.data?.type).slice(0, MAX_PROPOSED)} />
      <ValueList id="devices-devGroup" values={valuesInUse(facets.data?.group).slice(0, MAX_PROPOSED)} />
      <datalist id="devices-devParentMAC">
        {[...parents].slice(0, MAX_PROPOSED).map(([mac, name]) => (
          <option key={mac} value={mac} label={name} />
        ))}
      </datalist>
    </>
  );
}
