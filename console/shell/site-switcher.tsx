/** The button that shows the current site, with a searchable list of all. */
import texts from 'messages:shell';
import { ChevronsUpDown, LayoutDashboard } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { POLL_MS, useAnswer } from '../api/queries.ts';
import { useRights } from '../api/rights.ts';
import { useSiteName } from '../api/site-name.ts';
import icon from '../ui/icon.svg';
import { useShortcut } from '../ui/keys.ts';
import { StatusShape } from '../ui/status.tsx';
import { samePlaceOfSite } from './places.ts';
import { ranked } from './rank.ts';
import { type SiteTone, toneOf } from './site-trouble.ts';

interface Entry {
  /** Null: all sites. */
  id: string | null;
  name: string;
  tags: readonly string[];
  tone: SiteTone | null;
}

/** The field finds the others. */
const MAX_SHOWN = 100;

export function SiteSwitcher({ site }: { site: string | null }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLDivElement>(null);
  const name = useSiteName(site ?? '');
  const label = site === null ? texts.allSites : name;
  const tone = useTone(site);
  const anchorName = `--${id}`;
  useShortcut('g w', texts.keys.switchSite, () => button.current?.click(), { isGlobal: true });
  return (
    <>
      <button
        ref={button}
        type="button"
        className="flex items-center gap-2.5 w-full min-h-10 px-2 py-1 border border-transparent rounded-control bg-transparent font-semibold text-start cursor-pointer hover:bg-text/6 aria-expanded:bg-text/6 [&_img]:flex-none [&_img]:size-6 [&>svg]:flex-none [&>svg]:size-3.5 [&>svg]:text-muted"
        aria-label={texts.site({
          name: tone === null || tone === 'good' ? label : `${label}, ${texts.troubles[tone]}`,
        })}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        title={label}
        popoverTarget={id}
        style={{ anchorName }}
      >
        <img src={icon} alt="" />
        <span className="flex-1 min-w-0 truncate" data-foreign>
          {label}
        </span>
        {tone === null ? null : (
          <span className="inline-flex flex-none items-center justify-center [&_svg]:block [&_svg]:size-2.25">
            <StatusShape tone={tone} />
          </span>
        )}
        <ChevronsUpDown aria-hidden="true" />
      </button>
      <div
        ref={popover}
        id={id}
        role="dialog"
        aria-label={texts.sites}
        popover="auto"
        className="popover w-[min(300px,calc(100vw_-_16px))] p-0 [position-area:end_span-end] overflow-hidden"
        style={{ positionAnchor: anchorName }}
        onToggle={({ newState }) => setOpen(newState === 'open')}
        // The screen below must not take these keys.
        onKeyDown={(event) => event.stopPropagation()}
      >
        {isOpen ? <SiteList site={site} onChosen={() => popover.current?.hidePopover()} /> : null}
      </div>
    </>
  );
}

/** Of the site that is shown. */
function useTone(site: string | null): SiteTone | null {
  const rights = useRights();
  const when = site !== null && rights.may('devices:read');
  const { data } = useAnswer('GET /overview', { site: site ?? '' }, { everyMs: POLL_MS.calm, when });
  const [shown] = data?.sites ?? [];
  return site === null || shown === undefined ? null : toneOf(shown);
}

function SiteList({ site, onChosen }: { site: string | null; onChosen: () => void }) {
  const id = useId();
  const rights = useRights();
  const [location, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const [active, setActive] = useState<number | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const entries = useEntries(query, rights.may('devices:read'));
  const own = Math.max(0, query === '' ? entries.findIndex((one) => one.id === site) : 0);
  const at = Math.min(active ?? own, entries.length - 1);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  function choose(entry: Entry | undefined): void {
    if (entry === undefined) return;
    onChosen();
    navigate(entry.id === null ? '/' : samePlaceOfSite(location, entry.id));
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.nativeEvent.isComposing || (step === undefined && event.key !== 'Enter')) return;
    event.preventDefault();
    if (step === undefined) choose(entries[at]);
    else if (entries.length > 0) setActive((at + step + entries.length) % entries.length);
  }

  return (
    <>
      <input
        ref={field}
        role="combobox"
        aria-label={texts.findSite}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={entries.length === 0 ? undefined : `${id}-${at}`}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder={texts.findSite}
        // The line is the edge of the list: an outline would be cut off.
        className="w-full min-h-10 px-3 py-1 border-0 border-b border-line bg-transparent text-sm placeholder:text-muted placeholder:opacity-100 focus-visible:outline-none focus-visible:border-b-accent"
        value={query}
        onChange={({ target }) => {
          setQuery(target.value);
          setActive(null);
        }}
        onKeyDown={onKeyDown}
      />
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label={texts.sites}
        className="max-h-[min(420px,60dvh)] p-1 overflow-y-auto"
      >
        {entries.map((entry, i) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
          <div
            key={entry.id ?? ''}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === at}
            aria-current={entry.id === site ? 'true' : undefined}
            className="flex items-center gap-2 min-h-control px-2 py-1 rounded-control text-sm cursor-pointer aria-selected:bg-hover aria-[current=true]:font-semibold [&>svg]:flex-none [&>svg]:size-4 [&>svg]:text-muted"
            onPointerMove={i === at ? undefined : () => setActive(i)}
            onClick={() => choose(entry)}
          >
            {entry.id === null ? (
              <LayoutDashboard aria-hidden="true" />
            ) : (
              <span className="inline-flex flex-none items-center justify-center w-4 [&_svg]:size-2.25">
                {entry.tone === null ? null : <StatusShape tone={entry.tone} />}
              </span>
            )}
            <span className="flex-1 min-w-0 truncate" data-foreign>
              {entry.name}
            </span>
            {entry.tone === null ? null : <span className="visually-hidden">{texts.troubles[entry.tone]}</span>}
            {entry.id === null || (entry.id === entry.name && entry.tags.length === 0) ? null : (
              <span className="flex-none max-w-[45%] text-muted text-xs font-normal truncate" data-foreign>
                {[entry.id === entry.name ? '' : entry.id, ...entry.tags].filter((part) => part !== '').join(' · ')}
              </span>
            )}
          </div>
        ))}
      </div>
      {entries.length === 0 ? (
        <p className="p-3 text-muted text-sm" role="status">
          {texts.noSite({ query: query.trim() })}
        </p>
      ) : null}
    </>
  );
}

/** All sites first; then the matches. */
function useEntries(query: string, mayRead: boolean): readonly Entry[] {
  const { data } = useAnswer('GET /sites', {}, { everyMs: POLL_MS.calm });
  const { data: overview } = useAnswer('GET /overview', { query: { limit: '500' } }, { when: mayRead });
  const tones = new Map(overview?.sites.map((one) => [one.id, toneOf(one)]));
  const all = (data?.sites ?? []).map(({ id, name, tags }) => ({ id, name, tags, tone: tones.get(id) ?? null }));
  // Of one site there is no overview of all.
  const every = all.length === 1 ? [] : [{ id: null, name: texts.allSites, tags: [], tone: null }];
  if (query.trim() === '') return [...every, ...all.slice(0, MAX_SHOWN)];
  return ranked(query, all, ({ id, name, tags }) => `${name} ${id} ${tags.join(' ')}`).slice(0, MAX_SHOWN);
}
