/** What hangs on what as a nested list, which needs no room to the side: for a narrow window. */
import { ChevronRight, CircleHelp, Globe, Network } from 'lucide-react';
import { statusTexts } from '../../text/texts.ts';
import { KindIcon } from '../../ui/kind-icon.tsx';
import { StatusShape } from '../../ui/status.tsx';
import { networkOfLane } from './lanes.ts';
import styles from './list.module.css';
import { addressOf, hrefOf, TONES, titleOfBranch } from './naming.ts';
import { texts } from './texts.ts';
import { type Branch, type TopologyDevice, titleOf, WITHOUT_PARENT } from './tree.ts';
import type { Card } from './view.ts';

interface Props {
  site: string;
  cards: readonly Card[];
  found: ReadonlySet<string> | null;
  onToggle: (key: string, isOpen: boolean) => void;
}

export function NestedList({ label, ...props }: Props & { label: string }) {
  return (
    <nav aria-label={label} className={styles.box}>
      <Level {...props} depth={0} />
    </nav>
  );
}

/** From here on nothing moves further to the right, so that a chain of devices stays in the window. */
const MAX_DEPTH = 6;

function Level({ cards, depth, ...rest }: Props & { depth: number }) {
  return (
    <ul className={depth > 0 && depth < MAX_DEPTH ? styles.inside : undefined}>
      {cards.map((card) => (
        <li key={card.branch.key}>
          <CardLine card={card} {...rest} />
          {card.leaves.length === 0 ? null : (
            <ul className={styles.inside}>
              {card.leaves.map((leaf) => (
                <li key={leaf.key} className={styles.line} data-found={rest.found?.has(leaf.key) || undefined}>
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
  const { branch, isOpen, counts } = card;
  const title = titleOfBranch(branch);
  return (
    <div className={styles.line} data-found={found?.has(branch.key) || undefined}>
      <DeviceOrNot site={site} branch={branch} title={title} />
      <button
        type="button"
        className={styles.toggle}
        aria-expanded={isOpen}
        aria-label={`${isOpen ? texts.fold(title) : texts.open(title)}, ${texts.counts(counts.devices, counts.down)}`}
        data-down={(counts.down > 0 && !isOpen) || undefined}
        onClick={() => onToggle(branch.key, !isOpen)}
      >
        {counts.down > 0 && !isOpen ? texts.down(counts.down) : texts.count(counts.devices)}
        <ChevronRight aria-hidden="true" data-open={isOpen || undefined} />
      </button>
    </div>
  );
}

function DeviceOrNot({ site, branch, title }: { site: string; branch: Branch; title: string }) {
  if (branch.device !== null) return <DeviceLink site={site} device={branch.device} />;
  const isLane = networkOfLane(branch.key) !== null;
  const Icon = isLane ? Network : branch.key === WITHOUT_PARENT ? CircleHelp : Globe;
  return (
    <span className={styles.link}>
      <Icon aria-hidden="true" />
      <span className={styles.name}>{title}</span>
    </span>
  );
}

function DeviceLink({ site, device }: { site: string; device: TopologyDevice }) {
  const port = device.parentPort === '' ? '' : texts.onPort(device.parentPort);
  const about = [addressOf(device), port].filter((part) => part !== '').join(' · ');
  return (
    <a className={styles.link} href={hrefOf(site, device.key)} data-status={device.status}>
      <KindIcon type={device.type} />
      <span className={styles.words}>
        <span className={styles.name} data-foreign>
          {titleOf(device)}
        </span>
        {about === '' ? null : (
          <span className={styles.about} data-foreign>
            {about}
          </span>
        )}
      </span>
      {device.status === 'online' ? null : (
        <span className={styles.state}>
          <StatusShape tone={TONES[device.status]} />
          {statusTexts[device.status]}
        </span>
      )}
    </a>
  );
}
