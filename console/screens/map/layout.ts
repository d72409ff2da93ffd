/** Where the cards of the map stand, in px. Trees grow to the right, children in as many columns as fit the window best. */
import type { Card } from './view.ts';

export interface Size {
  width: number;
  height: number;
}

export interface Box extends Size {
  x: number;
  y: number;
}

export interface PlacedCard extends Box {
  card: Card;
  level: number;
  /** Its place among its siblings (cards and devices), from 1, and their number. */
  position: number;
  siblings: number;
  columns: number;
}

export interface PlacedLink {
  key: string;
  path: string;
  /** On the parent; empty: unknown. */
  port: string;
  label: { x: number; y: number };
  isDown: boolean;
}

export interface Layout extends Size {
  /** Depth first. */
  cards: readonly PlacedCard[];
  /** Those to devices that are down come last, and so lie above the others. */
  links: readonly PlacedLink[];
}

export interface Look {
  frame: Size;
  areBands?: boolean;
}

/** The style sheet has the same sizes. */
export const SIZES = {
  margin: 20,
  head: 48,
  padding: 12,
  /** WCAG 2.2 requires targets of 24 px; with the gap they are also 28 px apart. */
  cell: 24,
  gap: 4,
  /** Of a cell: an icon and a name. */
  width: 200,
  columnGap: 56,
  /** From the vertical line of a column to its cards. */
  trunk: 42,
  rowGap: 12,
  /** Above several columns, for the line to the further ones. */
  rail: 16,
} as const;

/** In a column of a card in a tree. */
const ROWS = 12;
/** Heights at which the children of a card get another column. The first is the most regular. */
const LIMITS = [Number.POSITIVE_INFINITY, 5_000, 3_400, 2_400, 1_700, 1_250, 950, 720, 540, 400, 280];
const PORT_CHARACTERS = 6;
/** How much larger another column has to make the drawing. */
const WORTH = 1.05;
/** Bands are as wide as the window, as long as this shrinks nothing. */
const BAND_COLUMNS = [20, 16, 12, 10, 8, 6, 5, 4, 3, 2, 1];

export function layoutOf(roots: readonly Card[], look: Look): Layout {
  const candidates = look.areBands
    ? BAND_COLUMNS.map((columns) => () => bandsOf(roots, columns))
    : LIMITS.map((limit) => () => treesOf(roots, limit));
  let best: Layout = { cards: [], links: [], width: 2 * SIZES.margin, height: 2 * SIZES.margin };
  let bestScale = 0;
  for (const make of candidates) {
    const layout = make();
    const scale = fittingScale(layout, look.frame);
    if (scale <= bestScale * WORTH) continue;
    [best, bestScale] = [layout, scale];
    if (scale === 1) break;
  }
  return best;
}

export function fittingScale({ width, height }: Size, frame: Size): number {
  return Math.min(1, frame.width / width, frame.height / height);
}

export function cellBox({ x, y, columns }: PlacedCard, index: number): Box {
  const { head, padding, cell, gap, width } = SIZES;
  return {
    x: x + padding + (index % columns) * (width + gap),
    y: y + head + Math.floor(index / columns) * (cell + gap),
    width,
    height: cell,
  };
}

export function boxOf({ cards }: Pick<Layout, 'cards'>, key: string): Box | null {
  for (const placed of cards) {
    if (placed.card.branch.key === key) return { ...placed, height: SIZES.head };
    const index = placed.card.leaves.findIndex((leaf) => leaf.key === key);
    if (index >= 0) return cellBox(placed, index);
  }
  return null;
}

/** From a card to a device elsewhere, between the facing sides; null unless both are drawn. */
export function proposedPath(layout: Layout, parent: string, device: string): string | null {
  const [from, to] = [boxOf(layout, parent), boxOf(layout, device)];
  if (from === null || to === null) return null;
  const isLeft = to.x + to.width <= from.x;
  const isRight = to.x >= from.x + from.width;
  const [x1, y1] = [isLeft ? from.x : from.x + from.width, from.y + from.height / 2];
  const [x2, y2] = [isRight ? to.x : to.x + to.width, to.y + to.height / 2];
  const bend = SIZES.columnGap;
  return `M${x1} ${y1}C${x1 + (isLeft ? -bend : bend)} ${y1} ${x2 + (isRight ? -bend : bend)} ${y2} ${x2} ${y2}`;
}

