/** The audit log of a site, or of all: commands and changes as sentences, the newest first. */
import texts from 'messages:audit';
import commandTexts from 'messages:commands';
import { Link } from 'wouter';
import type { AuditEntry } from '../../../shared/api/records.ts';
import { usePages } from '../../api/pages.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { toneOfState } from '../../commands/command-view.tsx';
import { Actor, useActors } from '../../ui/actor.tsx';
import { actorName } from '../../ui/actor-name.ts';
import { useHashQuery } from '../../ui/hash-location.ts';
import { List } from '../../ui/list.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { AdminPage } from '../admin/admin-page.tsx';
import cards from '../admin/cards.module.css';
import { beginOfDay } from '../changes/days.ts';
import { devicePage } from '../events/event-sentence.tsx';
import styles from './audit.module.css';
import { changesOf, detailsOf, type Names, sentenceOf } from './detail.ts';
import { ALL_SITES, AuditFilters, type Filters, NO_FILTERS } from './filters.tsx';

/** @param site of the path; empty: named by the query */
export default function Audit({ site: named }: { site: string }) {
  const [query, setQuery] = useHashQuery();
  const mayList = useRights().may('devices:read');
  const sites = useAnswer('GET /sites', {}, { everyMs: POLL_MS.calm, when: mayList });
  const { data: own } = useAnswer('GET /tokens/self');
  const first = own?.defaultSite ?? sites.data?.sites[0]?.id ?? '';
  const filters: Filters = Object.assign({}, NO_FILTERS, Object.fromEntries(query));
  const all = sites.data?.sites ?? [];
  if (filters.site === '') filters.site = named || (all.length > 1 ? ALL_SITES : first);
  const isKnown = own !== undefined && (!mayList || sites.data !== undefined);
  return (
    <AdminPage tab="audit" needs={texts.needsAdmin}>
      {isKnown ? (
        <>
          <AuditFilters
            filters={filters}
            sites={all}
            onChange={(next) => {
              const given = Object.entries(next).filter(([, value]) => value !== '');
              setQuery(new URLSearchParams(given), { replace: true });
            }}
          />
          <p className="text-muted text-sm">{texts.intro}</p>
          {filters.site === '' ? <Empty title={texts.none} /> : <Entries filters={filters} first={first} sites={all} />}
        </>
      ) : (
        <Answered of={sites}>{() => null}</Answered>
      )}
    </AdminPage>
  );
}

/** Pause in typing before a request. */
const PAUSE_MS = 300;

interface EntriesProps {
  filters: Filters;
  first: string;
  sites: readonly { id: string; name: string }[];
}

function Entries({ filters: { site, by, action, about, day }, first, sites }: EntriesProps) {
  const isAll = site === ALL_SITES;
  const settled = useSettled(about.trim(), PAUSE_MS);
  const given = { by, action, about: settled, since: beginOfDay(day) ?? '', until: beginOfDay(day, 1) ?? '' };
  const wanted = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const question = { site: isAll ? first : site, query: { limit: 100, allSites: isAll, ...wanted } };
  const audit = usePages('GET /audit', question, { everyMs: POLL_MS.usual });
  const actors = useActors(isAll ? null : site);
  const isNarrow = Object.keys(wanted).length > 0;
  const names: Names = {
    site: (id) => sites.find((one) => one.id === id)?.name ?? id,
    actor: (id) => actorName(id, actors),
  };
  const columns: Column<AuditEntry>[] = [
    { heading: texts.when, cell: ({ at }) => <Time at={at} /> },
    {
      heading: texts.who,
      cell: ({ actor, person = null, sourceAddress }) => (
        <span className="inline-grid justify-items-start gap-0.5 min-w-[10ch]">
          {person === null ? (
            <Actor id={actor} known={actors} />
          ) : (
            <Link href={`/admin/people/${person.id}`} title={actor} data-foreign>
              {person.name}
            </Link>
          )}
          {sourceAddress === null ? null : <span className="text-muted wrap-anywhere">{sourceAddress}</span>}
        </span>
      ),
    },
    {
      heading: texts.what,
      cell: (entry) => (
        <div className="grid gap-1 min-w-[24ch]">
          <Sentence entry={entry} names={names} />
          <Changes entry={entry} names={names} />
          <Details entry={entry} names={names} isOfAll={isAll} />
        </div>
      ),
    },
  ];
  return (
    <div className={`${cards.cards} max-700:[&_table_td]:block max-700:[&_table_td]:h-auto ${cards.audit}`}>
      <List
        of={audit}
        pages={audit.data?.pages}
        rows={({ entries }) => entries}
        keyOf={({ id }) => id}
        label={texts.list}
        columns={columns}
        empty={isNarrow ? { title: texts.noneOf, hint: texts.noneOfWhy } : { title: texts.none, hint: texts.noneWhy }}
        unreadable={texts.unreadable}
      />
    </div>
  );
}

