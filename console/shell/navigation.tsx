/** The links to the screens of the site that is chosen, else to those about all sites, and their tabs. */
import texts from 'messages:shell';
import { Link, useLocation } from 'wouter';
import { useRights } from '../api/rights.ts';
import { useSavedViews } from '../screens/devices/saved-views.ts';
import { useHashQuery } from '../ui/hash-location.ts';
import { useShortcut } from '../ui/keys.ts';
import { siteOfAddress } from '../ui/site-of-address.ts';
import { TabLinks } from '../ui/tab-links.tsx';
import { type Entry, entriesFor, isCurrent, type Place, placesOfSiteFor } from './places.ts';

const LINK =
  'flex items-center gap-2.5 min-h-control px-2.5 py-1 rounded-control text-sm no-underline text-muted [&_span]:min-w-0 [&_span]:truncate hover:bg-text/5 hover:text-text aria-[current=page]:bg-text/8 aria-[current=page]:font-[550] aria-[current=page]:text-text [&_svg]:flex-none [&_svg]:size-4.5 [&_svg]:stroke-[1.75] aria-[current=page]:[&_svg]:text-accent';

export function Navigation({ site }: { site: string | null }) {
  const rights = useRights();
  const [, navigate] = useLocation();
  const above = entriesFor(rights, null);
  // A person with one site is never led to the screens about all of them, except for the administration.
  const lists = site === null ? [above] : [entriesFor(rights, site), above.filter(({ stem }) => stem !== undefined)];
  const withKeys = site === null ? [] : placesOfSiteFor(rights).filter(({ keys }) => keys !== undefined);
  useShortcut('g a', texts.keys.allSites, () => navigate('/'), { isGlobal: true });
  return (
    <nav aria-label={texts.mainNavigation} className="grid gap-4">
      {withKeys.map((place) => (
        <PlaceKeys key={place.path} place={place} to={`/sites/${site}${place.path}`} />
      ))}
      {lists
        .filter(({ length }) => length > 0)
        .map((entries) => (
          <ul key={entries[0]?.label} className="grid gap-px max-800:grid-cols-[1fr_1fr]">
            {entries.map((entry) => (
              <li key={entry.label}>
                <EntryLink entry={entry} className={LINK} />
                {site !== null && entry.tabs[0].path === '/devices' ? <SavedViews site={site} /> : null}
              </li>
            ))}
          </ul>
        ))}
    </nav>
  );
}

function PlaceKeys({ place, to }: { place: Place; to: string }) {
  const [, navigate] = useLocation();
  useShortcut(place.keys ?? '', texts.keys.goTo({ place: place.label }), () => navigate(to), { isGlobal: true });
  return null;
}

/** Leads to the first tab, and is current for all of them. */
export function EntryLink({ entry, className }: { entry: Entry; className: string }) {
  const [location] = useLocation();
  const { label, icon: Icon, root, tabs } = entry;
  return (
    <Link
      href={root + tabs[0].path}
      className={className}
      title={label}
      aria-current={isCurrent(location, entry) ? 'page' : undefined}
    >
      <Icon aria-hidden="true" />
      <span>{label}</span>
    </Link>
  );
}

/** The tabs of the screen that is shown, where it is one of several. */
export function PlaceTabs() {
  const [location] = useLocation();
  const entry = entriesFor(useRights(), siteOfAddress(location)).find(({ root, tabs }) =>
    tabs.some(({ path }) => root + path === location),
  );
  if (entry === undefined || entry.tabs.length === 1) return null;
  const tabs = entry.tabs.map(({ path, label, tab = label }) => ({ to: entry.root + path, label: tab }));
  return <TabLinks label={entry.label} tabs={tabs} current={location} />;
}

function SavedViews({ site }: { site: string }) {
  const views = useSavedViews(site);
  const [location] = useLocation();
  const [query] = useHashQuery();
  const address = query.size === 0 ? location : `${location}?${query}`;
  if (views.length === 0) return null;
  return (
    <ul aria-label={texts.savedViews} className="grid gap-px mr-0 ml-4.75 mt-px mb-1 ps-2.5 border-s border-line">
      {views.map(({ name, to }) => (
        <li key={name}>
          {/* Not a Link of the router, which would move the query in front of the hash. */}
          <a
            href={`#${to}`}
            className="block px-2 py-1 rounded-control text-xs leading-4.5 no-underline truncate text-muted hover:bg-text/6 hover:text-text aria-[current=page]:bg-text/6 aria-[current=page]:text-text"
            title={name}
            aria-current={address === to ? 'page' : undefined}
            data-foreign
          >
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
}
