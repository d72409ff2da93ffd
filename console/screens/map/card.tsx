/** A device with its children, or a group with its devices. */
import texts from 'messages:map';
import { ChevronRight, CircleHelp, Globe, Network } from 'lucide-react';
import { memo } from 'react';
import { numberText } from '../../text/format.ts';
import { KindIcon } from '../../ui/kind-icon.tsx';
import { StatusShape } from '../../ui/status.tsx';
import styles from './card.module.css';
import { nameOfLane } from './lanes.ts';
import { type PlacedCard, SIZES } from './layout.ts';
import { addressOf, hrefOf, TONES, titleOfBranch, unseenBesideName, unseenText } from './naming.ts';
import { type Branch, INTERNET, type TopologyDevice, titleOf, WITHOUT_PARENT } from './tree.ts';

/** What the drawing shows of some devices. */
export interface Marks {
  /** Matches of the search; null: no search. */
  found: ReadonlySet<string> | null;
  chosen: string | null;
  /** The devices that lose their connection if the chosen one fails. */
  falling: ReadonlySet<string>;
}

interface Props {
  site: string;
  placed: PlacedCard;
  marks: Marks;
  /** The key of its element in the tab order; null: in another card. */
  active: string | null;
  isMovable: boolean;
  isDropTarget: boolean;
}

export const CardView = memo(function CardView(props: Props) {
  const { site, placed, marks, active, isMovable, isDropTarget } = props;
  const { card, x, y, width, height, level, columns } = placed;
  const { branch, leaves, isOpen } = card;
  const { device, key, counts } = branch;
  const hasContent = counts.devices > 0;
  const isLane = nameOfLane(key) !== null;
  return (
    <div
      // The sizes are SIZES in layout.ts.
      className="absolute card data-drop-target:outline-2 data-drop-target:outline-dashed data-drop-target:outline-accent data-drop-target:bg-selected"
      style={{ left: x, top: y, width, height }}
      data-card={key}
      data-drop-target={isDropTarget || undefined}
    >
      <a
        role="treeitem"
        aria-level={level}
        aria-posinset={placed.position}
        aria-setsize={placed.siblings}
        aria-expanded={hasContent ? isOpen || card.cards.length > 0 : undefined}
        aria-selected={key === active}
        className={styles.head}
        href={device === null ? undefined : hrefOf(site, key)}
        data-key={key}
        data-mark={markOf(marks, key)}
        draggable={isMovable && device !== null}
        tabIndex={key === active ? 0 : -1}
      >
        <span
          className={`${styles.tile} relative grid flex-none place-items-center size-7 rounded-control bg-sunken data-[status=down]:bg-bad-soft data-[status=down]:text-bad [&>svg]:size-4.5 [&>svg]:stroke-[1.5]`}
          data-status={device?.status}
        >
          <BranchIcon branch={branch} />
          <Badge device={device} />
        </span>
        <span className={`${styles.title} grid flex-1 min-w-0`}>
          <span className={`${styles.name} truncate`} title={titleOfBranch(branch)} data-foreign>
            {titleOfBranch(branch)}
          </span>
          {device === null || addressOf(device) === '' ? null : (
            <span className="text-muted font-mono text-[11px] leading-3.75 tracking-[-0.05em] truncate" data-foreign>
              {addressOf(device)}
            </span>
          )}
        </span>
        <span className="visually-hidden">{unseenText(branch)}</span>
        <DownBadge count={counts.down} />
        {hasContent ? (
          <span
            className={`${styles.toggle} inline-flex flex-none items-center min-w-6 h-6 pl-1 py-0 rounded-control text-muted text-xs hover:bg-selected [&_svg]:size-3.5 [&_svg]:[transition:transform_var(--quick)]`}
            aria-hidden="true"
            data-toggle
          >
            {numberText(counts.devices)}
            <ChevronRight aria-hidden="true" data-open={isOpen || undefined} />
          </span>
        ) : null}
      </a>
      {leaves.length === 0 ? null : (
        <div
          className="grid gap-1 px-2.75 pt-px pb-0"
          style={{ gridTemplateColumns: `repeat(${columns}, ${SIZES.width}px)` }}
        >
          {leaves.map((leaf, index) => (
            <Leaf
              key={leaf.key}
              href={hrefOf(site, leaf.key)}
              device={leaf}
              mark={markOf(marks, leaf.key)}
              isActive={leaf.key === active}
              note={isLane ? hostPart(leaf.ip) : leaf.parentPort}
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

export function BranchIcon({ branch: { key, device } }: { branch: Branch }) {
  if (device !== null) return <KindIcon type={device.type} />;
  if (key === INTERNET) return <Globe aria-hidden="true" />;
  return key === WITHOUT_PARENT ? <CircleHelp aria-hidden="true" /> : <Network aria-hidden="true" />;
}

/** How many devices behind a card are down. */
export function DownBadge({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span
      className="inline-flex flex-none items-center gap-1 h-5 px-1.5 rounded-full bg-bad-soft text-bad text-xs font-semibold [&_svg]:size-1.75"
      aria-hidden="true"
      title={texts.down({ count })}
    >
      <StatusShape tone="bad" />
      {numberText(count)}
    </span>
  );
}

function Badge({ device }: { device: TopologyDevice | null }) {
  if (device === null || device.status === 'online') return null;
  return (
    <span
      className={`${styles.badge} absolute grid p-[1.5px] rounded-[50%] bg-surface -right-0.75 -bottom-0.75 [&_svg]:size-2`}
    >
      <StatusShape tone={TONES[device.status]} />
    </span>
  );
}

interface LeafProps {
  href: string;
  device: TopologyDevice;
  mark: ReturnType<typeof markOf>;
  isActive: boolean;
  note: string;
  isMovable: boolean;
  level: number;
  position: number;
  siblings: number;
}

const Leaf = memo(function Leaf(props: LeafProps) {
  const { href, device, mark, isActive, note, isMovable, level, position, siblings } = props;
  return (
    <a
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={isActive}
      className={styles.cell}
      href={href}
      data-key={device.key}
      data-status={device.status}
      data-mark={mark}
      draggable={isMovable}
      tabIndex={isActive ? 0 : -1}
    >
      <KindIcon type={device.type} />
      <Badge device={device} />
      <span className={`${styles.name} truncate`} title={titleOf(device)} data-foreign>
        {titleOf(device)}
      </span>
      <span className="visually-hidden">{unseenBesideName(device)}</span>
      {note === '' ? null : (
        <span className="max-w-18 text-muted font-mono text-[11px] truncate" aria-hidden="true" data-foreign>
          {note}
        </span>
      )}
    </a>
  );
});

/** The last part of an IPv4 address: `.20`. */
const hostPart = (ip: string): string => (/^\d+\.\d+\.\d+\.\d+$/.test(ip) ? ip.slice(ip.lastIndexOf('.')) : '');

function markOf({ found, chosen, falling }: Marks, key: string) {
  if (found !== null) return found.has(key) ? 'found' : 'faint';
  if (key === chosen) return 'chosen';
  return falling.has(key) ? 'falling' : undefined;
}
