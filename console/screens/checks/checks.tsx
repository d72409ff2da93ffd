/** The checks of a site: what answers, since when, and how fast. */
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Check } from '../../../shared/api/checks.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { useSiteName } from '../../api/site-name.ts';
import { bestOf, CheckState, targetOf } from '../../checks/check-state.tsx';
import { checkTexts } from '../../checks/check-texts.ts';
import { Button } from '../../ui/button.tsx';
import { useShortcut } from '../../ui/keys.ts';
import { List } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { CheckActions } from './check-actions.tsx';
import { AddCheck } from './check-form.tsx';
import styles from './checks.module.css';
import { texts } from './texts.ts';

export default function Checks({ site }: { site: string }) {
  const answer = useAnswer('GET /checks', { site });
  const mayRun = useRights().may('nettools:run');
  const [isAdding, setAdding] = useState(false);
  useShortcut('n', texts.add, () => setAdding(true), { when: mayRun });
  const checks = answer.data?.checks ?? [];
  const countOf = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  const addButton = mayRun ? (
    <Button look="primary" onClick={() => setAdding(true)}>
      <Plus aria-hidden="true" />
      {texts.add}
    </Button>
  ) : undefined;
  const actions: Column<Check> = {
    heading: texts.actions,
    cell: (check) => <CheckActions site={site} check={check} />,
  };
  return (
    <Page title={texts.titleOfSite(useSiteName(site))} actions={addButton}>
      <p className="muted">{texts.intro}</p>
      {checks.length === 0 ? null : (
        <p role="status">{texts.count(countOf('up'), countOf('down'), countOf('unknown'))}</p>
      )}
      <List
        of={answer}
        pages={answer.data && [answer.data]}
        rows={({ checks: all }) => troubleFirst(all)}
        keyOf={({ id }) => id}
        label={texts.list}
        columns={mayRun ? [...columnsOf(site), actions] : columnsOf(site)}
        empty={{ title: texts.none, hint: texts.noneWhy }}
        unreadable={texts.unreadable}
      />
      {isAdding ? <AddCheck site={site} onAdded={() => setAdding(false)} onClose={() => setAdding(false)} /> : null}
    </Page>
  );
}

const ORDER: Record<Check['state'], number> = { down: 0, up: 1, unknown: 2 };

function troubleFirst(checks: readonly Check[]): Check[] {
  return [...checks].sort((a, b) => ORDER[a.state] - ORDER[b.state] || a.label.localeCompare(b.label));
}

function columnsOf(site: string): Column<Check>[] {
  return [
    {
      heading: texts.what,
      cell: (check) => (
        <>
          <Link href={`/sites/${site}/checks/${check.id}`} data-foreign>
            {check.label}
          </Link>
          <div className="muted" data-foreign>
            {[checkTexts.kinds[check.kind], targetText(check)].filter((part) => part !== '').join(' · ')}
            {check.device === undefined ? null : (
              <>
                {' · '}
                <Link href={`/sites/${site}/devices/${encodeURIComponent(check.device)}`}>{texts.toDevice}</Link>
              </>
            )}
          </div>
        </>
      ),
    },
    {
      heading: texts.state,
      cell: (check) => (
        <>
          <CheckState check={check} />
          {check.reason === null ? null : (
            <div className="muted" data-foreign>
              {check.reason}
            </div>
          )}
        </>
      ),
    },
    {
      heading: texts.since,
      cell: ({ since }) =>
        since === null ? (
          texts.sinceUnknown
        ) : (
          <span className="nowrap">
            <Time at={since} />
          </span>
        ),
    },
    {
      heading: texts.latency,
      cell: (check) => {
        const { rttMs } = bestOf(check);
        return <span className={styles.number}>{rttMs === null ? checkTexts.nothing : checkTexts.ms(rttMs)}</span>;
      },
    },
    {
      heading: texts.loss,
      cell: (check) => {
        const { lossPercent } = bestOf(check);
        return (
          <span className={styles.number}>
            {lossPercent === null ? checkTexts.nothing : checkTexts.percent(lossPercent)}
          </span>
        );
      },
    },
  ];
}

/** Where the label does not say it already. */
function targetText(check: Check): string {
  const { kind, device, port, label } = check;
  if (device !== undefined) return kind === 'tcp' ? String(port) : '';
  const target = targetOf(check);
  return target === label ? '' : target;
}
