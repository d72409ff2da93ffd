/** Restores a deleted site and opens it. */
import texts from 'messages:sites';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { ask } from '../../api/client.ts';
import { showProblem, showToast } from '../../ui/toast.tsx';

export function useRestoreSite(): (site: { id: string; name: string }) => Promise<void> {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  return async ({ id, name }) => {
    try {
      await ask('POST /sites/{site}/restore', { params: { site: id } });
      // Replies from the meantime say that it does not exist.
      void queries.resetQueries();
      navigate(`/sites/${id}`);
      showToast(texts.restored({ name }));
    } catch (error) {
      showProblem(error);
    }
  };
}
