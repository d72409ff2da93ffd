/** Above the list: tabs of the status, the filter field, menus of groups and views, and the active filters. */
import texts from 'messages:devices';
import importTexts from 'messages:import';
import watchTexts from 'messages:watch';
import {
  ArrowDownUp,
  Bookmark,
  Check,
  Columns3,
  Download,
  Ellipsis,
  FileUp,
  Link2,
  ListTree,
  Plus,
  Search,
  Trash2,
} from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react';
import type { DeviceSort } from '../../../shared/api/device-list.ts';
import { GROUPINGS } from '../../../shared/device-groups.ts';
import { useAnswer } from '../../api/queries.ts';
import { numberText } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { copyAndTell } from '../../ui/copy-button.tsx';
import { useShortcut } from '../../ui/keys.ts';
import { Menu } from '../../ui/menu.tsx';
import tabStyles from '../../ui/tabs.module.css';
import { showToast } from '../../ui/toast.tsx';
import { formatColumns } from './columns.tsx';
import { type Proposal, proposalsFor, tokensOf } from './filter-tokens.ts';
import { pathOf, removeView, useSavedViews } from './saved-views.ts';
import { type Screen, useScreen } from './screen.ts';
import styles from './toolbar.module.css';
import type { ViewState } from './use-view.ts';
import { DEFAULT_BY, formatView, isFiltered, MAX_TEXT, NO_FILTER, TABS, type Tab } from './view.ts';

const COUNT = `${styles.count} text-muted text-xs font-normal`;

export function Toolbar({ typed, type }: Pick<ViewState, 'typed' | 'type'>) {
  const { isNarrow, list, view } = useScreen();
  const isEmpty = list.answer.data !== undefined && list.size === 0;
  return (
    <div className="flex flex-1 flex-wrap items-center gap-y-2 gap-x-3 min-w-0">
      <h1 className="flex-none me-1 max-700:unseen">{texts.title}</h1>
      <StatusTabs />
      {isEmpty || view.status === 'deleted' ? null : (
        <div
          className={`${styles.tools} flex flex-[1_1_300px] items-center gap-1 min-w-0 max-700:basis-full max-700:-order-1`}
        >
          <FilterField typed={typed} type={type} />
          {isNarrow ? <SortMenu /> : null}
          <GroupMenu />
          <ViewMenu />
          <MoreMenu />
        </div>
      )}
      <Tokens />
    </div>
  );
}

/** Other empty tabs are hidden. */
const ALWAYS: readonly Tab[] = ['my', 'online', 'offline', 'down', 'new'];

