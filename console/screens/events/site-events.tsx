/** The events of one site. */
import texts from 'messages:events';
import { useMemo } from 'react';
import { useSiteName } from '../../api/site-name.ts';
import { Events } from './events.tsx';

export default function SiteEvents({ site }: { site: string }) {
  const name = useSiteName(site);
  const names = useMemo(() => new Map([[site, name]]), [site, name]);
  return <Events key={site} title={texts.title} site={site} siteNames={names} />;
}
