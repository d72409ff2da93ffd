/** The links to the screens: those of the site that is chosen, else those about all sites. */
import { Link, useLocation } from 'wouter';
import { useRights } from '../api/rights.ts';
import { useShortcut } from '../ui/keys.ts';
import styles from './navigation.module.css';
import { groupsOf, isAt, keysLabelOf, type Place, placesOfSiteFor, slotsFor } from './places.ts';
import { texts } from './texts.ts';

export function Navigation({ site }: { site: string | null }) {
  const rights = useRights();
  const [, navigate] = useLocation();
  const root = site === null ? '' : `/sites/${site}`;
  useShortcut('g a', texts.keys.allSites, () => navigate('/'), { isGlobal: true });
  return (
    <nav aria-label={texts.mainNavigation} className={styles.groups}>
      {groupsOf(site === null ? slotsFor(rights) : placesOfSiteFor(rights)).map((places) => (
        <ul key={places[0]?.path} className={styles.links}>
          {places.map((place) => (
            <li key={place.path}>
              <NavLink root={root} place={place} hasKeys={site !== null} />
            </li>
          ))}
        </ul>
      ))}
    </nav>
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
