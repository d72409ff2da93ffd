/** The checks of a site: their states, latencies, and the last day. */
import texts from 'messages:checks';
import { HeartPulse, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Check } from '../../../shared/api/checks.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { bestOf, CHECK_TONES, CheckState, targetOf } from '../../checks/check-state.tsx';
import { checkTexts } from '../../checks/check-texts.ts';
import { DAY_HOURS, hoursOf } from '../../checks/day.ts';
import { reasonText } from '../../text/said-texts.ts';
import { Button } from '../../ui/button.tsx';
import { KEYS, useShortcut } from '../../ui/keys.ts';
import { Page } from '../../ui/page.tsx';
import { DayBand } from '../../ui/sparkline.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { StatusShape } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import { UnreadableNote } from '../../ui/unreadable-note.tsx';
import { CheckActions } from './check-actions.tsx';
import { AddCheck } from './check-form.tsx';
import styles from './checks.module.css';

const ABOUT = 'text-muted text-xs wrap-anywhere';

export default function Checks({ site }: { site: string }) {
  const answer = useAnswer('GET /checks', { site });
  const mayRun = useRights().may('nettools:run');
  const [isAdding, setAdding] = useState(false);
  useShortcut(KEYS.add, texts.add, () => setAdding(true), { when: mayRun });
  const addButton = mayRun ? (
    <Button look="primary" onClick={() => setAdding(true)} icon={<Plus />}>
      {texts.add}
    </Button>
  ) : undefined;
  return (
    <Page title={texts.title} actions={answer.data?.checks.length === 0 ? undefined : addButton}>
      <Answered of={answer}>
        {({ checks, unreadable }) => (
          <>
            <UnreadableNote title={texts.unreadable} entries={unreadable} />
            {checks.length === 0 ? (
              <Empty title={texts.none} icon={HeartPulse}>
                <p>{texts.noneWhy}</p>
                {addButton}
              </Empty>
            ) : (
              <List site={site} checks={checks} mayRun={mayRun} />
            )}
          </>
        )}
      </Answered>
      {isAdding ? <AddCheck site={site} onClose={() => setAdding(false)} /> : null}
    </Page>
  );
}

function List({ site, checks, mayRun }: { site: string; checks: readonly Check[]; mayRun: boolean }) {
  const countOf = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  const counts = (['down', 'up', 'unknown'] as const).filter((state) => countOf(state) > 0);
  return (
    <>
      <p role="status" className="text-muted">
        {counts.map((state) => texts[state]({ count: countOf(state) })).join(' · ')}
      </p>
      <div className={`${styles.cards} max-700:[&_table_td]:block max-700:[&_table_td]:h-auto`}>
        <Table
          label={texts.list}
          rows={troubleFirst(checks)}
          keyOf={({ id }) => id}
          columns={columnsOf(site, mayRun)}
        />
      </div>
    </>
  );
}

const ORDER: Record<Check['state'], number> = { down: 0, up: 1, unknown: 2 };

function troubleFirst(checks: readonly Check[]): Check[] {
  return [...checks].sort((a, b) => ORDER[a.state] - ORDER[b.state] || a.label.localeCompare(b.label));
}

function columnsOf(site: string, mayRun: boolean): Column<Check>[] {
  return [
    {
      heading: texts.what,
      cell: (check) => (
        <div className="grid gap-px min-w-0">
          <Link
            href={`/sites/${site}/checks/${check.id}`}
            className="w-fit text-text font-[550] no-underline hover:underline"
            data-foreign
          >
            {check.label}
          </Link>
          <span className={ABOUT} data-foreign>
            {aboutOf(check)}
          </span>
        </div>
      ),
    },
    { heading: texts.state, cell: (check) => <State check={check} /> },
    { heading: texts.lastDay, cell: (check) => <DayOfCheck site={site} check={check} /> },
    {
      heading: texts.latency,
      cell: (check) => {
        const { rttMs } = bestOf(check);
        return <span className="whitespace-nowrap">{rttMs === null ? checkTexts.nothing : checkTexts.ms(rttMs)}</span>;
      },
    },
    {
      heading: texts.loss,
      cell: (check) => {
        const { lossPercent } = bestOf(check);
        const text = lossPercent === null ? checkTexts.nothing : checkTexts.percent(lossPercent);
        return <span className="whitespace-nowrap">{text}</span>;
      },
    },
    ...(mayRun ? [{ heading: texts.actions, cell: (check: Check) => <CheckActions site={site} check={check} /> }] : []),
  ];
}

/** A dot while it is up; when it is down also since when, and why. */
function State({ check }: { check: Check }) {
  const { state, enabled, since, reason, reasonCode } = check;
  if (enabled && state === 'up') {
    return (
      // Where columns have headings, the word is there for screen readers: what answers is a dot.
      <span
        className="inline-flex items-center gap-1.5 text-muted min-[701px]:[&>span]:visually-hidden"
        title={checkTexts.states.up}
      >
        <StatusShape tone={CHECK_TONES.up} />
        <span>{checkTexts.states.up}</span>
      </span>
    );
  }
  return (
    <div className="grid gap-px min-w-0">
      <CheckState check={check} />
      {enabled && state === 'down' ? (
        <span className={ABOUT} data-foreign>
          {since === null ? null : <Time at={since} />}
          {since === null || reason === null ? '' : ' · '}
          {reasonText(reason, reasonCode)}
        </span>
      ) : null}
    </div>
  );
}

/** The kind, and the target unless it is the label. */
function aboutOf(check: Check): string {
  const { kind, device, port, label } = check;
  const target = device === undefined ? targetOf(check) : kind === 'tcp' ? String(port) : '';
  return [checkTexts.kinds[kind], target === label ? '' : target].filter((part) => part !== '').join(' · ');
}

const HOUR_MS = 3_600_000;
/** Long, because a list has many of them. */
const EVERY_MS = 300_000;

/** The last 24 hours of a check, for a row of a list. */
function DayOfCheck({ site, check: { id, label } }: { site: string; check: Pick<Check, 'id' | 'label'> }) {
  const from = (Math.floor(useNow() / HOUR_MS) - DAY_HOURS + 1) * HOUR_MS;
  const query = { check: id, since: new Date(from).toISOString(), resolution: '1h' };
  const { data } = useAnswer('GET /series', { site, query }, { everyMs: EVERY_MS });
  if (data === undefined) return null;
  const { uptimePercent = null } = data.summary;
  const slots = hoursOf(data.series, from / 1000);
  return <DayBand isAwayBad slots={slots} label={checkTexts.day(label, uptimePercent)} width={96} />;
}
