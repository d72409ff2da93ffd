/** The events of one site or of all. */
import common from 'messages:common';
import eventNames from 'messages:eventNames';
import texts from 'messages:events';
import { Activity, ArrowUp } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { problemOf } from '../../api/problem.ts';
import { EVENT_GROUPS } from '../../text/event-groups.ts';
import { useActors } from '../../ui/actor.tsx';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, ProblemBox } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { UnreadableNote } from '../../ui/unreadable-note.tsx';
import { newSince } from './days.ts';
import { EventList } from './event-list.tsx';
import { type ShownFeed, type SiteEvent, useFeed } from './feed.ts';
import styles from './filter-bar.module.css';
import { type Filters, filtersIn, GROUPS, hasWords, NO_FILTERS, type Period, queryOf, TYPES } from './filters.ts';
import { deviceLabel, sentenceOf, textOf } from './sentence.ts';
import { useVisit, type Visit } from './visits.ts';

const NONE: readonly SiteEvent[] = [];

interface Props {
  /** Null: all sites. */
  site: string | null;
  /** Of all sites: changes when one of them has changed. */
  version?: string | undefined;
  siteNames: ReadonlyMap<string, string>;
}

export function Events({ title, site, version, siteNames }: Props & { title: string }) {
  const [query, setQuery] = useHashQuery();
  const filters = useMemo(() => filtersIn(query), [query]);
  const change = (next: Filters) => setQuery(queryOf(next), { replace: true });
  const { type, period, device } = filters;
  const [read, setRead] = useState<Read>({ deviceName: null, newest: null });
  const before = useVisit(site ?? '*', read.newest);
  const onRead = useCallback((next: Read) => setRead((last) => ({ ...next, newest: next.newest ?? last.newest })), []);
  return (
    <Page title={title}>
      <FilterBar filters={filters} onChange={change} deviceName={read.deviceName ?? device} />
      {/* The search text filters the loaded list; the other filters make a new one. */}
      <FeedView key={`${type} ${period} ${device}`} {...{ site, version, siteNames, filters, before, onRead }} />
    </Page>
  );
}

interface Read {
  /** Of the device in the filter; null before an event names it. */
  deviceName: string | null;
  /** Time of the newest unfiltered event; null: unknown. */
  newest: string | null;
}

function FeedView({ site, version, siteNames, filters, before, onRead }: Props & ViewProps) {
  const list = useRef<HTMLDivElement>(null);
  const shown = useFeed(site, filters, version, () => isReading(list.current));
  const actors = useActors(site);
  const { held, error, release } = shown;
  const isRead = shown.events !== null;
  const events = shown.events ?? NONE;
  const found = useMemo(() => withText(events, filters.text, siteNames), [events, filters.text, siteNames]);
  const isAll = filters.type === '' && filters.period === '' && filters.device === '';
  const newest = isAll ? (events[0]?.event.recordedAt ?? null) : null;
  const deviceName = nameOfDevice(events, filters.device);
  useEffect(() => onRead({ deviceName, newest }), [onRead, deviceName, newest]);
  const newCount = before === null ? 0 : newSince(found, before.seen);

  return (
    <>
      {error === null || (isRead && problemOf(error).code === 'unreachable') ? null : (
        <ProblemBox error={error} onRetry={shown.retry} />
      )}
      {isRead && isAll && filters.text === '' ? (
        <SinceLine before={before} newCount={newCount} isWhole={newCount < events.length || !shown.hasMore} />
      ) : null}
      {held === 0 ? null : (
        <div className="sticky grid top-15 z-5 justify-items-center h-0 mb-[calc(-1_*_var(--gap))] overflow-visible [&_button]:shadow-raised">
          <Button
            look="primary"
            onClick={() => {
              release();
              window.scrollTo({ top: 0 });
            }}
            icon={<ArrowUp />}
          >
            {texts.newOnes({ count: held })}
          </Button>
        </div>
      )}
      <div ref={list} className="grid gap-6 min-w-0">
        <EventList
          entries={found}
          actors={actors}
          siteNames={siteNames}
          isOfOneSite={site !== null}
          newCount={newCount}
          isOfOneDevice={filters.device !== ''}
        />
      </div>
      <End shown={shown} found={found.length} hasFilters={!isAll || filters.text !== ''} />
    </>
  );
}

interface ViewProps {
  filters: Filters;
  before: Visit | null;
  onRead: (read: Read) => void;
}

function SinceLine({ before, newCount, isWhole }: { before: Visit | null; newCount: number; isWhole: boolean }) {
  // The first visit marks nothing as new.
  if (before === null || newCount === 0) return null;
  const count = isWhole ? String(newCount) : texts.atLeast({ count: newCount });
  return (
    <p className="text-muted text-sm [&_strong]:font-medium [&_strong]:text-text" title={texts.sinceHow}>
      <strong>{texts.since({ count })}</strong>, <Time at={before.at} />
    </p>
  );
}

