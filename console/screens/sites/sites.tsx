/** The overview of all sites of the token; a single site gets its own overview instead. */
import siteTexts from 'messages:siteChoice';
import texts from 'messages:sites';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useDeferredValue, useRef, useState } from 'react';
import { Redirect } from 'wouter';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { useRights } from '../../api/rights.ts';
import { countedTags } from '../../api/selection.ts';
import { numberText } from '../../text/format.ts';
import { IconButton, LinkButton } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { useShortcut } from '../../ui/keys.ts';
import { Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Tile, Tiles } from '../../ui/tile.tsx';
import { UnreadableNote } from '../../ui/unreadable-note.tsx';
import { FirstRun } from '../overview/first-run/first-run.tsx';
import { belongsTo, inOrder, isInternetMeasured, isOnly, isWatched, matches, type Only, sumOf } from './attention.ts';
import { DeletedSites } from './deleted-sites.tsx';
import { DeviceTile } from './first-devices.tsx';
import { SiteRow } from './site-row.tsx';
import styles from './sites.module.css';
import { placeOfAgent } from './trouble-list.tsx';
import { type Overview, useOverview } from './use-overview.ts';

const HANDFUL = 5;
const ROWS = 25;

export default function Sites() {
  const overview = useOverview();
  const rights = useRights();
  const mayAdd = rights.may('admin') && rights.isForAllSites;
  const { sites, unreadable } = overview.data ?? { sites: [], unreadable: [] };
  const [only] = sites;
  if (only !== undefined && sites.length === 1 && unreadable.length === 0) {
    return <Redirect to={`/sites/${only.id}`} replace />;
  }
  const add = mayAdd ? (
    <LinkButton to="/add-site" look={sites.length === 0 ? 'primary' : 'plain'}>
      {texts.add}
    </LinkButton>
  ) : undefined;
  return (
    <Page title={texts.title} actions={sites.length === 0 ? undefined : add}>
      <Answered of={overview}>
        {(answer) =>
          answer.sites.length === 0 && answer.unreadable.length === 0 ? (
            <Empty title={texts.none}>
              <p>{mayAdd ? texts.noneWhy : texts.noneForToken}</p>
              {add}
            </Empty>
          ) : (
            <>
              <FirstRun sites={answer.sites} />
              <SiteTiles sites={answer.sites} />
              <SiteList overview={answer} mayAdminister={rights.may('admin')} />
            </>
          )
        }
      </Answered>
      <DeletedSites />
    </Page>
  );
}

