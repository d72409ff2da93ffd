/** Above the drawing: where devices seem to be connected by what switches, neighbours and routes say. */
import texts from 'messages:map';
import sources from 'messages:sources';
import { Check } from 'lucide-react';
import { useId } from 'react';
import { confidenceText } from '../../text/confidence.ts';
import { Button } from '../../ui/button.tsx';
import styles from './map.module.css';
import type { Proposal, Proposals } from './use-proposals.ts';

interface Props {
  proposals: Proposals;
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
          <Button look="primary" disabled={isBusy} onClick={() => accept()}>
            <Check aria-hidden="true" />
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
            <li className="text-muted text-sm">{texts.proposalsLeftOut({ count: total - shown.length })}</li>
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

function titleOf({ name, key }: Proposal['device']): string {
  return name === '' ? key : name;
}
