/** Brings back a device that was deleted, and opens it. */
import texts from 'messages:device';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { ask } from '../../api/client.ts';
import { keyOf } from '../../api/queries.ts';
import { showProblem, showToast } from '../../ui/toast.tsx';

interface Deleted {
  key: string;
  name: string;
  /** The change that has deleted it. */
  change: string;
}

export function useRestore(site: string): (deleted: Deleted) => Promise<void> {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  return async ({ key, name, change }) => {
    try {
      await ask('POST /devices/restore', { site, body: { change, macs: [key] } });
      // What was read in between says that there is no such device, also on the screen that stays.
      void queries.resetQueries({ queryKey: keyOf('GET /devices/{mac}', { site, params: { mac: key } }) });
      navigate(`/sites/${site}/devices/${encodeURIComponent(key)}`);
      void queries.invalidateQueries();
      showToast(texts.restored({ name }));
    } catch (error) {
      showProblem(error);
    }
  };
}