function End({ shown, found, hasFilters }: { shown: ShownFeed; found: number; hasFilters: boolean }) {
  const { events, hasMore, unreadable, isLoadingMore, more } = shown;
  if (events === null) return shown.error === null ? <div role="status">{common.loading}</div> : null;
  return (
    <>
      {found === 0 ? <Nothing loaded={events.length} hasMore={hasMore} hasFilters={hasFilters} /> : null}
      <UnreadableNote title={texts.unreadable({ count: unreadable.length })} entries={unreadable} />
      <div className="grid justify-items-center gap-2 text-muted text-sm">
        {hasMore ? (
          <Button onClick={more} disabled={isLoadingMore}>
            {isLoadingMore ? common.loading : common.more}
          </Button>
        ) : null}
        {!hasMore && found > 0 ? <span>{texts.end}</span> : null}
      </div>
    </>
  );
}

function Nothing({ loaded, hasMore, hasFilters }: { loaded: number; hasMore: boolean; hasFilters: boolean }) {
  if (loaded > 0 && hasMore) {
    return (
      <Empty title={texts.noMatchYet({ count: loaded })}>
        <p>{texts.noMatchYetHow}</p>
      </Empty>
    );
  }
  if (loaded > 0 || hasFilters) return <Empty title={texts.noMatch} />;
  return (
    <Empty title={texts.none} icon={Activity}>
      <p>{texts.noneWhy}</p>
    </Empty>
  );
}

function withText(events: readonly SiteEvent[], text: string, siteNames: Props['siteNames']): readonly SiteEvent[] {
  if (text.trim() === '') return events;
  return events.filter(({ site, event }) =>
    hasWords(`${textOf(sentenceOf(event, siteNames.get(site)))} ${site} ${event.device?.mac}`, text),
  );
}

function nameOfDevice(events: readonly SiteEvent[], key: string): string | null {
  const device = events.find(({ event }) => event.device?.key === key)?.event.device;
  return device === undefined || device === null ? null : deviceLabel(device);
}

function isReading(list: HTMLElement | null): boolean {
  return window.scrollY > 0 || (list?.matches(':hover, :focus-within') ?? false);
}

interface BarProps {
  filters: Filters;
  onChange: (filters: Filters) => void;
  deviceName: string;
}

/** Pause in typing before the address changes. */
const PAUSE_MS = 250;

/** The filters of the events. */
function FilterBar({ filters, onChange, deviceName }: BarProps) {
  const isAnySet = Object.values(filters).some((value) => value !== '');
  return (
    <search
      className={`${styles.filters} flex flex-wrap items-center gap-2 [&>div]:flex-[0_1_190px] max-600:[&>div]:flex-[1_1_150px] max-600:[&>div]:max-w-none [&_select]:whitespace-nowrap [&_select]:overflow-clip`}
    >
      <WordsField text={filters.text} onChange={(text) => onChange({ ...filters, text })} />
      <TypeField type={filters.type} onChange={(type) => onChange({ ...filters, type })} />
      <SelectField
        label={texts.filterPeriod}
        isLabelHidden
        value={filters.period}
        onChange={({ target }) => onChange({ ...filters, period: target.value as Period })}
      >
        {Object.entries(texts.periods).map(([period, label]) => (
          <option key={period} value={period}>
            {label}
          </option>
        ))}
      </SelectField>
      {filters.device === '' ? null : (
        <Chip tone="accent" removeLabel={texts.everyDevice} onRemove={() => onChange({ ...filters, device: '' })}>
          {deviceName}
        </Chip>
      )}
      {isAnySet ? (
        <Button look="quiet" onClick={() => onChange(NO_FILTERS)}>
          {texts.clearFilters}
        </Button>
      ) : null}
    </search>
  );
}

function TypeField({ type, onChange }: { type: string; onChange: (type: string) => void }) {
  const known = [...TYPES, ...GROUPS.map((group) => group.type)] as string[];
  return (
    <SelectField label={texts.filterType} isLabelHidden value={type} onChange={({ target }) => onChange(target.value)}>
      <option value="">{texts.anyType}</option>
      <optgroup label={texts.groups}>
        {GROUPS.map((group) => (
          <option key={group.type} value={group.type}>
            {group.label}
          </option>
        ))}
        {type === '' || known.includes(type) ? null : <option value={type}>{labelOf(type)}</option>}
      </optgroup>
      {EVENT_GROUPS.map((group) => (
        <optgroup key={group.label} label={group.label}>
          {group.types.map((one) => (
            <option key={one} value={one}>
              {eventNames[one]}
            </option>
          ))}
        </optgroup>
      ))}
    </SelectField>
  );
}

/** For types that only an address can combine. */
function labelOf(types: string): string {
  return TYPES.filter((one) => types.split(',').includes(one))
    .map((one) => eventNames[one])
    .join(', ');
}

function WordsField({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing triggers it
  useEffect(() => {
    if (typed === text) return undefined;
    const timer = window.setTimeout(() => onChange(typed), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [typed]);
  return (
    <TextField
      label={texts.filterText}
      isLabelHidden
      type="search"
      maxLength={200}
      placeholder={texts.filterTextHint}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  );
}