function SiteList({ overview, mayAdminister }: { overview: Overview; mayAdminister: boolean }) {
  const { sites, unreadable } = overview;
  const [address, setAddress] = useHashQuery();
  const [text, setText] = useState('');
  const [wantedPage, setPage] = useState(0);
  const search = useRef<HTMLInputElement>(null);
  const hasSearch = sites.length > HANDFUL;
  useShortcut('/', texts.search, () => search.current?.focus(), { when: hasSearch });

  const given = address.get('only');
  const only = isOnly(given) ? given : null;
  const tags = countedTags(sites);
  const tag = address.get('tag');
  const choose = (name: 'only' | 'tag', value: string | null) => {
    const next = new URLSearchParams(address);
    if (value === null) next.delete(name);
    else next.set(name, value);
    setPage(0);
    setAddress(next, { replace: true });
  };
  const wanted = useDeferredValue(hasSearch ? text : '');
  const isWanted = (site: Overview['sites'][number]) =>
    matches(site, wanted) && (only === null || belongsTo(site, only)) && (tag === null || site.tags.includes(tag));
  const found = inOrder(sites.filter(isWanted));
  const page = Math.min(wantedPage, Math.max(0, Math.ceil(found.length / ROWS) - 1));
  const shown = found.slice(page * ROWS, (page + 1) * ROWS);
  return (
    <>
      {hasSearch || only !== null || tags.size > 0 ? (
        <search className={`${styles.search} flex flex-wrap items-center gap-y-2 gap-x-4`}>
          {hasSearch ? (
            <>
              <TextField
                ref={search}
                type="search"
                label={texts.search}
                isLabelHidden
                placeholder={texts.search}
                value={text}
                onChange={({ target }) => {
                  setPage(0);
                  setText(target.value);
                }}
              />
              <CheckField
                label={texts.onlyTrouble}
                checked={only === 'trouble'}
                onChange={({ target }) => choose('only', target.checked ? 'trouble' : null)}
              />
            </>
          ) : null}
          {tags.size > 0 || tag !== null ? (
            <SelectField
              label={siteTexts.tags}
              isLabelHidden
              value={tag ?? ''}
              onChange={({ target }) => choose('tag', target.value === '' ? null : target.value)}
            >
              <option value="">{siteTexts.anyTag}</option>
              {[...new Set([...tags.keys(), ...(tag === null ? [] : [tag])])].map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </SelectField>
          ) : null}
          {only === null || (only === 'trouble' && hasSearch) ? null : (
            <Chip onRemove={() => choose('only', null)} removeLabel={texts.showAll}>
              {texts.only[only]}
            </Chip>
          )}
          <span className="ms-auto text-muted text-sm" role="status">
            {texts.shown({ hasAll: found.length === sites.length, shown: found.length, all: sites.length })}
          </span>
        </search>
      ) : null}
      {shown.length === 0 && sites.length > 0 ? <Empty title={texts.noMatch} /> : null}
      {shown.length === 0 ? null : (
        <div className={styles.table}>
          <div
            className="grid grid-cols-(--columns) gap-4 px-4 py-2 border-b border-line bg-sunken text-muted text-xs max-900:hidden"
            aria-hidden="true"
          >
            {Object.entries(texts.columns).map(([name, column]) => (
              <span key={name}>{column}</span>
            ))}
          </div>
          <ul aria-label={texts.title}>
            {shown.map((site) => (
              <SiteRow key={site.id} site={site} mayAdminister={mayAdminister} />
            ))}
          </ul>
        </div>
      )}
      {found.length > ROWS ? (
        <nav className="flex items-center justify-end gap-1 text-muted text-sm [&_span]:me-2" aria-label={texts.title}>
          <span>{texts.page({ from: page * ROWS + 1, to: page * ROWS + shown.length, all: found.length })}</span>
          <IconButton
            label={texts.before}
            icon={<ChevronLeft />}
            disabled={page === 0}
            onClick={() => setPage(page - 1)}
          />
          <IconButton
            label={texts.next}
            icon={<ChevronRight />}
            disabled={(page + 1) * ROWS >= found.length}
            onClick={() => setPage(page + 1)}
          />
        </nav>
      ) : null}
      <UnreadableNote title={texts.unreadable} entries={unreadable} />
    </>
  );
}

/** The page of a site behind each number. */
const PLACES: Record<Only, (site: SiteOverview) => string> = {
  trouble: () => '',
  down: () => '/devices?status=down',
  new: () => '/devices?status=new',
  agents: placeOfAgent,
  internet: () => '/internet',
};

/** All sites in a few numbers, each with a link. */
function SiteTiles({ sites }: { sites: readonly SiteOverview[] }) {
  const sum = sumOf(sites);
  const those = (only: Only) => sites.filter((site) => belongsTo(site, only));
  /** For one site its page; for several the filtered list. */
  const to = (only: Only) => {
    const [first, second] = those(only);
    if (first === undefined) return undefined;
    return second === undefined ? `/sites/${first.id}${PLACES[only](first)}` : `/?only=${only}`;
  };
  const { tiles } = texts;
  const [trouble, internet] = [those('trouble').length, those('internet').length];
  const dark = sites.filter((site) => !isWatched(site)).length;
  return (
    <section aria-label={tiles.label}>
      <Tiles>
        <Tile
          label={tiles.sites}
          value={numberText(sites.length)}
          about={
            trouble > 0
              ? texts.withTrouble({ count: trouble })
              : dark > 0
                ? texts.notMonitored({ count: dark })
                : texts.allWell
          }
          to={to('trouble')}
        />
        <Tile
          label={tiles.online}
          value={numberText(sum.online)}
          about={sum.unknown > 0 ? texts.notMonitored({ count: sum.unknown }) : texts.ofDevices({ count: sum.devices })}
        />
        <DeviceTile sites={sites} status="down" to={to('down')} />
        <DeviceTile sites={sites} status="new" to={to('new')} />
        <Tile
          label={tiles.agents}
          value={numberText(sum.agentsAway)}
          tone={sum.agentsAway > 0 ? 'warn' : undefined}
          to={to('agents')}
        />
        {sites.some(isInternetMeasured) ? (
          <Tile
            label={tiles.internet}
            value={numberText(internet)}
            tone={internet > 0 ? 'bad' : undefined}
            to={to('internet')}
          />
        ) : null}
      </Tiles>
    </section>
  );
}
