/** The audit log of a site, or of all: commands and changes as sentences, the newest first. */
import texts from 'messages:audit';
import commandTexts from 'messages:commands';
import { useState } from 'react';
import { Link } from 'wouter';
import type { AuditEntry } from '../../../shared/api/records.ts';
import { usePages } from '../../api/pages.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { toneOfState } from '../../commands/command-view.tsx';
import { Actor, useActors } from '../../ui/actor.tsx';
import { actorName } from '../../ui/actor-name.ts';
import { Button } from '../../ui/button.tsx';
import { DeviceField } from '../../ui/device-field.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { List } from '../../ui/list.tsx';
import { Options } from '../../ui/options.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { AdminPage } from '../admin/admin-page.tsx';
import cards from '../admin/cards.module.css';
import { beginOfDay, dayOf, daysBefore, KEPT_DAYS } from '../changes/days.ts';
import { devicePage } from '../events/event-sentence.tsx';
import styles from './audit.module.css';
import { changesOf, detailsOf, type Names, sentenceOf } from './detail.ts';

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

/** The filters of the audit log, kept in the query of the address. */
const NO_FILTERS = { site: '', by: '', action: '', about: '', day: '' };
type Filters = Record<keyof typeof NO_FILTERS, string>;

/** Of the choice of a site; no site has this id. */
const ALL_SITES = '*';

interface FiltersProps {
  filters: Filters;
  sites: readonly { id: string; name: string }[];
  onChange: (filters: Filters) => void;
}

const labels = texts.filters;

function AuditFilters({ filters, sites, onChange }: FiltersProps) {
  const [today] = useState(() => new Date());
  const { site, by, action, about, day } = filters;
  const set = (changed: Partial<Filters>) => onChange({ ...filters, ...changed });
  const isAnySet = [by, action, about, day].some((value) => value !== '');
  const device = { label: labels.about, value: about, hint: null, error: undefined };
  return (
    <search className="grid grid-cols-[repeat(auto-fit,minmax(min(170px,100%),1fr))] items-end gap-x-3 gap-y-2">
      {sites.length < 2 ? null : (
        <SelectField label={labels.site} value={site} onChange={({ target }) => set({ site: target.value, about: '' })}>
          <option value={ALL_SITES}>{labels.allSites}</option>
          {site === ALL_SITES || sites.some(({ id }) => id === site) ? null : <option value={site}>{site}</option>}
          <Options of={sites.map(({ id, name }) => [id, name])} />
        </SelectField>
      )}
      <ActorField value={by} onChange={(chosen) => set({ by: chosen })} />
      <SelectField label={labels.action} value={action} onChange={({ target }) => set({ action: target.value })}>
        <option value="">{labels.anyAction}</option>
        {action === '' || Object.hasOwn(texts.groups, action) ? null : <option value={action}>{action}</option>}
        <Options of={texts.groups} />
      </SelectField>
      {site === ALL_SITES || site === '' ? (
        <TextField {...device} onChange={({ target }) => set({ about: target.value })} />
      ) : (
        <DeviceField {...device} site={site} onChange={({ target }) => set({ about: target.value })} />
      )}
      <TextField
        label={labels.day}
        type="date"
        min={daysBefore(today, KEPT_DAYS)}
        max={dayOf(today)}
        value={day}
        onChange={({ target }) => set({ day: target.value })}
      />
      {isAnySet ? (
        <div>
          <Button look="quiet" onClick={() => onChange({ ...NO_FILTERS, site })}>
            {labels.clear}
          </Button>
        </div>
      ) : null}
    </search>
  );
}

function ActorField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { data: people } = useAnswer('GET /people', {}, { everyMs: POLL_MS.calm });
  const { data: tokens } = useAnswer('GET /tokens', {}, { everyMs: POLL_MS.calm });
  const named = (all: readonly { id: string; name: string }[]) =>
    all.map(({ id, name }): [string, string] => [id, name]).sort(([, a], [, b]) => a.localeCompare(b));
  const groups = [
    { label: labels.people, of: named(people?.people ?? []) },
    { label: labels.tokens, of: named((tokens?.tokens ?? []).filter(({ person }) => person === null)) },
  ].filter(({ of }) => of.length > 0);
  const isKnown = groups.some(({ of }) => of.some(([id]) => id === value));
  return (
    <SelectField label={labels.by} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{labels.anyone}</option>
      {value === '' || isKnown ? null : <option value={value}>{value}</option>}
      {groups.map(({ label, of }) => (
        <optgroup key={label} label={label}>
          <Options of={of} />
        </optgroup>
      ))}
    </SelectField>
  );
}
