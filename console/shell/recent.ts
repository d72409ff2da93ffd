/** The latest choices in the search. As all data of a LAN, they stay in this tab, and until the session ends. */
import type { Choice } from './choices.ts';

type Recent = Pick<Choice, 'id' | 'label' | 'hint' | 'group' | 'type'> & { to: string };

const KEY = 'lanreach.recent';
const MAX = 6;

export function recentChoices(): readonly Recent[] {
  try {
    const kept: unknown = JSON.parse(window.sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? (kept as Recent[]) : [];
  } catch {
    return [];
  }
}

export function rememberChoice({ id, label, hint, group, type, to }: Choice): void {
  if (to === undefined) return;
  const others = recentChoices().filter((one) => one.id !== id);
  const next: Recent[] = [{ id, label, hint, group, type, to }, ...others].slice(0, MAX);
  window.sessionStorage.setItem(KEY, JSON.stringify(next));
}
