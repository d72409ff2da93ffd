/** Light or dark: as the system prefers, unless a person chooses. The choice is kept in this browser. */
import { useSyncExternalStore } from 'react';
import { KEY, type Theme, type ThemeChoice, themeChoice } from './stored-theme.ts';

const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

/** Called once, before anything is shown. `first-paint.ts` has set the theme of the page already. */
export function openTheme(): void {
  prefersDark.addEventListener('change', apply);
  // Another tab of this browser has chosen.
  window.addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) apply();
  });
  apply();
}

export function chooseTheme(choice: ThemeChoice): void {
  try {
    if (choice === 'system') window.localStorage.removeItem(KEY);
    else window.localStorage.setItem(KEY, choice);
  } catch {
    // A browser that keeps nothing for this page: the choice holds until it is loaded again.
  }
  apply(choice);
}

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

let current: ThemeChoice = themeChoice();

function apply(choice: unknown = themeChoice()): void {
  current = choice === 'light' || choice === 'dark' ? choice : 'system';
  document.documentElement.dataset.theme = shownTheme(current);
  for (const listener of listeners) listener();
}

function shownTheme(choice: ThemeChoice): Theme {
  if (choice !== 'system') return choice;
  return prefersDark.matches ? 'dark' : 'light';
}
