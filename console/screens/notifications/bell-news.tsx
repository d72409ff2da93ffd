/** The last important events of all sites, and how many of them are unread in this browser. */
import bellTexts from 'messages:bell';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Bell as BellPicture } from 'lucide-react';
import { useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { IMPORTANT_EVENTS } from '../../../shared/words.ts';
import { ask } from '../../api/client.ts';
import { useRights } from '../../api/rights.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CheckField } from '../../ui/field.tsx';
import { siteOfAddress } from '../../ui/site-of-address.ts';
import { makeKeptStore } from '../../ui/store.ts';
import { Time } from '../../ui/time.tsx';
import { EventIcon } from '../events/event-icon.tsx';
import { devicePage, Parts } from '../events/event-sentence.tsx';
import { entriesOf, idOf, type SiteEvent } from '../events/feed.ts';
import { sentenceOf, textOf } from '../events/sentence.ts';
import { rememberVisit, useLastVisit } from '../events/visits.ts';
import { useOverview, versionOf } from '../sites/use-overview.ts';

const SHOWN = 10;

export default function BellNews() {
  const { events, siteNames, lastChangeAt, isRead } = useNews();
  const markRead = () => {
    const at = new Date().toISOString();
    rememberVisit('*', { at, seen: lastChangeAt ?? at });
  };
  const markFirst = useEffectEvent(markRead);
  const seen = useLastVisit('*')?.seen ?? null;
  // On the first visit, nothing counts as unread.
  useEffect(() => {
    if (seen === null && isRead) markFirst();
  }, [seen, isRead]);
  const unread = seen === null ? [] : events.filter(({ event }) => Date.parse(event.recordedAt) > Date.parse(seen));
  useBrowserNotices(unread, siteNames);
  const [isOpen, setOpen] = useState(false);
  const [location] = useLocation();
  const id = useId();
  const count = unread.length > MOST_UNREAD ? bellTexts.more({ count: MOST_UNREAD }) : String(unread.length);
  const anchorName = `--${id}`;
  const close = () => document.getElementById(id)?.hidePopover();
  const site = siteOfAddress(location) ?? (siteNames.size === 1 ? [...siteNames.keys()][0] : undefined);
  const mayAdmin = useRights().may('admin');

  return (
    <>
      <IconButton
        label={unread.length === 0 ? bellTexts.title : bellTexts.titleOf({ count })}
        className="relative"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        popoverTarget={id}
        style={{ anchorName }}
      >
        <BellPicture />
        {unread.length === 0 ? null : (
          <span
            className="absolute top-px right-0 min-w-4 px-1 py-0 rounded-[8px] bg-accent text-[10px] font-semibold leading-4 text-on-accent"
            aria-hidden="true"
          >
            {count}
          </span>
        )}
      </IconButton>
      <div
        id={id}
        popover="auto"
        role="dialog"
        aria-label={bellTexts.heading}
        className="popover w-[min(400px,calc(100vw_-_16px))] max-h-[min(640px,calc(100dvh_-_80px))] p-0 [position-area:end_span-start] [position-try-fallbacks:flip-inline] open:grid open:grid-rows-[auto_minmax(0,1fr)_auto] max-480:[position-area:none] max-480:inset-[60px_8px_auto]"
        style={{ positionAnchor: anchorName }}
        onToggle={({ newState }) => setOpen(newState === 'open')}
      >
        {isOpen ? (
          <>
            <div className="flex flex-wrap items-center justify-between gap-y-1 gap-x-4 min-h-11 pr-2 pl-4 py-1 [&_button]:text-accent">
              <h2>{bellTexts.heading}</h2>
              {unread.length === 0 ? null : (
                <Button look="quiet" onClick={markRead}>
                  {bellTexts.markRead}
                </Button>
              )}
            </div>
            {events.length === 0 ? (
              <div className="px-4 py-6 border-t border-line text-center">
                <strong>{bellTexts.none}</strong>
                <p className="text-muted">{bellTexts.noneWhy}</p>
              </div>
            ) : (
              <ul className="border-t border-line overflow-y-auto overscroll-contain">
                {events.slice(0, SHOWN).map((entry) => (
                  <Item
                    key={idOf(entry)}
                    entry={entry}
                    siteNames={siteNames}
                    isUnread={unread.includes(entry)}
                    onFollow={close}
                  />
                ))}
              </ul>
            )}
            <div className="flex flex-wrap items-center gap-y-1 gap-x-4 justify-start min-h-11 pr-2 pl-4 py-2 border-t border-line text-sm [&_a]:inline-flex [&_a]:items-center [&_a]:min-h-6 [&>div]:basis-full">
              <Link href="/events" onClick={close}>
                {bellTexts.allEvents}
              </Link>
              {mayAdmin && site !== undefined ? (
                <Link href={`/sites/${site}/notifications`} onClick={close}>
                  {bellTexts.settings}
                </Link>
              ) : null}
              <BrowserChoice />
            </div>
          </>
        ) : null}
      </div>
    </>
  );
}

interface ItemProps {
  entry: SiteEvent;
  siteNames: ReadonlyMap<string, string>;
  isUnread: boolean;
  onFollow: () => void;
}

function Item({ entry: { site, event }, siteNames, isUnread, onFollow }: ItemProps) {
  const siteName = siteNames.get(site) ?? site;
  const to = event.device === null ? `/sites/${site}/events` : devicePage(site, event.device.key);
  return (
    <li>
      <Link
        href={to}
        className="grid grid-cols-[20px_minmax(0,1fr)_8px] gap-x-2 px-4 py-2 text-sm leading-5 no-underline text-text hover:bg-hover focus-visible:-outline-offset-2"
        data-unread={isUnread || undefined}
        onClick={onFollow}
      >
        <EventIcon type={event.type} />
        <span className="grid min-w-0 wrap-anywhere [&_small]:text-xs">
          <span>
            <Parts parts={sentenceOf(event, siteName).parts} devicePath={null} />
          </span>
          <small className="text-muted">
            {siteNames.size === 1 ? null : <span data-foreign>{siteName} · </span>}
            <Time at={event.at} />
          </small>
        </span>
        {isUnread ? (
          <span className="self-center size-2 rounded-[50%] bg-accent" role="img" aria-label={bellTexts.unread} />
        ) : null}
      </Link>
    </li>
  );
}

/** The newest important events of all sites, requested when one of them has changed. */
const MOST_UNREAD = 20;

const NONE: readonly SiteEvent[] = [];
const QUERY = { sites: '*', type: IMPORTANT_EVENTS.join(','), limit: MOST_UNREAD + 1 };

function useNews() {
  const { data: overview } = useOverview();
  const sites = overview?.sites;
  const { data } = useQuery({
    queryKey: ['GET /events', null, 'news', versionOf(overview)],
    queryFn: async ({ signal }) => entriesOf(await ask('GET /events', { query: QUERY, signal })),
    enabled: sites !== undefined,
    staleTime: 'static',
    placeholderData: keepPreviousData,
  });
  const siteNames = useMemo(() => new Map((sites ?? []).map(({ id, name }) => [id, name])), [sites]);
  /** By the clock of the API; null before the first change. */
  const lastChangeAt = (sites ?? []).reduce<string | null>(
    (last, site) => (site.lastChangeAt !== null && site.lastChangeAt > (last ?? '') ? site.lastChangeAt : last),
    null,
  );
  return { events: data ?? NONE, siteNames, lastChangeAt, isRead: data !== undefined };
}

const choice = makeKeptStore('lanreach.browser-notices');
const isAble = 'Notification' in window && window.isSecureContext;
/** Above it, one notification counts them. */
const ONE_BY_ONE = 3;

/** Shows the events since the page was opened. */
function useBrowserNotices(unread: readonly SiteEvent[], siteNames: ReadonlyMap<string, string>): void {
  const isOn = choice.use() === 'on';
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    const before = known.current;
    known.current = new Set(unread.map(idOf));
    if (before === null || !isOn || !isAble || Notification.permission !== 'granted') return;
    const fresh = unread.filter((entry) => !before.has(idOf(entry)));
    if (fresh.length > ONE_BY_ONE) return show('LanReach', bellTexts.several({ count: fresh.length }), 'several');
    for (const entry of fresh) {
      const name = siteNames.get(entry.site) ?? entry.site;
      show(name, textOf(sentenceOf(entry.event, name)), idOf(entry));
    }
  }, [unread, siteNames, isOn]);
}

/** @param tag shown once per browser, whatever its tabs */
function show(title: string, body: string, tag: string): void {
  try {
    const notice = new Notification(title, { body, tag });
    notice.onclick = () => window.focus();
  } catch {
    // Phones require a service worker.
  }
}

function BrowserChoice() {
  const isOn = choice.use() === 'on';
  const [isRefused, setRefused] = useState(false);
  if (!isAble) return null;
  async function turn(on: boolean): Promise<void> {
    const isAllowed = !on || (await Notification.requestPermission()) === 'granted';
    setRefused(!isAllowed);
    choice.set(on && isAllowed ? 'on' : null);
  }
  return (
    <CheckField
      label={bellTexts.inBrowser}
      hint={isRefused ? bellTexts.refused : bellTexts.inBrowserHow}
      checked={isOn}
      onChange={({ target: { checked } }) => void turn(checked)}
    />
  );
}
