/** The removal of a site: the same request again and again, until the site is gone. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ask } from '../../api/client.ts';
import { currentSession } from '../../api/session.ts';
import type { Submittable } from '../../ui/form.tsx';
import { texts } from './texts.ts';

export interface Removal extends Submittable {
  /** When it began (Unix, ms); null before. */
  startedAt: number | null;
}

/** As the API asks for it with `Retry-After`. */
const PAUSE_MS = 1_000;
/** Each request does as much as fits into it. */
const MOST_REQUESTS = 600;

/** @param onRemoved called when the site is gone */
export function useRemoval(site: string, name: string, onRemoved: () => void): Removal {
  const queries = useQueryClient();
  const [startedAt, setStartedAt] = useState<number | null>(null);
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);

  // Only this page continues the removal, so the browser asks before it leaves the page.
  useEffect(() => {
    if (!isPending) return undefined;
    const stay = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', stay);
    return () => window.removeEventListener('beforeunload', stay);
  }, [isPending]);

  async function remove(): Promise<void> {
    setPending(true);
    setProblem(null);
    setStartedAt((at) => at ?? Date.now());
    try {
      await removeWhole(site, name);
      onRemoved();
    } catch (error) {
      setProblem(error);
    } finally {
      setPending(false);
      void queries.invalidateQueries();
    }
  }

  // Also goes on with one that has failed.
  return { startedAt, isPending, problem, submit: () => void remove() };
}

async function removeWhole(site: string, name: string): Promise<void> {
  const session = currentSession();
  for (let requests = 0; requests < MOST_REQUESTS; requests++) {
    // What one token has begun, another one does not go on with.
    if (currentSession() !== session) throw new Error(texts.notGone);
    const { isComplete } = await ask('DELETE /sites/{site}', { params: { site }, query: { confirm: name } });
    if (isComplete) return;
    await new Promise((resolve) => window.setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(texts.notGone);
}