export function keysOf({ cards }: Layout): string[] {
  return cards.flatMap(({ card }) => [card.branch.key, ...card.leaves.map(({ key }) => key)]);
}

export function shortPort(port: string): string {
  const characters = [...port];
  return characters.length <= PORT_CHARACTERS ? port : `…${characters.slice(1 - PORT_CHARACTERS).join('')}`;
}

/** A card with its children, as one box. */
interface Block {
  card: Card;
  parent: Block | null;
  blocks: Block[];
  position: number;
  level: number;
  columns: number;
  own: Size;
  above: number;
  packed: Packed;
  size: Size;
}

interface Packed {
  columns: { left: number; blocks: Block[] }[];
  size: Size;
}

const NOTHING: Packed = { columns: [], size: { width: 0, height: 0 } };

function treesOf(roots: readonly Card[], limit: number): Layout {
  const blocks = blocksOf(roots);
  // Children are measured before their card.
  for (const block of blocks.toReversed()) {
    block.packed = pack(block.blocks, limit);
    const { columns, size } = block.packed;
    const rail = columns.length > 1 ? SIZES.rail : 0;
    block.above = rail + (columns[0]?.blocks[0]?.above ?? 0);
    block.size = {
      width: block.own.width + (columns.length === 0 ? 0 : SIZES.columnGap + size.width),
      height: Math.max(block.above + block.own.height, rail + size.height),
    };
  }
  const atRoot = blocks.filter(({ parent }) => parent === null);
  return place(pack(atRoot, limit), atRoot);
}

function blocksOf(roots: readonly Card[]): Block[] {
  const blockOf = (card: Card, parent: Block | null, index: number): Block => ({
    card,
    parent,
    blocks: [],
    position: (parent?.card.leaves.length ?? 0) + index + 1,
    level: (parent?.level ?? 0) + 1,
    ...shapeOf(card.leaves.length),
    above: 0,
    packed: NOTHING,
    size: NOTHING.size,
  });
  const blocks = roots.map((card, index) => blockOf(card, null, index));
  // A list, not a recursion: a chain of devices may be thousands long.
  for (const block of blocks) {
    block.blocks = block.card.cards.map((card, index) => blockOf(card, block, index));
    for (const one of block.blocks) blocks.push(one);
  }
  return blocks;
}

/** Below one another; where they get too high, in further columns of about the same height. */
function pack(blocks: readonly Block[], limit: number): Packed {
  const greedy = packUpTo(blocks, limit);
  const { length } = greedy.columns;
  if (length < 2) return greedy;
  const total = blocks.reduce((sum, { size }) => sum + size.height + SIZES.rowGap, 0);
  for (let lower = total / length; lower < greedy.size.height; lower += SIZES.head) {
    const packed = packUpTo(blocks, lower);
    if (packed.columns.length <= length) return packed;
  }
  return greedy;
}

function packUpTo(blocks: readonly Block[], limit: number): Packed {
  const columns: { left: number; blocks: Block[] }[] = [];
  let [left, width, height, most] = [0, 0, 0, 0];
  for (const block of blocks) {
    const last = columns.at(-1);
    const next = height + SIZES.rowGap + block.size.height;
    if (last === undefined || next > limit) {
      if (last !== undefined) left += width + SIZES.columnGap;
      columns.push({ left, blocks: [block] });
      [width, height] = [block.size.width, block.size.height];
    } else {
      last.blocks.push(block);
      [width, height] = [Math.max(width, block.size.width), next];
    }
    most = Math.max(most, height);
  }
  return { columns, size: { width: left + width, height: most } };
}

