/** A batch and its sites, live. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Batch, BatchSite } from '../../../shared/api/batches.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { followUntilResult } from '../../commands/follow-job.ts';

export interface LiveBatch {
  batch: Batch;
  /** By their ids. */
  sites: ReadonlyMap<string, BatchSite>;
}

type BatchEvent = { event: 'site'; data: BatchSite } | { event: 'batch' | 'result'; data: Batch };
type Page = AnswerOf<'GET /batches/{id}'>;

/** Limit of the API. */
const PAGE = 500;
/** Between two renderings: hundreds of sites may end within a second. */
const SHOW_EVERY_MS = 300;

/** Read once as a whole; the stream then delivers the changes. */
export function useBatch(id: string) {
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
  const pages: Page[] = [];
  let cursor: string | undefined;
  do {
    const page: Page = await ask('GET /batches/{id}', { params: { id }, query: { limit: PAGE, cursor }, signal });
    pages.push(page);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  const [batch] = pages;
  if (batch === undefined) throw new Error('a batch without a page');
  return { batch, sites: new Map(pages.flatMap(({ results }) => results).map((one) => [one.site, one])) };
}