interface PartProps {
  entry: AuditEntry;
  names: Names;
}

function Sentence({ entry, names }: PartProps) {
  const { id, site, action, detail, outcome } = entry;
  const { before, name, after } = sentenceOf(entry, names);
  const { device } = detail;
  const isOfDevice = site !== null && typeof device === 'string' && action.startsWith('device.');
  const shown = name === '' ? null : <span data-foreign>{name}</span>;
  const said = (
    <>
      {before}
      {isOfDevice ? <Link href={devicePage(site, device)}>{shown}</Link> : shown}
      {after}
    </>
  );
  return (
    <div
      className="flex flex-wrap items-baseline gap-x-3 [&_a]:text-text [&_a:not(:hover)]:no-underline"
      title={action}
    >
      <span className="font-[550] wrap-anywhere">
        {action.startsWith('tool.') && site !== null ? <Link href={`/sites/${site}/runs/${id}`}>{said}</Link> : said}
      </span>
      <Outcome outcome={outcome} />
    </div>
  );
}

function Changes({ entry, names }: PartProps) {
  const changes = changesOf(entry, names);
  if (changes.length === 0) return null;
  return (
    <ul className="grid gap-0.5 ps-3 border-s-2 border-line wrap-anywhere [&_ins]:no-underline [&_del]:text-muted">
      {changes.map(({ name, from, to }) => (
        <li key={name}>
          <span className="text-muted">{name}:</span> {from === '' ? null : <del data-foreign>{from}</del>}
          {from === '' ? null : ' → '}
          <ins data-foreign>{to}</ins>
        </li>
      ))}
    </ul>
  );
}

function Details({ entry, names, isOfAll }: PartProps & { isOfAll: boolean }) {
  const { site } = entry;
  const where = site === null ? texts.allSites : isOfAll ? names.site(site) : '';
  const all = [...(where === '' ? [] : [{ name: texts.details.site, value: where }]), ...detailsOf(entry, names)];
  if (all.length === 0) return null;
  return (
    <dl
      className={`${styles.details} flex flex-wrap gap-y-0.5 gap-x-3.5 text-muted [&_div]:flex [&_div]:gap-1.25 [&_div]:min-w-0 [&_div]:max-w-full [&_dt]:flex-none`}
    >
      {all.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd title={value} className="text-text" data-foreign>
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** @param outcome `done`, or the state of a command with its reason: `failed: timeout` */
function Outcome({ outcome }: { outcome: string }) {
  const [state = '', ...reason] = outcome.split(': ');
  if (state === 'done' || state === 'succeeded') return null;
  const states: Readonly<Record<string, string>> = commandTexts.states;
  const reasons: Readonly<Record<string, string>> = commandTexts.reasons;
  const [why = ''] = [reason.join(': ')].map((one) => (Object.hasOwn(reasons, one) ? (reasons[one] ?? one) : one));
  return (
    <Status tone={toneOfState(state)}>
      {[Object.hasOwn(states, state) ? states[state] : state, why].filter((part) => part !== '').join(', ')}
    </Status>
  );
}
