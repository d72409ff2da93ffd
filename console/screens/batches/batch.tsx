/** A batch, live: its progress, a line for each site, and how their results differ. */
import texts from 'messages:batches';
import commandTexts from 'messages:commands';
import { useDeferredValue, useState } from 'react';
import { ask } from '../../api/client.ts';
import { useKnownSites } from '../../api/known-sites.ts';
import { problemOf } from '../../api/problem.ts';
import { requestQuery, titleOfJob } from '../../commands/job-texts.ts';
import { numberText } from '../../text/format.ts';
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
import { Comparison } from './comparison.tsx';
import { SiteLines } from './site-lines.tsx';
import { countOf, PARTS, type Part } from './site-state.tsx';
import { type LiveBatch, useBatch } from './use-batch.ts';

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
