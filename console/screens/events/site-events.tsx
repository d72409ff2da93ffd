/** What happened on one site. */
import { Events } from './events.tsx';

export default function SiteEvents({ site }: { site: string }) {
  return <Events key={site} site={site} changes={null} siteNames={null} />;
}