function place(all: Packed, roots: readonly Block[]): Layout {
  const { margin, rail, columnGap } = SIZES;
  const cards = new Map<Block, PlacedCard>();
  const links: PlacedLink[] = [];
  const open: { packed: Packed; x: number; y: number; parent: PlacedCard | null }[] = [
    { packed: all, x: margin, y: margin, parent: null },
  ];
  for (const { packed, x, y, parent } of open) {
    for (const [column, { left, blocks: inColumn }] of packed.columns.entries()) {
      const detour = column === 0 ? [] : [{ x: x - SIZES.trunk }, { y: y - rail / 2 }];
      let top = y;
      for (const block of inColumn) {
        const { card, own, level, position, columns } = block;
        const siblings = parent === null ? roots.length : parent.card.leaves.length + parent.card.cards.length;
        const box = { x: x + left, y: top + block.above, ...own };
        const one: PlacedCard = { card, level, position, siblings, columns, ...box };
        cards.set(block, one);
        if (parent !== null) links.push(linkOf(parent, one, detour));
        const below = top + (block.packed.columns.length > 1 ? rail : 0);
        open.push({ packed: block.packed, x: box.x + own.width + columnGap, y: below, parent: one });
        top += block.size.height + SIZES.rowGap;
      }
    }
  }
  return {
    cards: inReadingOrder(roots).flatMap((block) => cards.get(block) ?? []),
    links: links.toSorted((a, b) => Number(a.isDown) - Number(b.isDown)),
    width: all.size.width + 2 * margin,
    height: all.size.height + 2 * margin,
  };
}

function inReadingOrder(roots: readonly Block[]): Block[] {
  const open = roots.toReversed();
  const order: Block[] = [];
  for (let block = open.pop(); block !== undefined; block = open.pop()) {
    order.push(block);
    open.push(...block.blocks.toReversed());
  }
  return order;
}

/** Where a line goes next: along to an `x`, or up or down to a `y`. */
type Bend = { x: number } | { y: number };

/** From head to head, along the `detour` to columns behind the first one. */
function linkOf(from: PlacedCard, to: PlacedCard, detour: readonly Bend[]): PlacedLink {
  const { head, trunk } = SIZES;
  const { device, key } = to.card.branch;
  const start = { x: from.x + from.width, y: from.y + head / 2 };
  const y = to.y + head / 2;
  const bends: readonly Bend[] = [...detour, { x: to.x - trunk }, { y }, { x: to.x }];
  return {
    key,
    path: `M${start.x} ${start.y}${bends.map((bend) => ('x' in bend ? `H${bend.x}` : `V${bend.y}`)).join('')}`,
    port: device?.parentPort ?? '',
    label: { x: to.x - 5, y: y - 5 },
    isDown: device?.status === 'down',
  };
}

/** As many columns as rows fill, but no wider than high for the eye: a cell is some eight times as wide as high. */
function shapeOf(count: number): Pick<Block, 'own' | 'columns'> {
  const columns = Math.max(1, Math.min(Math.ceil(count / ROWS), Math.ceil(Math.sqrt(count / 5))));
  return { columns, own: sizeOf(count, columns) };
}

function sizeOf(count: number, columns: number): Size {
  const { head, padding, cell, gap, width } = SIZES;
  const rows = Math.ceil(count / columns);
  return {
    width: columns * (width + gap) - gap + 2 * padding,
    height: head + (rows === 0 ? 0 : rows * (cell + gap) - gap + padding),
  };
}

function bandsOf(roots: readonly Card[], columns: number): Layout {
  const { margin, rowGap } = SIZES;
  let y: number = margin;
  let width = 0;
  const cards = roots.map((card, index): PlacedCard => {
    const own = sizeOf(card.leaves.length, columns);
    const box = { x: margin, y, ...own };
    y += own.height + rowGap;
    width = own.width;
    return { card, level: 1, position: index + 1, siblings: roots.length, columns, ...box };
  });
  return { cards, links: [], width: width + 2 * margin, height: y - rowGap + margin };
}
