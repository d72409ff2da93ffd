/** Where the arrow keys lead in the topology. */
import type { PlacedCard } from './layout.ts';

/** What a key does: it goes to a card or a device, or opens or closes a card. */
type Step = { goTo: string } | { toggle: string };

/** Null for a key that does nothing here. */
export function stepFrom(cards: readonly PlacedCard[], at: string, key: string): Step | null {
  const index = cards.findIndex(({ card }) => card.branch.key === at || card.leaves.some((leaf) => leaf.key === at));
  const placed = cards[index];
  if (placed === undefined) return null;
  if (key === 'Home') return goTo(cards[0]);
  if (key === 'End') return lastOf(cards.at(-1));
  if (key === 'PageDown') return goTo(cards[index + 1]);
  if (key === 'PageUp') return placed.card.branch.key === at ? goTo(cards[index - 1]) : goTo(placed);
  if (placed.card.branch.key === at) return fromHead(cards, index, key);
  return fromLeaf(cards, index, placed, at, key);
}

function fromHead(cards: readonly PlacedCard[], index: number, key: string): Step | null {
  const placed = cards[index];
  if (placed === undefined) return null;
  const { card } = placed;
  const { branch, leaves, isOpen } = card;
  const hasContent = branch.direct.devices > 0;
  switch (key) {
    case 'ArrowDown':
      return leaf(placed, 0) ?? goTo(cards[index + 1]);
    case 'ArrowUp':
      return lastOf(cards[index - 1]);
    case 'ArrowRight':
      if (!isOpen) return hasContent ? { toggle: branch.key } : null;
      return leaves.length + card.cards.length > 0 ? (leaf(placed, 0) ?? goTo(cards[index + 1])) : null;
    case 'ArrowLeft':
      if (isOpen && hasContent) return { toggle: branch.key };
      return branch.parent === null ? null : { goTo: branch.parent.key };
    case ' ':
      return hasContent ? { toggle: branch.key } : null;
    default:
      return null;
  }
}

/** In a grid, all four arrows go to the neighbour; out of it, to the head of the card or to the next card. */
function fromLeaf(
  cards: readonly PlacedCard[],
  index: number,
  placed: PlacedCard,
  at: string,
  key: string,
): Step | null {
  const { card, columns } = placed;
  const place = card.leaves.findIndex((one) => one.key === at);
  const last = card.leaves.length - 1;
  switch (key) {
    case 'ArrowRight':
      return columns === 1 ? null : leaf(placed, place + 1);
    case 'ArrowLeft':
      return columns === 1 ? goTo(placed) : (leaf(placed, place - 1) ?? goTo(placed));
    case 'ArrowUp':
      return leaf(placed, place - columns) ?? goTo(placed);
    case 'ArrowDown': {
      const isLastRow = Math.floor(place / columns) === Math.floor(last / columns);
      return isLastRow ? goTo(cards[index + 1]) : leaf(placed, Math.min(last, place + columns));
    }
    default:
      return null;
  }
}

function goTo(placed: PlacedCard | undefined): Step | null {
  return placed === undefined ? null : { goTo: placed.card.branch.key };
}

function leaf({ card }: PlacedCard, place: number): Step | null {
  const one = card.leaves[place];
  return one === undefined ? null : { goTo: one.key };
}

function lastOf(placed: PlacedCard | undefined): Step | null {
  return placed === undefined ? null : (leaf(placed, placed.card.leaves.length - 1) ?? goTo(placed));
}
