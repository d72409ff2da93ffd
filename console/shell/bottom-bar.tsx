/** The bar at the bottom of a phone: the screens that are opened most, the search, and the side bar. */
import texts from 'messages:shell';
import { Menu, Search } from 'lucide-react';
import type { Ref } from 'react';
import { useRights } from '../api/rights.ts';
import styles from './bottom-bar.module.css';
import { EntryLink } from './navigation.tsx';
import { entriesFor } from './places.ts';

interface Props {
  site: string | null;
  isMenuOpen: boolean;
  menuButton: Ref<HTMLButtonElement>;
  onMenu: () => void;
  onSearch: () => void;
}

export function BottomBar({ site, isMenuOpen, menuButton, onMenu, onSearch }: Props) {
  const links = entriesFor(useRights(), site)
    .filter(({ isQuick }) => isQuick)
    .map((entry) => <EntryLink key={entry.label} entry={entry} className={styles.item} />);
  return (
    <nav aria-label={texts.quickNavigation} className={styles.bar}>
      {links.slice(0, 2)}
      <button type="button" className={styles.item} onClick={onSearch}>
        <Search aria-hidden="true" />
        {texts.search}
      </button>
      {links.slice(2)}
      <button
        ref={menuButton}
        type="button"
        className={styles.item}
        aria-expanded={isMenuOpen}
        aria-controls="menu"
        onClick={onMenu}
      >
        <Menu aria-hidden="true" />
        {texts.more}
      </button>
    </nav>
  );
}
