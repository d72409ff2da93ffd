/** Deleted sites that an administrator can still restore. */
import texts from 'messages:sites';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { ask } from '../../api/client.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { timeText } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import styles from './sites.module.css';

export function DeletedSites() {
  const rights = useRights();
  const restore = useRestoreSite();
  const { data } = useAnswer(
    'GET /sites',
    { query: { deleted: 'true' } },
    { everyMs: POLL_MS.calm, when: rights.may('admin') && rights.isForAllSites },
  );
  const sites = data?.sites ?? [];
  if (sites.length === 0) return null;
  return (
    <details className={`${styles.deleted} text-muted text-sm`}>
      <summary>{texts.deleted({ count: sites.length })}</summary>
      <ul aria-label={texts.deleted({ count: sites.length })}>
        {sites.map(({ id, name, deletion }) => (
          <li key={id}>
            <span data-foreign>{name}</span>
            <span>{texts.restorable({ until: timeText(new Date(deletion?.restorableUntil ?? 0)) })}</span>
            <Button onClick={() => void restore({ id, name })} aria-label={texts.restoreNamed({ name })}>
              {texts.restore}
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Restores a deleted site and opens it. */
export function useRestoreSite(): (site: { id: string; name: string }) => Promise<void> {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  return async ({ id, name }) => {
    try {
      await ask('POST /sites/{site}/restore', { params: { site: id } });
      // Replies from the meantime report that it does not exist.
      void queries.resetQueries();
      navigate(`/sites/${id}`);
      showToast(texts.restored({ name }));
    } catch (error) {
      showProblem(error);
    }
  };
}
