/** Light or dark, and how dense: as the system prefers, unless a person chooses. The tokens of both stand in `ui/base.css`. */
import { makeKeptStore } from '../ui/store.ts';

type Theme = 'system' | 'light' | 'dark';
type Density = 'compact' | 'comfortable';

/** `first-paint.js` reads both as well. */
const keptTheme = makeKeptStore('lanreach.theme');
const keptDensity = makeKeptStore('lanreach.density');

/** Called once: what a person chooses is shown at once. At first it is as `first-paint.js` has it. */
export function openTheme(): void {
  const { dataset } = document.documentElement;
  keptTheme.subscribe(() => {
    dataset.theme = themeOf(keptTheme.get());
  });
  keptDensity.subscribe(() => {
    dataset.density = densityOf(keptDensity.get());
  });
}

export function useTheme(): Theme {
  return themeOf(keptTheme.use());
}

export function chooseTheme(theme: Theme): void {
  keptTheme.set(theme === 'system' ? null : theme);
}

export function useDensity(): Density {
  return densityOf(keptDensity.use());
}

/** How high the rows of tables are. */
export function chooseDensity(density: Density): void {
  keptDensity.set(density === 'compact' ? null : density);
}

function themeOf(text: string | null): Theme {
  return text === 'light' || text === 'dark' ? text : 'system';
}

function densityOf(text: string | null): Density {
  return text === 'comfortable' ? 'comfortable' : 'compact';
}
