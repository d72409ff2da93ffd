/** The map as a nested list, for a narrow window. */
import texts from 'messages:map';
import statusTexts from 'messages:status';
import { ChevronRight } from 'lucide-react';
import { numberText } from '../../text/format.ts';
import { KindIcon } from '../../ui/kind-icon.tsx';
import { StatusShape } from '../../ui/status.tsx';
import { BranchIcon, DownBadge } from './card.tsx';
import styles from './list.module.css';
import { addressOf, hrefOf, portText, TONES, titleOfBranch } from './naming.ts';
import { type TopologyDevice, titleOf } from './tree.ts';
import type { Card } from './view.ts';

const INSIDE = 'ml-5.25 border-l border-line';
const LINE = 'flex items-center gap-1 min-w-0 data-found:bg-selected';
const LINK = `${styles.link} flex flex-1 items-center gap-2.5 min-w-0 min-h-[max(40px,var(--row-height))] px-3 py-1 text-inherit no-underline focus-visible:-outline-offset-2 [&>svg]:flex-none [&>svg]:size-4.5 [&>svg]:stroke-[1.5] data-[status=down]:[&>:first-child]:text-bad`;
const NAME = 'text-md leading-4.5 truncate';

interface Props {
  site: string;
  cards: readonly Card[];
  found: ReadonlySet<string> | null;
  onToggle: (key: string, isOpen: boolean) => void;
}

export function NestedList({ label, ...props }: Props & { label: string }) {
  return (
    <nav aria-label={label} className="card overflow-hidden">
      <Level {...props} depth={0} />
    </nav>
  );
}

/** Deeper levels are not indented, so that a long chain stays in the window. */
const MAX_DEPTH = 6;

function Level({ cards, depth, ...rest }: Props & { depth: number }) {
  return (
    <ul className={depth > 0 && depth < MAX_DEPTH ? INSIDE : undefined}>
      {cards.map((card) => (
        <li key={card.branch.key}>
          <CardLine card={card} {...rest} />
          {card.leaves.length === 0 ? null : (
            <ul className={INSIDE}>
              {card.leaves.map((leaf) => (
                <li key={leaf.key} className={LINE} data-found={rest.found?.has(leaf.key) || undefined}>
                  <DeviceLink site={rest.site} device={leaf} />
                </li>
              ))}
            </ul>
          )}
          {card.cards.length === 0 ? null : <Level cards={card.cards} depth={depth + 1} {...rest} />}
        </li>
      ))}
    </ul>
  );
}

function CardLine({ card, site, found, onToggle }: Omit<Props, 'cards'> & { card: Card }) {
  const { branch, isOpen } = card;
  const { counts } = branch;
  const title = titleOfBranch(branch);
  return (
    <div className={LINE} data-found={found?.has(branch.key) || undefined}>
      {branch.device !== null ? (
        <DeviceLink site={site} device={branch.device} />
      ) : (
        <span className={LINK}>
          <BranchIcon branch={branch} />
          <span className={NAME}>{title}</span>
        </span>
      )}
      <DownBadge count={counts.down} />
      <button
        type="button"
        className={styles.toggle}
        aria-expanded={isOpen}
        aria-label={`${isOpen ? texts.fold({ name: title }) : texts.open({ name: title })}, ${texts.counts({ count: counts.devices, down: counts.down })}`}
        onClick={() => onToggle(branch.key, !isOpen)}
      >
        {numberText(counts.devices)}
        <ChevronRight aria-hidden="true" data-open={isOpen || undefined} />
      </button>
    </div>
  );
}

function DeviceLink({ site, device }: { site: string; device: TopologyDevice }) {
  const about = [addressOf(device), portText(device)].filter((part) => part !== '').join(' · ');
  return (
    <a className={LINK} href={hrefOf(site, device.key)} data-status={device.status}>
      <KindIcon type={device.type} />
      <span className="grid flex-1 min-w-0">
        <span className={NAME} data-foreign>
          {titleOf(device)}
        </span>
        {about === '' ? null : (
          <span className="text-muted font-mono text-[11.5px] leading-4 truncate" data-foreign>
            {about}
          </span>
        )}
      </span>
      {device.status === 'online' ? null : (
        <span className={`${styles.state} inline-flex flex-none items-center gap-1.25 text-muted text-xs`}>
          <StatusShape tone={TONES[device.status]} />
          {statusTexts[device.status]}
        </span>
      )}
    </a>
  );
}
