/** Above the drawing: connections derived from switches, neighbours and routes, which the user can accept. */
import common from 'messages:common';
import texts from 'messages:map';
import sources from 'messages:sources';
import { Check } from 'lucide-react';
import { useId } from 'react';
import type * as z from 'zod';
import type { Placement } from '../../../shared/api/placements.ts';
import { POLL_MS, useAnswer, useChange } from '../../api/queries.ts';
import { confidenceText } from '../../text/confidence.ts';
import { Button } from '../../ui/button.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import styles from './map.module.css';

export type Proposal = z.infer<typeof Placement>;

/** The page reads and draws no more; the user can still accept all of them. */
const MAX_SHOWN = 200;

export function useProposals(site: string) {
  const query = { limit: MAX_SHOWN };
  const { data } = useAnswer('GET /devices/network/proposals', { site, query }, { everyMs: POLL_MS.calm });
  const { mutate, isPending } = useChange('POST /devices/network/proposals/accept');
  const accept = (key?: string) =>
    mutate(
      { site, body: key === undefined ? {} : { macs: [key] } },
      {
        onSuccess({ accepted, skipped }) {
          showToast(
            skipped === 0 ? texts.accepted({ count: accepted }) : texts.acceptedSome({ count: accepted, skipped }),
          );
        },
        onError: showProblem,
      },
    );
  return { shown: data?.proposals ?? [], total: data?.total ?? 0, isBusy: isPending, accept };
}

interface Props {
  proposals: ReturnType<typeof useProposals>;
  mayAccept: boolean;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}

export function ProposalList({ proposals, mayAccept, isOpen, onOpen }: Props) {
  const { shown, total, isBusy, accept } = proposals;
  const id = useId();
  if (total === 0) return null;
  return (
    <section className="card pr-2 pl-3.5 py-1.5 text-sm" aria-label={texts.proposals}>
      <div className="flex flex-wrap items-center gap-y-2 gap-x-3 [&>:first-child]:flex-[1_1_240px]">
        <span>{texts.proposed({ count: total })}</span>
        <Button aria-expanded={isOpen} aria-controls={id} onClick={() => onOpen(!isOpen)}>
          {isOpen ? texts.hideProposals : texts.showProposals}
        </Button>
        {isOpen && mayAccept ? (
          <Button look="primary" disabled={isBusy} onClick={() => accept()} icon={<Check />}>
            {texts.acceptAll({ count: total })}
          </Button>
        ) : null}
      </div>
      {isOpen ? (
        <ul id={id} className={`${styles.proposalList} max-h-65 mt-2 overflow-y-auto`}>
          {shown.map((proposal) => (
            <li key={proposal.device.key}>
              <Place proposal={proposal} />
              {mayAccept ? (
                <Button
                  aria-label={texts.acceptOne({ name: titleOf(proposal.device) })}
                  disabled={isBusy}
                  onClick={() => accept(proposal.device.key)}
                >
                  {texts.accept}
                </Button>
              ) : null}
            </li>
          ))}
          {total > shown.length ? (
            <li className="text-muted text-sm">{common.andMore({ count: total - shown.length })}</li>
          ) : null}
        </ul>
      ) : null}
    </section>
  );
}

function Place({ proposal: { device, parent, port, confidence, because } }: { proposal: Proposal }) {
  const [first] = because;
  return (
    <div>
      <span data-foreign>
        {texts.placedAt({ name: titleOf(device), parent: titleOf(parent) })}
        {port === '' ? '' : `, ${texts.onPort({ port })}`}
      </span>
      <div className="text-muted text-sm">
        {confidenceText(confidence)}
        {first === undefined ? null : (
          <>
            {' · '}
            {sources[first.source]}: <code data-foreign>{first.value}</code>
          </>
        )}
      </div>
    </div>
  );
}

const titleOf = ({ name, key }: Proposal['device']): string => (name === '' ? key : name);
