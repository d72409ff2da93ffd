/** The site that the screens are about, and the others to choose from. */
import { useLocation } from 'wouter';
import { POLL_MS, useAnswer } from '../api/queries.ts';
import { SelectField } from '../ui/field.tsx';
import { samePlaceOfSite } from './places.ts';
import { texts } from './texts.ts';

export function SiteChoice({ site }: { site: string | null }) {
  const [location, navigate] = useLocation();
  const { data } = useAnswer('GET /sites', {}, { everyMs: POLL_MS.calm });
  const isListed = data?.sites.some(({ id }) => id === site);
  return (
    <SelectField
      label={texts.site}
      isLabelHidden
      value={site ?? ''}
      onChange={({ target }) => navigate(target.value === '' ? '/' : samePlaceOfSite(location, target.value))}
    >
      <option value="">{texts.chooseSite}</option>
      {site === null || isListed ? null : <option value={site}>{site}</option>}
      {data?.sites.map(({ id, name }) => (
        <option key={id} value={id}>
          {name === id ? id : `${name} (${id})`}
        </option>
      ))}
    </SelectField>
  );
}
