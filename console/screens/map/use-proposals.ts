/** Where devices seem to be connected, and taking that over. */
import texts from 'messages:map';
import { useState } from 'react';
import type * as z from 'zod';
import type { Placement } from '../../../shared/api/placements.ts';
import { POLL_MS, useAnswer, useChange } from '../../api/queries.ts';
import { showProblem, showToast } from '../../ui/toast.tsx';

export type Proposal = z.infer<typeof Placement>;

/** More are neither read nor drawn: who has so many takes all of them. */
const MAX_SHOWN = 200;

export interface Proposals {
  shown: readonly Proposal[];
  total: number;
  isBusy: boolean;
  /** @param key of the device; without it, all of them */
  accept: (key?: string) => void;
}

export function useProposals(site: string): Proposals {
  const { data } = useAnswer(
    'GET /devices/network/proposals',
    { site, query: { limit: MAX_SHOWN } },
    { everyMs: POLL_MS.calm },
  );
  const { mutate } = useChange('POST /devices/network/proposals/accept');
  const [isBusy, setBusy] = useState(false);
  function accept(key?: string): void {
    setBusy(true);
    mutate(
      { site, body: key === undefined ? {} : { macs: [key] } },
      {
        onSuccess: ({ accepted, skipped }) => {
          showToast(
            skipped === 0 ? texts.accepted({ count: accepted }) : texts.acceptedSome({ count: accepted, skipped }),
          );
        },
        onError: showProblem,
        onSettled: () => setBusy(false),
      },
    );
  }
  return { shown: data?.proposals ?? [], total: data?.total ?? 0, isBusy, accept };
}
