/** Where the arrow keys lead on the map. */
import type { PlacedCard } from './layout.ts';

type Step = { goTo: string } | { toggle: string };

export function stepFrom(cards: readonly PlacedCard[], at: string, key: string): Step | null {
  const index = cards.findIndex(({ card }) => card.branch.key === at || card.leaves.some((leaf) => leaf.key === at));
  const [placed, before, next] = [cards[index], cards[index - 1], cards[index + 1]];
  if (placed === undefined) return null;
  const isHead = placed.card.branch.key === at;
  if (key === 'Home') return goTo(cards[0]);
  if (key === 'End') return lastOf(cards.at(-1));
  if (key === 'PageDown') return goTo(next);
  if (key === 'PageUp') return goTo(isHead ? before : placed);
  return isHead ? fromHead(placed, before, next, key) : fromLeaf(placed, next, at, key);
}

type Neighbour = PlacedCard | undefined;

function fromHead(placed: PlacedCard, before: Neighbour, next: Neighbour, key: string): Step | null {
  const { card } = placed;
  const { branch, leaves, isOpen } = card;
  const hasContent = branch.counts.devices > 0;
  switch (key) {
    case 'ArrowDown':
      return leaf(placed, 0) ?? goTo(next);
    case 'ArrowUp':
      return lastOf(before);
    case 'ArrowRight':
      if (!isOpen) return hasContent ? { toggle: branch.key } : null;
      return leaves.length + card.cards.length > 0 ? (leaf(placed, 0) ?? goTo(next)) : null;
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
function fromLeaf(placed: PlacedCard, next: Neighbour, at: string, key: string): Step | null {
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
      return isLastRow ? goTo(next) : leaf(placed, Math.min(last, place + columns));
    }
    default:
      return null;
  }
}

const goTo = (placed: Neighbour): Step | null => (placed === undefined ? null : { goTo: placed.card.branch.key });

function leaf({ card }: PlacedCard, place: number): Step | null {
  const one = card.leaves[place];
  return one === undefined ? null : { goTo: one.key };
}

function lastOf(placed: Neighbour): Step | null {
  return placed === undefined ? null : (leaf(placed, placed.card.leaves.length - 1) ?? goTo(placed));
}
