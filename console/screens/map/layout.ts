/** Where the cards of the topology stand: trees from left to right, one column for each level. All lengths in pixels. */
import { type HierarchyPointNode, hierarchy, tree } from 'd3-hierarchy';
import type { Card } from './view.ts';

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PlacedCard extends Box {
  card: Card;
  /** 1 for a root. */
  level: number;
  /** Its place among the cards and devices of the same parent, counted from 1, and their number. */
  position: number;
  siblings: number;
  /** Whether its devices stand below each other with their names; otherwise they are a grid of shapes. */
  isNamed: boolean;
  columns: number;
}

export interface Layout {
  /** Each behind its parent, and the branch of one card completely before the next card. */
  cards: readonly PlacedCard[];
  links: readonly { key: string; path: string }[];
  width: number;
  height: number;
}

/** The style sheet has the same sizes. */
export const SIZES = {
  margin: 24,
  head: 48,
  padding: 8,
  /** WCAG 2.2 asks for targets of 24 px; with the gap they also are 28 px apart. */
  cell: 24,
  gap: 4,
  columnGap: 56,
  rowGap: 16,
} as const;

/** Cards with more devices show their shapes only. */
const MAX_NAMED = 12;
const MIN_COLUMNS = 8;
const MAX_COLUMNS = 28;

export function layoutOf(roots: readonly Card[]): Layout {
  const whole = hierarchy<Sized>(sizedRoot(roots), ({ cards }) => cards);
  const placed = tree<Sized>()
    .nodeSize([1, 1])
    .separation((a, b) => (a.data.height + b.data.height) / 2 + SIZES.rowGap * (a.parent === b.parent ? 1 : 1.5))(
    whole,
  );
  const nodes: HierarchyPointNode<Sized>[] = [];
  placed.eachBefore((node) => {
    if (node.data.card !== null) nodes.push(node);
  });

  const lefts = leftsOf(nodes);
  const top = nodes.reduce((least, { x, data }) => Math.min(least, x - data.height / 2), Number.POSITIVE_INFINITY);
  const cards: PlacedCard[] = [];
  const byNode = new Map<HierarchyPointNode<Sized>, PlacedCard>();
  const links: { key: string; path: string }[] = [];
  for (const node of nodes) {
    const { card, width, height, isNamed, columns } = node.data;
    if (card === null) continue;
    const parent = node.parent === null ? undefined : byNode.get(node.parent);
    const leavesBefore = parent?.card.leaves.length ?? 0;
    const one: PlacedCard = {
      card,
      level: node.depth,
      position: leavesBefore + node.data.position,
      siblings: leavesBefore + (node.parent?.children?.length ?? 1),
      isNamed,
      columns,
      x: lefts[node.depth] ?? 0,
      y: Math.round(node.x - height / 2 - top) + SIZES.margin,
      width,
      height,
    };
    cards.push(one);
    byNode.set(node, one);
    if (parent !== undefined) links.push({ key: card.branch.key, path: linkPath(parent, one) });
  }
  const right = cards.reduce((most, { x, width }) => Math.max(most, x + width), 0);
  const bottom = cards.reduce((most, { y, height }) => Math.max(most, y + height), 0);
  return { cards, links, width: right + SIZES.margin, height: bottom + SIZES.margin };
}

/** Where a device of a card stands. */
export function cellBox({ x, y, width, isNamed, columns }: PlacedCard, index: number): Box {
  const { head, padding, cell, gap } = SIZES;
  return {
    x: x + padding + (index % columns) * (cell + gap),
    y: y + head + Math.floor(index / columns) * (cell + gap),
    width: isNamed ? width - 2 * padding : cell,
    height: cell,
  };
}

/** The place of a card or a device by its key; null when it is not drawn. */
export function boxOf({ cards }: Layout, key: string): Box | null {
  for (const placed of cards) {
    if (placed.card.branch.key === key) return { ...placed, height: SIZES.head };
    const index = placed.card.leaves.findIndex((leaf) => leaf.key === key);
    if (index >= 0) return cellBox(placed, index);
  }
  return null;
}

/** From a card to a device somewhere else, between the sides that face each other; null unless both are drawn. */
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

/** All cards and devices that are drawn, in the order in which they are read. */
export function keysOf({ cards }: Layout): string[] {
  return cards.flatMap(({ card }) => [card.branch.key, ...card.leaves.map(({ key }) => key)]);
}

interface Sized {
  /** Null for the point in which all trees begin, which is not drawn. */
  card: Card | null;
  cards: Sized[];
  position: number;
  width: number;
  height: number;
  isNamed: boolean;
  columns: number;
}

function sizedRoot(roots: readonly Card[]): Sized {
  const all: Sized = { card: null, cards: [], position: 1, width: 0, height: 0, isNamed: false, columns: 1 };
  // A list and not a recursion: a chain of devices may be thousands long.
  const open: { from: readonly Card[]; to: Sized }[] = [{ from: roots, to: all }];
  for (const { from, to } of open) {
    for (const [index, card] of from.entries()) {
      const one: Sized = { card, cards: [], position: index + 1, ...sizeOf(card) };
      to.cards.push(one);
      open.push({ from: card.cards, to: one });
    }
  }
  return all;
}

function sizeOf({ leaves }: Card): Pick<Sized, 'width' | 'height' | 'isNamed' | 'columns'> {
  const { head, padding, cell, gap } = SIZES;
  const count = leaves.length;
  const isNamed = count <= MAX_NAMED;
  // Somewhat wider than high.
  const gridColumns = Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, Math.ceil(Math.sqrt(count * 1.5))));
  const columns = isNamed ? 1 : gridColumns;
  const rows = Math.ceil(count / columns);
  const widthOf = (wanted: number) => wanted * (cell + gap) - gap + 2 * padding;
  return {
    width: widthOf(isNamed ? MIN_COLUMNS : columns),
    height: head + (rows === 0 ? 0 : rows * (cell + gap) - gap + padding),
    isNamed,
    columns,
  };
}

/** The left edge of every level. */
function leftsOf(nodes: readonly HierarchyPointNode<Sized>[]): number[] {
  const widths: number[] = [];
  for (const { depth, data } of nodes) widths[depth] = Math.max(widths[depth] ?? 0, data.width);
  const lefts: number[] = [];
  let left: number = SIZES.margin;
  for (let depth = 1; depth < widths.length; depth++) {
    lefts[depth] = left;
    left += (widths[depth] ?? 0) + SIZES.columnGap;
  }
  return lefts;
}

/** From the head of a card to the head of a card behind it. */
function linkPath(from: Box, to: Box): string {
  const x1 = from.x + from.width;
  const y1 = from.y + SIZES.head / 2;
  const y2 = to.y + SIZES.head / 2;
  // The bend is in the gap before the column of the card, whatever the width of the one it comes from.
  const start = to.x - SIZES.columnGap;
  const middle = to.x - SIZES.columnGap / 2;
  return `M${x1} ${y1}H${start}C${middle} ${y1} ${middle} ${y2} ${to.x} ${y2}`;
}
