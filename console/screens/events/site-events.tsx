/** What happened on one site. */
import { useSiteName } from '../../api/site-name.ts';
import { Events } from './events.tsx';
import { texts } from './texts.ts';

export default function SiteEvents({ site }: { site: string }) {
  return <Events key={site} title={texts.titleOfSite(useSiteName(site))} site={site} changes={null} siteNames={null} />;
}
