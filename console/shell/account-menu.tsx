/** Who is signed in, how the console looks and speaks, its keys, and the way out. */
import { ChevronsUpDown, CircleUserRound, Keyboard, LogOut } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { useRights } from '../api/rights.ts';
import { keepSession, signOut, useSession } from '../api/session.ts';
import { chooseLanguage, LANGUAGES, spoken } from '../text/language.ts';
import { Button } from '../ui/button.tsx';
import { CheckField } from '../ui/field.tsx';
import { KeyCaps } from '../ui/key-caps.tsx';
import { Tabs } from '../ui/tabs.tsx';
import styles from './account-menu.module.css';
import { texts } from './texts.ts';
import { chooseDensity, chooseTheme, useDensity, useTheme } from './theme.ts';

/** @param onKeys shows the list of shortcuts */
export function AccountMenu({ onKeys }: { onKeys: () => void }) {
  const id = useId();
  const { tokenName } = useRights();
  const [isOpen, setOpen] = useState(false);
  const popover = useRef<HTMLDivElement>(null);
  const anchorName = `--${id}`;
  return (
    <>
      <button
        type="button"
        className={styles.button}
        aria-label={texts.account(tokenName)}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        title={texts.account(tokenName)}
        popoverTarget={id}
        style={{ anchorName }}
      >
        <CircleUserRound aria-hidden="true" />
        <span className={styles.name} data-foreign>
          {tokenName}
        </span>
        <ChevronsUpDown aria-hidden="true" />
      </button>
      <div
        ref={popover}
        id={id}
        role="dialog"
        aria-label={texts.account(tokenName)}
        popover="auto"
        className={styles.popover}
        style={{ positionAnchor: anchorName }}
        onToggle={({ newState }) => setOpen(newState === 'open')}
      >
        {isOpen ? (
          <>
            <div className={styles.who} data-foreign>
              {texts.account(tokenName)}
            </div>
            <Looks />
            <Kept />
            <div className={styles.end}>
              <Button
                look="quiet"
                className={styles.wide ?? ''}
                onClick={() => {
                  popover.current?.hidePopover();
                  onKeys();
                }}
              >
                <Keyboard aria-hidden="true" />
                {texts.shortcuts}
                <span className={styles.hint}>
                  <KeyCaps keys="?" />
                </span>
              </Button>
              <Button look="quiet" className={styles.wide ?? ''} onClick={() => signOut('signed-out')}>
                <LogOut aria-hidden="true" />
                {texts.signOut}
              </Button>
            </div>
          </>
        ) : null}
      </div>
    </>
  );
}

function Looks() {
  return (
    <div className={styles.looks}>
      <span aria-hidden="true">{texts.theme}</span>
      <Tabs label={texts.theme} tabs={texts.themes} value={useTheme()} onChange={chooseTheme} />
      <span aria-hidden="true">{texts.density}</span>
      <Tabs label={texts.density} tabs={texts.densities} value={useDensity()} onChange={chooseDensity} />
      <span aria-hidden="true">{texts.language}</span>
      <Tabs
        label={texts.language}
        tabs={LANGUAGES}
        value={spoken}
        onChange={(language) => language !== spoken && chooseLanguage(language)}
      />
    </div>
  );
}

/** Who came by a link was not asked. */
function Kept() {
  const { session } = useSession();
  return (
    <div className={styles.kept}>
      <CheckField
        label={texts.keepSignedIn}
        checked={session?.isKept ?? false}
        onChange={({ target }) => keepSession(target.checked)}
      />
    </div>
  );
}
