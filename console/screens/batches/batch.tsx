/** A batch, live: its progress, a line for each site, and how their results differ. */
import texts from 'messages:batches';
import commandTexts from 'messages:commands';
import common from 'messages:common';
import { useQuery } from '@tanstack/react-query';
import { memo, useDeferredValue, useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { Batch, BatchSite } from '../../../shared/api/batches.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { useKnownSites } from '../../api/known-sites.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { followUntilResult } from '../../commands/follow-job.ts';
import { requestQuery, titleOfJob } from '../../commands/job-texts.ts';
import { durationText, language, numberText } from '../../text/format.ts';
import { selectionText } from '../../text/site-texts.ts';
import { Actor, useActors } from '../../ui/actor.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { Page } from '../../ui/page.tsx';
import { Answered, Empty, ProblemBox } from '../../ui/state.tsx';
import { Status } from '../../ui/status.tsx';
import { Tile, Tiles } from '../../ui/tile.tsx';
import { Time } from '../../ui/time.tsx';
import { ProgressLine, progressText } from './batch-state.tsx';
import styles from './batches.module.css';
import { Comparison } from './comparison.tsx';
import { countOf, PARTS, type Part, partOf, resultOf, stateText, toneOf } from './site-state.tsx';

export default function BatchScreen({ id }: { id: string }) {
  const { read, shown, isReconnecting, problem } = useBatch(id);
  const isGone = read.error !== null && ['not_found', 'bad_request'].includes(problemOf(read.error).code);
  if (isGone || shown === null) {
    return (
      <Page title={texts.title}>
        {isGone ? (
          <Empty title={texts.gone}>
            <p>{texts.goneWhy}</p>
            <LinkButton to="/batches">{texts.toList}</LinkButton>
          </Empty>
        ) : (
          <Answered of={read}>{() => null}</Answered>
        )}
      </Page>
    );
  }
  return (
    <LiveScreen shown={shown}>
      {isReconnecting ? (
        <p role="status" className="note">
          {texts.reconnecting}
        </p>
      ) : null}
      {problem === null ? null : <ProblemBox error={problem} onRetry={() => void read.refetch()} />}
    </LiveScreen>
  );
}

function LiveScreen({ shown: { batch, sites }, children }: { shown: LiveBatch; children: React.ReactNode }) {
  const { tool, total, counts, state, reason, createdAt, actor } = batch;
  const [isCancelling, setCancelling] = useState(false);
  const [query] = useHashQuery();
  const actors = useActors(null);
  const { nameOf } = useKnownSites();
  const lines = useDeferredValue(sites);
  const wanted = query.get('state');
  const part = PARTS.find((one) => one === wanted) ?? null;
  const to = (one: Part | null) => `/batches/${batch.id}${one === null ? '' : `?state=${one}`}`;
  const again = new URLSearchParams(requestQuery(batch));
  again.set('tool', tool);
  again.set('sites', batch.sites === '*' ? '*' : batch.sites.join(','));
  return (
    <Page
      title={titleOfJob(batch)}
      actions={
        <>
          <LinkButton to={`/batches/new?${again}`}>{texts.again}</LinkButton>
          {state === 'running' ? <Button onClick={() => setCancelling(true)}>{texts.cancel}</Button> : null}
        </>
      }
    >
      <p className="text-muted">
        <span data-foreign>
          {texts.of({ tool: commandTexts.tools[tool], sites: total })}: {selectionText(batch.sites, nameOf)}
        </span>{' '}
        · <Time at={createdAt} /> {texts.by} <Actor id={actor} known={actors} />
      </p>
      {children}
      <div className="grid gap-2" aria-live="polite">
        {reason === null ? <span>{progressText(batch)}</span> : <Status tone="warn">{texts.reasons[reason]}</Status>}
        <ProgressLine batch={batch} />
      </div>
      <nav aria-label={texts.partsLabel}>
        <Tiles>
          <Tile label={texts.parts.all} value={numberText(total)} to={to(null)} isCurrent={part === null} />
          {PARTS.filter((one) => one === part || countOf(counts, one) > 0).map((one) => (
            <Tile
              key={one}
              label={texts.parts[one]}
              value={numberText(countOf(counts, one))}
              tone={one === 'failed' && countOf(counts, one) > 0 ? 'bad' : undefined}
              to={to(one)}
              isCurrent={part === one}
            />
          ))}
        </Tiles>
      </nav>
      {part === null ? <Comparison batch={batch} nameOf={nameOf} /> : null}
      <SiteLines sites={lines} part={part} nameOf={nameOf} />
      {isCancelling ? (
        <ConfirmDialog
          title={texts.cancelTitle}
          submit={texts.cancel}
          send={() => ask('DELETE /batches/{id}', { params: { id: batch.id } })}
          toast={texts.cancelled}
          onClose={() => setCancelling(false)}
        >
          <p>{texts.cancelWhat}</p>
        </ConfirmDialog>
      ) : null}
    </Page>
  );
}

/** As many as a browser redraws without a pause while they change. */
const SHOWN_LINES = 200;
const names = new Intl.Collator(language, { numeric: true });

interface LinesProps {
  sites: ReadonlyMap<string, BatchSite>;
  /** Null for all. */
  part: Part | null;
  nameOf: (site: string) => string;
}

/** A line for each site of a batch, by name: its state and result. */
function SiteLines({ sites, part, nameOf }: LinesProps) {
  const [shownRows, setShownRows] = useState(SHOWN_LINES);
  const found = [...sites.values()]
    .filter(({ state }) => part === null || partOf(state) === part)
    .sort((a, b) => names.compare(nameOf(a.site), nameOf(b.site)));
  return (
    <section aria-label={texts.results} className="grid gap-2">
      <h2>{texts.results}</h2>
      {found.length === 0 ? (
        <Empty title={texts.noneOf} />
      ) : (
        <ul className="card overflow-hidden">
          {found.slice(0, shownRows).map((one) => (
            <SiteLine key={one.site} one={one} name={nameOf(one.site)} />
          ))}
        </ul>
      )}
      {found.length > shownRows ? (
        <div>
          <Button onClick={() => setShownRows(shownRows + 5 * SHOWN_LINES)}>
            {common.more} ({numberText(found.length - shownRows)})
          </Button>
        </div>
      ) : null}
    </section>
  );
}

const SiteLine = memo(function SiteLine({ one, name }: { one: BatchSite; name: string }) {
  const { site, state, job, startedAt, endedAt } = one;
  const tookMs = startedAt === null || endedAt === null ? null : Date.parse(endedAt) - Date.parse(startedAt);
  return (
    <li className={styles.site}>
      <span className={`${styles.name} wrap-anywhere [&_a:hover]:underline`} data-foreign>
        {job === null ? name : <Link href={`/sites/${site}/runs/${job}`}>{name}</Link>}
      </span>
      <span className="max-700:text-end">
        {state === 'succeeded' ? (
          <span className="text-muted">{stateText(state)}</span>
        ) : (
          <Status tone={toneOf(state)}>{stateText(state)}</Status>
        )}
      </span>
      <span className="wrap-anywhere max-700:row-2" data-foreign>
        {resultOf(one)}
      </span>
      <span className="text-muted text-end whitespace-nowrap max-700:row-2">
        {tookMs === null ? '' : durationText(Math.max(0, tookMs))}
      </span>
    </li>
  );
});

interface LiveBatch {
  batch: Batch;
  /** By their ids. */
  sites: ReadonlyMap<string, BatchSite>;
}

type BatchEvent = { event: 'site'; data: BatchSite } | { event: 'batch' | 'result'; data: Batch };
type BatchPage = AnswerOf<'GET /batches/{id}'>;

/** Limit of the API. */
const BATCH_PAGE = 500;
/** Between two renderings: hundreds of sites may end within a second. */
const SHOW_EVERY_MS = 300;

/** Read once as a whole; the stream then delivers the changes. */
function useBatch(id: string) {
  const read = useQuery({ queryKey: ['GET /batches', id], queryFn: ({ signal }) => wholeBatch(id, signal) });
  const [live, setLive] = useState<LiveBatch | null>(null);
  const [isReconnecting, setReconnecting] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const first = read.data;

  useEffect(() => {
    if (first === undefined || first.batch.endedAt !== null) return undefined;
    const left = new AbortController();
    let now = first;
    let timer = 0;
    const show = () => {
      window.clearTimeout(timer);
      timer = 0;
      if (!left.signal.aborted) setLive(now);
    };
    const path = `/batches/${encodeURIComponent(first.batch.id)}/events`;
    followUntilResult<BatchEvent>(path, () => '', left.signal, {
      onEvent(event) {
        now = taken(now, event);
        if (event.event === 'result') show();
        else if (timer === 0) timer = window.setTimeout(show, SHOW_EVERY_MS);
      },
      onConnection: (isOpen) => setReconnecting(!isOpen),
    })
      .catch((error: unknown) => {
        if (!left.signal.aborted) setProblem(problemOf(error));
      })
      .finally(show);
    return () => {
      left.abort();
      window.clearTimeout(timer);
      setLive(null);
    };
  }, [first]);

  return { read, shown: live ?? first ?? null, isReconnecting, problem };
}

function taken({ batch, sites }: LiveBatch, { event, data }: BatchEvent): LiveBatch {
  return event === 'site' ? { batch, sites: new Map(sites).set(data.site, data) } : { batch: data, sites };
}

async function wholeBatch(id: string, signal: AbortSignal): Promise<LiveBatch> {
  const pages: BatchPage[] = [];
  let cursor: string | undefined;
  do {
    const page: BatchPage = await ask('GET /batches/{id}', {
      params: { id },
      query: { limit: BATCH_PAGE, cursor },
      signal,
    });
    pages.push(page);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  const [batch] = pages;
  if (batch === undefined) throw new Error('a batch without a page');
  return { batch, sites: new Map(pages.flatMap(({ results }) => results).map((one) => [one.site, one])) };
}
