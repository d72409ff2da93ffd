/** The path to the present screen: the site, the screen, and its subject. */
import texts from 'messages:shell';
import { ChevronRight } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { useSiteName } from '../api/site-name.ts';
import { pageTitle } from '../ui/page-title.ts';
import { placeOf } from './places.ts';

export function Crumbs({ site }: { site: string | null }) {
  const crumbs = useCrumbs(site);
  return (
    // The last one is the most telling. A phone shows the last two; the site is in the side bar.
    <nav
      aria-label={texts.path}
      className={`[&_li>:last-child]:px-0.5 [&_li>:last-child]:py-1 [&_li>:last-child]:truncate [&_li:not(:last-child)]:shrink-4 max-700:[&_li:first-child:nth-last-child(3)]:hidden max-700:[&_li:nth-child(2):nth-last-child(2)>svg]:hidden [&_li]:flex [&_li]:flex-initial [&_li]:items-center [&_li]:min-w-0 [&_svg]:flex-none [&_svg]:size-3.5 [&_svg]:mx-0.5 [&_svg]:text-muted [&_[aria-current="page"]]:outline-none [&_[aria-current="page"]]:font-medium flex-initial min-w-0 text-sm [&_ol]:flex [&_ol]:min-w-0 [&_a]:rounded-control [&_a]:no-underline [&_a]:text-muted [&_a:hover]:text-text`}
    >
      <ol>
        {crumbs.map(({ label, to }, i) => (
          <li key={`${to} ${label}`}>
            {i === 0 ? null : <ChevronRight aria-hidden="true" />}
            {i === crumbs.length - 1 ? (
              <span aria-current="page" data-foreign>
                {label}
              </span>
            ) : (
              <Link href={to} data-foreign>
                {label}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function useCrumbs(site: string | null): readonly { label: string; to: string }[] {
  const [location] = useLocation();
  const name = useSiteName(site ?? '');
  const title = pageTitle.use();
  const root = site === null ? '' : `/sites/${site}`;
  const first = { label: site === null ? texts.allSites : name, to: root === '' ? '/' : root };
  if (location === '/') return [first];
  const place = placeOf(location);
  if (place === undefined) return [first, { label: title, to: location }];
  const second = { label: place.label, to: root + place.path };
  // A screen about one thing, such as a device, has its name as the title.
  return location === second.to || title === place.label
    ? [first, second]
    : [first, second, { label: title, to: location }];
}
