/** What happened on one site. */
import { useSiteName } from '../../api/site-name.ts';
import { texts } from '../../text/texts.ts';
import { Events } from './events.tsx';

export default function SiteEvents({ site }: { site: string }) {
  return (
    <Events
      key={site}
      title={texts.events.titleOfSite(useSiteName(site))}
      site={site}
      changes={null}
      siteNames={null}
    />
  );
}
