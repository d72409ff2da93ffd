/** The open cards of the map and the devices in them. */
import type { Branch, Forest, TopologyDevice } from './tree.ts';

export interface Card {
  branch: Branch;
  leaves: readonly TopologyDevice[];
  cards: Card[];
  /** Its devices are drawn. With too many devices the cards behind a closed one may still be drawn. */
  isOpen: boolean;
}

interface Wanted {
  toggled: ReadonlyMap<string, boolean>;
  isDownOnly: boolean;
  /** Matches of the search, which opens the cards on the way to them. Null: no search. */
  found: ReadonlySet<string> | null;
}

/** With more devices the browser becomes slow and the picture unreadable. */
export const MAX_LEAVES = 5_000;
/** With more devices, names would be too small: the cards begin closed, unless there is only one. */
const MAX_OPEN_LEAVES = 120;
/** When there would be more cards than this, those furthest from the Internet begin closed. */
export const MAX_CARDS = 1_000;

export function viewOf(forest: Forest, { toggled, isDownOnly, found }: Wanted) {
  const isDown = ({ status }: TopologyDevice) => status === 'down';
  const withDown = isDownOnly ? branchesTo(forest, (branch) => hasAny(branch, isDown)) : null;
  const withFound = found === null ? null : branchesTo(forest, (branch) => hasAny(branch, ({ key }) => found.has(key)));
  const isDrawn = (branch: Branch) => withDown?.has(branch) ?? true;
  const { filter, isCountsOnly, count } = leafFilter(forest, isDownOnly ? isDown : () => true, found);

  const areOpen = count <= MAX_OPEN_LEAVES || forest.branches.length === 1;
  const allRoots = forest.roots.filter(isDrawn);
  const firstRoots =
    allRoots.length > MAX_CARDS && withFound !== null
      ? allRoots.toSorted((a, b) => Number(withFound.has(b)) - Number(withFound.has(a)))
      : allRoots;
  const roots = firstRoots.slice(0, MAX_CARDS).map(closedCard);
  const cards = [...roots];
  for (const card of cards) {
    const { branch } = card;
    const next = branch.branches.filter(isDrawn);
    const fits = cards.length + next.length <= MAX_CARDS;
    const chosen = (fits && withFound?.has(branch) === true) || toggled.get(branch.key);
    if (!(chosen ?? fits)) continue;
    card.isOpen = chosen ?? (areOpen || branch.leaves.length === 0);
    card.leaves = card.isOpen ? branch.leaves.filter(filter) : [];
    card.cards = next.map(closedCard);
    for (const one of card.cards) cards.push(one);
  }
  return { roots, isCountsOnly, treesLeftOut: allRoots.length - roots.length };
}

/** The devices whose name, address or key contains a text, in any letter case and notation of MAC addresses. */
export function search(devices: readonly TopologyDevice[], text: string): Set<string> | null {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return null;
  const digits = wanted.replaceAll(/[:.-]/g, '');
  const isMac = /^[0-9a-f]{2,12}$/.test(digits) && /[:-]|^[0-9a-f]{4}\.|^[0-9a-f]{6,}$/.test(wanted);
  const fits = ({ name, ip, key }: TopologyDevice) =>
    name.toLowerCase().includes(wanted) ||
    ip.toLowerCase().includes(wanted) ||
    key.toLowerCase().includes(wanted) ||
    (isMac && key.replaceAll(':', '').toLowerCase().includes(digits));
  return new Set(devices.filter(fits).map(({ key }) => key));
}

function closedCard(branch: Branch): Card {
  return { branch, leaves: [], cards: [], isOpen: false };
}

function hasAny({ device, leaves }: Branch, fits: (device: TopologyDevice) => boolean): boolean {
  return (device !== null && fits(device)) || leaves.some(fits);
}

function branchesTo({ branches }: Forest, fits: (branch: Branch) => boolean): Set<Branch> {
  const found = new Set<Branch>();
  for (const branch of branches) {
    if (!fits(branch)) continue;
    for (let at: Branch | null = branch; at !== null && !found.has(at); at = at.parent) found.add(at);
  }
  return found;
}

/** Of too many devices only the matches of the search are drawn; of too many matches none. */
function leafFilter(
  { branches }: Forest,
  isWanted: (device: TopologyDevice) => boolean,
  found: ReadonlySet<string> | null,
): { filter: (device: TopologyDevice) => boolean; isCountsOnly: boolean; count: number } {
  const countOf = (fits: (device: TopologyDevice) => boolean) =>
    branches.reduce((sum, { leaves }) => sum + leaves.filter(fits).length, 0);
  const count = countOf(isWanted);
  if (count <= MAX_LEAVES) return { filter: isWanted, isCountsOnly: false, count };
  const isFound = (device: TopologyDevice) => found?.has(device.key) === true && isWanted(device);
  return { filter: countOf(isFound) <= MAX_LEAVES ? isFound : () => false, isCountsOnly: true, count };
}
