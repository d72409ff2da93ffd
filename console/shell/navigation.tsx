/** The links to the screens. */
import { Link, useLocation } from 'wouter';
import { useRights } from '../api/rights.ts';
import { useSiteName } from '../api/site-name.ts';
import { useShortcut } from '../ui/keys.ts';
import styles from './navigation.module.css';
import { type Place, placesOfSiteFor, slotsFor } from './places.ts';
import { texts } from './texts.ts';

export function Navigation({ site }: { site: string | null }) {
  const rights = useRights();
  const [, navigate] = useLocation();
  useShortcut('g s', texts.keys.goSites, () => navigate('/'), { isGlobal: true });
  return (
    <>
      <nav aria-label={texts.mainNavigation} className={styles.links}>
        {slotsFor(rights).map((place) => (
          <NavLink key={place.path} to={place.path} place={place} />
        ))}
      </nav>
      {site === null ? null : (
        <nav aria-label={texts.siteNavigation} className={styles.links}>
          <SiteName site={site} />
          {placesOfSiteFor(rights).map((place) => (
            <SitePlace key={place.path} site={site} place={place} />
          ))}
        </nav>
      )}
      {rights.tokenName === '' ? null : (
        <div className={styles.group} data-foreign>
          {texts.signedInAs(rights.tokenName)}
        </div>
      )}
    </>
  );
}

function SiteName({ site }: { site: string }) {
  return (
    <div className={styles.group} data-foreign>
      {useSiteName(site)}
    </div>
  );
}

function SitePlace({ site, place }: { site: string; place: Place }) {
  const [, navigate] = useLocation();
  const to = `/sites/${site}${place.path}`;
  const { keys = '', keysLabel = '' } = place;
  useShortcut(keys, keysLabel, () => navigate(to), { isGlobal: true, when: keys !== '' });
  return <NavLink to={to} place={place} />;
}

function NavLink({ to, place: { label, icon: Icon } }: { to: string; place: Place }) {
  const [location] = useLocation();
  const isHere = location === to || (to !== '/' && location.startsWith(`${to}/`));
  return (
    <Link href={to} className={styles.link} aria-current={isHere ? 'page' : undefined}>
      <Icon aria-hidden="true" />
      {label}
    </Link>
  );
}
