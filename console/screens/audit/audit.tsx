/** Who did what on a site: commands and changes, the newest first. */
import { Link } from 'wouter';
import type { AuditEntry } from '../../../shared/api/records.ts';
import { usePages } from '../../api/pages.ts';
import { POLL_MS } from '../../api/queries.ts';
import { useSiteName } from '../../api/site-name.ts';
import { toneOfState } from '../../commands/command-view.tsx';
import { commandTexts } from '../../commands/texts.ts';
import { Actor, useActors } from '../../ui/actor.tsx';
import { List } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './audit.module.css';
import { actionText, detailsOf } from './detail.ts';
import { texts } from './texts.ts';

export default function Audit({ site }: { site: string }) {
  const audit = usePages('GET /audit', { site, query: { limit: 100 } }, { everyMs: POLL_MS.usual });
  const actors = useActors(site);
  const columns: Column<AuditEntry>[] = [
    { heading: texts.when, cell: ({ at }) => <Time at={at} /> },
    {
      heading: texts.who,
      cell: ({ actor, sourceAddress }) => (
        <span className={styles.who}>
          <Actor id={actor} known={actors} />
          {sourceAddress === null ? null : <span className="muted wrap">{sourceAddress}</span>}
        </span>
      ),
    },
    { heading: texts.what, cell: (entry) => <What {...entry} /> },
    { heading: texts.how, cell: (entry) => <Details {...entry} /> },
    { heading: texts.outcome, cell: ({ outcome }) => <Outcome outcome={outcome} /> },
  ];
  return (
    <Page title={texts.titleOfSite(useSiteName(site))}>
      <p className={`${styles.intro} muted`}>
        {texts.intro} {texts.introAll}
      </p>
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
    </Page>
  );
}

function What({ id, action, site }: AuditEntry) {
  const isJob = action.startsWith('tool.') && site !== null;
  return (
    <div className={styles.what}>
      <span title={action}>{actionText(action)}</span>
      {site === null ? <span className="muted">{texts.allSites}</span> : null}
      {isJob ? <Link href={`/sites/${site}/runs/${id}`}>{texts.job}</Link> : null}
    </div>
  );
}

function Details(entry: AuditEntry) {
  return (
    <dl className={styles.details}>
      {detailsOf(entry).map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd title={value}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** `done`, or the state of a command, with its reason behind a colon. */
function Outcome({ outcome }: { outcome: string }) {
  const [state = '', ...reason] = outcome.split(': ');
  const states: Readonly<Record<string, string>> = commandTexts.states;
  const word = state === 'done' ? texts.done : Object.hasOwn(states, state) ? states[state] : state;
  return (
    <div className={styles.what}>
      <Status tone={state === 'done' ? 'good' : toneOfState(state)}>{word}</Status>
      {reason.length === 0 ? null : <span className="muted">{reason.join(': ')}</span>}
    </div>
  );
}
