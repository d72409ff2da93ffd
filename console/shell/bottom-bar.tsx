/** The bar at the bottom of a phone: the screens that are opened most, the search, and the side bar. */
import texts from 'messages:shell';
import { Menu, Search } from 'lucide-react';
import type { Ref } from 'react';
import { useRights } from '../api/rights.ts';
import { EntryLink } from './navigation.tsx';
import { entriesFor } from './places.ts';

const ITEM =
  'grid justify-items-center content-center gap-0.75 h-14 px-0.5 py-0 border-0 bg-transparent overflow-hidden text-[0.6875rem] no-underline text-ellipsis whitespace-nowrap text-muted cursor-pointer [&_svg]:size-5.5 [&_svg]:stroke-[1.75] aria-[current=page]:font-semibold aria-[current=page]:text-accent aria-expanded:font-semibold aria-expanded:text-accent focus-visible:-outline-offset-2';

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
    .map((entry) => <EntryLink key={entry.label} entry={entry} className={ITEM} />);
  return (
    <nav
      aria-label={texts.quickNavigation}
      className="hidden max-800:fixed max-800:inset-[auto_0_0] max-800:z-9 max-800:grid max-800:auto-cols-[minmax(0,1fr)] max-800:grid-flow-col max-800:[padding:0_env(safe-area-inset-right)_env(safe-area-inset-bottom)_env(safe-area-inset-left)] max-800:border-t max-800:border-line max-800:bg-surface"
    >
      {links.slice(0, 2)}
      <button type="button" className={ITEM} onClick={onSearch}>
        <Search aria-hidden="true" />
        {texts.search}
      </button>
      {links.slice(2)}
      <button
        ref={menuButton}
        type="button"
        className={ITEM}
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
