/** The menu of the account: name and roles, colours, density, language, keys, and signing out. */
import roleTexts from 'messages:roles';
import texts from 'messages:shell';
import { ChevronsUpDown, CircleUserRound, Keyboard, LogOut } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import type { Person } from '../../shared/api/records.ts';
import { ask } from '../api/client.ts';
import { useKnownSites } from '../api/known-sites.ts';
import { useAnswer } from '../api/queries.ts';
import { useRights } from '../api/rights.ts';
import { keepSession, signOut, useSession } from '../api/session.ts';
import { chooseLanguage, LANGUAGES, spoken } from '../text/language.ts';
import { selectionText } from '../text/site-texts.ts';
import { Button } from '../ui/button.tsx';
import { CheckField } from '../ui/field.tsx';
import { KeyCaps } from '../ui/key-caps.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Moment } from '../ui/time.tsx';
import { density, theme } from './theme.ts';

const WIDE = 'justify-start px-2.5 font-normal';

/** @param onKeys shows the list of shortcuts */
export function AccountMenu({ onKeys }: { onKeys: () => void }) {
  const id = useId();
  const { tokenName, person: own, isSession } = useRights();
  const { session } = useSession();
  const { data } = useAnswer('GET /people/self', {}, { everyMs: 0, when: own !== null });
  const person = data?.person ?? null;
  const name = person?.name ?? tokenName;
  const label = person === null ? texts.account({ name }) : texts.person({ name });
  const [isOpen, setOpen] = useState(false);
  const popover = useRef<HTMLDivElement>(null);
  const anchorName = `--${id}`;
  return (
    <>
      <button
        type="button"
        className="flex items-center gap-2.5 w-full min-h-[max(36px,var(--control-height))] px-2.5 py-1 border-0 rounded-control bg-transparent text-sm text-start text-muted cursor-pointer hover:bg-text/6 hover:text-text aria-expanded:bg-text/6 aria-expanded:text-text [&>svg]:flex-none [&>svg]:size-4.5 [&>svg]:stroke-[1.75] [&>:last-child]:size-3.5"
        aria-label={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        title={label}
        popoverTarget={id}
        style={{ anchorName }}
      >
        <CircleUserRound aria-hidden="true" />
        <span className="flex-1 min-w-0 truncate" data-foreign>
          {name}
        </span>
        <ChevronsUpDown aria-hidden="true" />
      </button>
      <div
        ref={popover}
        id={id}
        role="dialog"
        aria-label={label}
        popover="auto"
        className="popover w-[min(320px,calc(100vw_-_16px))] p-0 [position-area:start_span-end] [position-try-fallbacks:flip-block]"
        style={{ positionAnchor: anchorName }}
        onToggle={({ newState }) => setOpen(newState === 'open')}
      >
        {isOpen ? (
          <>
            <div className="grid gap-0.5 px-3.5 py-2.5 border-b border-line text-muted text-sm wrap-anywhere [&_strong]:text-text [&_strong]:font-semibold">
              <strong data-foreign>{person === null ? texts.account({ name }) : name}</strong>
              {person === null ? null : <About person={person} />}
            </div>
            <Looks />
            <div className="px-3.5 pt-1 pb-2.5 border-b border-line text-sm">
              <CheckField
                label={texts.keepSignedIn}
                checked={session?.isKept ?? false}
                onChange={({ target }) => keepSession(target.checked)}
              />
            </div>
            <div className="grid p-1">
              <Button
                look="quiet"
                className={WIDE}
                onClick={() => {
                  popover.current?.hidePopover();
                  onKeys();
                }}
              >
                <Keyboard aria-hidden="true" />
                {texts.shortcuts}
                <span className="ms-auto">
                  <KeyCaps keys="?" />
                </span>
              </Button>
              <Button look="quiet" className={WIDE} onClick={() => leave(isSession)} icon={<LogOut />}>
                {texts.signOut}
              </Button>
            </div>
          </>
        ) : null}
      </div>
    </>
  );
}

/** Ends a session. A token that was pasted here stays valid: other programs may use it. */
function leave(isSession: boolean): void {
  // Signing out does not wait for the response.
  if (isSession) void ask('DELETE /tokens/self').catch(() => {});
  signOut('signed-out');
}

function About({ person: { email, grants } }: { person: Person }) {
  const { nameOf } = useKnownSites();
  const { expiresAt, isSession } = useRights();
  return (
    <>
      {email === null ? null : <span data-foreign>{email}</span>}
      {grants.length === 0 ? <span>{roleTexts.none}</span> : null}
      {grants.map(({ role, sites }) => (
        <span key={`${role} ${String(sites)}`} data-foreign>
          {roleTexts.at({ role: roleTexts.names[role], sites: selectionText(sites, nameOf) })}
        </span>
      ))}
      {isSession && expiresAt !== null ? (
        <span>
          {texts.sessionUntil} <Moment at={expiresAt} />
        </span>
      ) : null}
    </>
  );
}

function Looks() {
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-y-0.5 gap-x-3 pr-2 pl-3.5 py-2 text-sm text-muted [&_[aria-pressed=true]]:bg-selected">
      <span aria-hidden="true">{texts.theme}</span>
      <Tabs label={texts.theme} tabs={texts.themes} value={theme.use()} onChange={theme.choose} />
      <span aria-hidden="true">{texts.density}</span>
      <Tabs label={texts.density} tabs={texts.densities} value={density.use()} onChange={density.choose} />
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
