/** A device of the infrastructure with the devices that hang on it. */
import { ChevronRight } from 'lucide-react';
import { memo } from 'react';
import { KindIcon } from '../../ui/kind-icon.tsx';
import { StatusShape } from '../../ui/status.tsx';
import styles from './card.module.css';
import type { PlacedCard } from './layout.ts';
import { aboutText, hrefOf, TONES, titleOfBranch } from './naming.ts';
import { texts } from './texts.ts';
import { type TopologyDevice, titleOf } from './tree.ts';

interface Props {
  site: string;
  placed: PlacedCard;
  /** What a search has found; null without a search. */
  found: ReadonlySet<string> | null;
  /** The key of the element of this card that the Tab key reaches; null when it is in another card. */
  active: string | null;
  isMovable: boolean;
  isDropTarget: boolean;
}

export const CardView = memo(function CardView(props: Props) {
  const { site, placed, found, active, isMovable, isDropTarget } = props;
  const { card, x, y, width, height, level, isNamed, columns } = placed;
  const { branch, leaves, isOpen, counts } = card;
  const { device, key, direct } = branch;
  const hasContent = direct.devices > 0;
  return (
    <div
      className={styles.card}
      style={{ left: x, top: y, width, height }}
      data-card={key}
      data-drop-target={isDropTarget || undefined}
    >
      <a
        role="treeitem"
        aria-level={level}
        aria-posinset={placed.position}
        aria-setsize={placed.siblings}
        aria-expanded={hasContent ? isOpen : undefined}
        aria-selected={key === active}
        className={styles.head}
        href={device === null ? undefined : hrefOf(site, key)}
        data-key={key}
        data-found={mark(found, device)}
        draggable={isMovable && device !== null}
        tabIndex={key === active ? 0 : -1}
      >
        <span className={styles.toggle} data-toggle={hasContent || undefined}>
          {hasContent ? <ChevronRight aria-hidden="true" data-open={isOpen || undefined} /> : null}
        </span>
        {device === null ? null : (
          <>
            <StatusShape tone={TONES[device.status]} />
            <KindIcon type={device.type} />
          </>
        )}
        <span className={styles.title}>
          <span className={styles.name} title={titleOfBranch(branch)} data-foreign>
            {titleOfBranch(branch)}
          </span>
          <span className={styles.counts}>{texts.counts(counts.devices, counts.down)}</span>
        </span>
        {device === null ? null : <span className="visually-hidden">{aboutText(device)}</span>}
      </a>
      {leaves.length === 0 ? null : (
        <div
          className={styles.cells}
          style={{ gridTemplateColumns: isNamed ? 'minmax(0, 1fr)' : `repeat(${columns}, 24px)` }}
        >
          {leaves.map((leaf, index) => (
            <Leaf
              key={leaf.key}
              href={hrefOf(site, leaf.key)}
              device={leaf}
              found={mark(found, leaf)}
              isActive={leaf.key === active}
              isNamed={isNamed}
              isMovable={isMovable}
              level={level + 1}
              position={index + 1}
              siblings={leaves.length + card.cards.length}
            />
          ))}
        </div>
      )}
    </div>
  );
});

interface LeafProps {
  href: string;
  device: TopologyDevice;
  found: 'yes' | 'no' | undefined;
  isActive: boolean;
  isNamed: boolean;
  isMovable: boolean;
  level: number;
  position: number;
  siblings: number;
}

const Leaf = memo(function Leaf(props: LeafProps) {
  const { href, device, found, isActive, isNamed, isMovable, level, position, siblings } = props;
  const about = aboutText(device);
  return (
    <a
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={isActive}
      aria-label={about}
      title={about}
      className={styles.cell}
      href={href}
      data-key={device.key}
      data-found={found}
      draggable={isMovable}
      tabIndex={isActive ? 0 : -1}
    >
      <StatusShape tone={TONES[device.status]} />
      {isNamed ? (
        <>
          <KindIcon type={device.type} />
          <span className={styles.name} data-foreign>
            {titleOf(device)}
          </span>
        </>
      ) : null}
    </a>
  );
});

function mark(found: ReadonlySet<string> | null, device: TopologyDevice | null): 'yes' | 'no' | undefined {
  if (found === null) return undefined;
  return device !== null && found.has(device.key) ? 'yes' : 'no';
}