function StatusTabs() {
  const { site, view, changeView, list, canWrite } = useScreen();
  const counts: Partial<Record<Tab, number>> | null = list.counts;
  const unknown = useAnswer('GET /devices/facets', { site }).data?.unknown ?? 0;
  const isUnknown = view.watch === 'unknown';
  const strip = useRef<HTMLFieldSetElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a phone the strip scrolls to the current tab
  useEffect(() => {
    strip.current?.querySelector('[aria-pressed=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [view.status, counts === null]);
  const always: readonly Tab[] = counts !== null && list.size === 0 ? ['my'] : ALWAYS;
  const isShown = (tab: Tab) =>
    view.status === tab || (counts?.[tab] ?? 0) > 0 || (tab === 'deleted' ? canWrite : always.includes(tab));
  const unwatched = {
    ...{ label: watchTexts.unknownTab, hint: watchTexts.unknownHint, count: unknown, isPressed: isUnknown },
    ...{ tone: undefined, change: { status: 'my', watch: isUnknown ? null : 'unknown' } as const },
  };
  const tabs = TABS.flatMap((status) => {
    const count = counts?.[status];
    const tab = {
      ...{ label: texts.tabs[status], hint: undefined, count, isPressed: view.status === status && !isUnknown },
      ...{ tone: count ? status : undefined, change: { status, ...(isUnknown ? { watch: null } : {}) } },
    };
    const after = status === 'new' && (unknown > 0 || isUnknown) ? [unwatched] : [];
    return isShown(status) ? [tab, ...after] : after;
  });
  return (
    <fieldset
      ref={strip}
      className={`flex gap-0.5 min-w-0 max-w-full m-0 p-0.5 border-0 overflow-x-auto [scrollbar-width:none] flex-initial max-700:flex-[1_0_100%] [&_button]:gap-1.25 [&_button]:px-2 max-700:[&_button]:min-h-9 ${styles.tabs}`}
    >
      <legend className="visually-hidden">{texts.columns.status}</legend>
      {tabs.map(({ label, hint, count, isPressed, tone, change }) => (
        <button
          key={label}
          type="button"
          className={tabStyles.tab}
          aria-pressed={isPressed}
          title={hint}
          data-tone={tone}
          onClick={() => changeView(change)}
        >
          {label}
          {count === undefined ? null : <span className={COUNT}>{numberText(count)}</span>}
        </button>
      ))}
    </fieldset>
  );
}

/** The active filters, apart from the tabs. */
function Tokens() {
  const { view, changeView } = useScreen();
  const tokens = tokensOf(view).filter(({ name }) => name !== 'status');
  if (tokens.length === 0) return null;
  return (
    <ul className="flex flex-[1_0_100%] flex-wrap items-center gap-y-1 gap-x-2" aria-label={texts.filters}>
      {tokens.map(({ name, value, without }) => {
        const label = `${texts.filterNames[name]}: ${value}`;
        return (
          <li key={name}>
            <Chip
              tone="accent"
              removeLabel={texts.removeFilter({ filter: label })}
              onRemove={() => changeView(without)}
            >
              {label}
            </Chip>
          </li>
        );
      })}
      {isFiltered(view) ? (
        <li>
          <Button look="quiet" className="min-h-6 px-2 py-0 text-xs text-muted" onClick={() => changeView(NO_FILTER)}>
            {texts.clearFilter}
          </Button>
        </li>
      ) : null}
    </ul>
  );
}

/** Where no headings sort the list. */
const SORTS = [
  ...(['name', 'status', 'ip', 'type', 'vendor', '-lastConnection', '-firstConnection'] as const),
] satisfies DeviceSort[];

const checkIf = (isChosen: boolean) => (isChosen ? <Check /> : <span className="w-4" />);

function SortMenu() {
  const { view, changeView } = useScreen();
  return (
    <Menu
      label={texts.sortBy}
      items={SORTS.map((sort) => ({
        label: texts.sorts[sort],
        icon: checkIf(sort === view.sort),
        run: () => changeView({ sort }),
      }))}
    >
      <ArrowDownUp aria-hidden="true" />
    </Menu>
  );
}

function GroupMenu() {
  const { view, changeView } = useScreen();
  return (
    <Menu
      label={view.by === DEFAULT_BY ? texts.groupBy : texts.groupings[view.by]}
      className={view.by === DEFAULT_BY ? '' : 'bg-accent-soft text-accent'}
      items={GROUPINGS.map((by) => ({
        label: texts.groupings[by],
        icon: checkIf(by === view.by),
        run: () => changeView({ by }),
      }))}
    >
      <ListTree aria-hidden="true" />
    </Menu>
  );
}

/** The query of the address with the columns, which are otherwise those of this browser. */
export function queryOf({ view, columns }: Screen): string {
  return String(formatView({ ...view, columns: formatColumns(columns) }));
}

function ViewMenu() {
  const screen = useScreen();
  const { site, open } = screen;
  const views = useSavedViews(site);
  const here = pathOf(site, queryOf(screen));
  const now = views.find(({ to }) => to === here);
  const remove = ({ name }: { name: string }) => {
    removeView(site, name);
    showToast(texts.viewRemoved({ name }));
  };
  return (
    <Menu
      label={texts.views}
      items={[
        ...views.map(({ name, to }) => ({
          label: name,
          icon: to === here ? <Check /> : <Bookmark />,
          run: () => window.location.assign(`#${to}`),
        })),
        { label: texts.saveView, icon: <Plus />, run: () => open({ what: 'save-view' }) },
        ...(now === undefined ? [] : [{ label: texts.removeView(now), icon: <Trash2 />, run: () => remove(now) }]),
        {
          label: texts.copyLink,
          icon: <Link2 />,
          run: () => void copyAndTell(`${window.location.href.split('#', 1)[0]}#${here}`),
        },
      ]}
    >
      <Bookmark aria-hidden="true" />
      {now === undefined ? null : <span data-foreign>{now.name}</span>}
    </Menu>
  );
}

function MoreMenu() {
  const { canWrite, isNarrow, open } = useScreen();
  return (
    <Menu
      label={texts.moreActions}
      items={[
        ...(isNarrow ? [] : [{ label: texts.columnsTitle, icon: <Columns3 />, run: () => open({ what: 'columns' }) }]),
        ...(canWrite
          ? [{ label: importTexts.import, icon: <FileUp />, run: () => open({ what: 'import', file: null }) }]
          : []),
        { label: importTexts.export, icon: <Download />, run: () => open({ what: 'export' }) },
      ]}
    >
      <Ellipsis aria-hidden="true" />
    </Menu>
  );
}

/** One field that filters devices, by a text and by the tokens that it proposes. */
function FilterField({ typed, type }: Pick<ViewState, 'typed' | 'type'>) {
  const { site, view, changeView, list } = useScreen();
  const facets = useAnswer('GET /devices/facets', { site });
  const field = useRef<HTMLInputElement>(null);
  useShortcut('/', texts.keys.search, () => field.current?.focus());
  const proposals = useMemo(() => proposalsFor(typed, facets.data, list.counts), [typed, facets.data, list.counts]);

  function take({ becomes }: Proposal): void {
    if (typeof becomes === 'string') type(becomes);
    else changeView({ text: '', ...becomes });
    field.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.key === 'Backspace' && typed === '') {
      const last = tokensOf(view).at(-1);
      if (last !== undefined) changeView(last.without);
    }
    // Enter takes `port:22` without a choice in the list.
    const isChosen = event.currentTarget.getAttribute('aria-activedescendant') !== null;
    const [first] = proposals;
    if (event.key !== 'Enter' || isChosen || first === undefined || !typed.includes(':')) return;
    if (typeof first.becomes === 'string') return;
    event.preventDefault();
    take(first);
  }

  return (
    <search className={`${styles.filter} relative flex-1 min-w-0 [&_input]:ps-8`}>
      <Search aria-hidden="true" />
      <Combobox
        ref={field}
        label={texts.search}
        isLabelHidden
        placeholder={texts.searchHint}
        maxLength={MAX_TEXT}
        value={typed}
        onChange={type}
        suggestions={proposals}
        onTake={(taken) => take(taken as Proposal)}
        onKeyDown={onKeyDown}
      />
    </search>
  );
}
