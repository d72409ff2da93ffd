/** The links to the screens: those of the site that is chosen, else those about all sites. */
import texts from 'messages:shell';
import { Link, useLocation } from 'wouter';
import { useRights } from '../api/rights.ts';
import { useSavedViews } from '../screens/devices/saved-views.ts';
import { useHashQuery } from '../ui/hash-location.ts';
import { useShortcut } from '../ui/keys.ts';
import styles from './navigation.module.css';
import { ADMIN, groupsOf, isAt, keysLabelOf, type Place, placesOfSiteFor, slotsFor } from './places.ts';

export function Navigation({ site }: { site: string | null }) {
  const rights = useRights();
  const [, navigate] = useLocation();
  const groups =
    site === null
      ? groupsOf(slotsFor(rights)).map((places) => ({ root: '', places }))
      : [
          ...groupsOf(placesOfSiteFor(rights)).map((places) => ({ root: `/sites/${site}`, places })),
          // Who has one site is never led to the screens about all of them.
          { root: '', places: slotsFor(rights).filter(({ stem }) => stem === ADMIN) },
        ].filter(({ places }) => places.length > 0);
  useShortcut('g a', texts.keys.allSites, () => navigate('/'), { isGlobal: true });
  return (
    <nav aria-label={texts.mainNavigation} className="grid gap-4">
      {groups.map(({ root, places }) => (
        <ul key={`${root}${places[0]?.path}`} className="grid gap-px max-800:grid-cols-[1fr_1fr]">
          {places.map((place) => (
            <li key={place.path}>
              <NavLink root={root} place={place} hasKeys={root !== ''} />
              {site !== null && place.path === '/devices' ? <SavedViews site={site} /> : null}
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}

/** Of the devices: what a person has given a name. */
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
            className={styles.view}
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

function NavLink({ root, place, hasKeys }: { root: string; place: Place; hasKeys: boolean }) {
  const [location, navigate] = useLocation();
  const { path, label, icon: Icon, keys = '' } = place;
  const to = root + path;
  useShortcut(keys, keysLabelOf(place), () => navigate(to), { isGlobal: true, when: hasKeys && keys !== '' });
  return (
    <Link
      href={to}
      className={styles.link}
      title={label}
      aria-current={isAt(location, place, root) ? 'page' : undefined}
    >
      <Icon aria-hidden="true" />
      <span>{label}</span>
    </Link>
  );
}
