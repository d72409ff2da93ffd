/** The audit log of a site: commands and changes, the newest first. */
import texts from 'messages:audit';
import commandTexts from 'messages:commands';
import { Link, useLocation } from 'wouter';
import type { AuditEntry } from '../../../shared/api/records.ts';
import { usePages } from '../../api/pages.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { toneOfState } from '../../commands/command-view.tsx';
import { Actor, useActors } from '../../ui/actor.tsx';
import { SelectField } from '../../ui/field.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { List } from '../../ui/list.tsx';
import { Options } from '../../ui/options.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { AdminPage } from '../admin/admin-page.tsx';
import cards from '../admin/cards.module.css';
import styles from './audit.module.css';
import { actionText, detailsOf } from './detail.ts';

const WHAT = 'grid justify-items-start gap-0.5 min-w-[11ch]';

/** @param site of the path; empty: named by the query */
export default function Audit({ site: named }: { site: string }) {
  const [query] = useHashQuery();
  const mayList = useRights().may('devices:read');
  const sites = useAnswer('GET /sites', {}, { everyMs: POLL_MS.calm, when: mayList });
  const { data: own } = useAnswer('GET /tokens/self');
  const wanted = query.get('site') ?? named;
  const only = wanted === '' ? (own?.defaultSite ?? '') : wanted;
  return (
    <AdminPage tab="audit" needs={texts.needsAdmin}>
      {mayList ? (
        <Answered of={sites}>
          {({ sites: all }) => {
            const site = wanted === '' ? (all.find(({ id }) => id === own?.defaultSite) ?? all[0])?.id : wanted;
            if (site === undefined) return <Empty title={texts.none} />;
            return (
              <>
                <SiteFilter site={site} sites={all} />
                <Entries key={site} site={site} />
              </>
            );
          }}
        </Answered>
      ) : only === '' ? (
        <Empty title={texts.none} />
      ) : (
        <Entries site={only} />
      )}
    </AdminPage>
  );
}

function SiteFilter({ site, sites }: { site: string; sites: readonly { id: string; name: string }[] }) {
  const [, navigate] = useLocation();
  return (
    <div className="flex flex-wrap items-end gap-y-2 gap-x-6 [&>:first-child]:min-w-[min(240px,100%)] [&>p]:flex-[1_1_40ch] [&>p]:max-w-[80ch]">
      <SelectField
        label={texts.site}
        value={site}
        onChange={({ target }) => navigate(`/admin/audit?${new URLSearchParams({ site: target.value })}`)}
      >
        {sites.some(({ id }) => id === site) ? null : <option value={site}>{site}</option>}
        <Options of={sites.map(({ id, name }) => [id, name])} />
      </SelectField>
      <p className="text-muted">
        {texts.intro} {texts.introAll}
      </p>
    </div>
  );
}

function Entries({ site }: { site: string }) {
  const audit = usePages('GET /audit', { site, query: { limit: 100 } }, { everyMs: POLL_MS.usual });
  const actors = useActors(site);
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
    { heading: texts.what, cell: (entry) => <What {...entry} /> },
    { heading: texts.how, cell: (entry) => <Details {...entry} /> },
    { heading: texts.outcome, cell: ({ outcome }) => <Outcome outcome={outcome} /> },
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
        empty={{ title: texts.none, hint: texts.noneWhy }}
        unreadable={texts.unreadable}
      />
    </div>
  );
}

function What({ id, action, site }: AuditEntry) {
  const isJob = action.startsWith('tool.') && site !== null;
  return (
    <div className={WHAT}>
      {isJob ? (
        <Link href={`/sites/${site}/runs/${id}`} title={action}>
          {actionText(action)}
        </Link>
      ) : (
        <span title={action}>{actionText(action)}</span>
      )}
      {site === null ? <span className="text-muted">{texts.allSites}</span> : null}
    </div>
  );
}

function Details(entry: AuditEntry) {
  return (
    <dl
      className={`${styles.details} flex flex-wrap gap-y-0.5 gap-x-3.5 min-w-[22ch] [&_div]:flex [&_div]:gap-1.25 [&_div]:min-w-0 [&_div]:max-w-full [&_dt]:flex-none [&_dt]:text-muted`}
    >
      {detailsOf(entry).map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd title={value}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** @param outcome `done`, or the state of a command with its reason: `failed: timeout` */
function Outcome({ outcome }: { outcome: string }) {
  const [state = '', ...reason] = outcome.split(': ');
  const states: Readonly<Record<string, string>> = commandTexts.states;
  const word = state === 'done' ? texts.done : Object.hasOwn(states, state) ? states[state] : state;
  return (
    <div className={WHAT}>
      {state === 'done' || state === 'succeeded' ? (
        <span className="text-muted">{word}</span>
      ) : (
        <Status tone={toneOfState(state)}>{word}</Status>
      )}
      {reason.length === 0 ? null : <span className="text-muted">{reason.join(': ')}</span>}
    </div>
  );
}
