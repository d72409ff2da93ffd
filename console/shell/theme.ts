/** Light or dark: what the system prefers, until a person chooses. The choice is kept in this browser. */
import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';

const KEY = 'lanreach.theme';
const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function chosen(): Theme | null {
  const kept = window.localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : null;
}

function currentTheme(): Theme {
  return chosen() ?? (prefersDark.matches ? 'dark' : 'light');
}

function apply(): void {
  document.documentElement.dataset.theme = currentTheme();
  for (const listener of listeners) listener();
}

/** Called once, before anything is shown. */
export function openTheme(): void {
  prefersDark.addEventListener('change', apply);
  apply();
}

export function chooseTheme(theme: Theme): void {
  window.localStorage.setItem(KEY, theme);
  apply();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentTheme);
}
