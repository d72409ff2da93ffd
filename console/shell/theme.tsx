/** Light or dark, and how dense: as the system prefers, unless a person chooses. The tokens of both stand in `ui/base.css`. */
import { Moon, Sun, SunMoon } from 'lucide-react';
import { IconButton } from '../ui/button.tsx';
import { makeKeptStore } from '../ui/store.ts';
import { texts } from './texts.ts';

export type Theme = 'system' | 'light' | 'dark';

/** `first-paint.js` reads it as well. */
const kept = makeKeptStore('lanreach.theme');
const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const ICONS = { system: SunMoon, light: Sun, dark: Moon };

/** Called once: what a person chooses is shown at once. At first it is as `first-paint.js` has it. */
export function openTheme(): void {
  const apply = () => {
    document.documentElement.dataset.theme = themeOf(kept.get());
  };
  const applyDensity = () => {
    document.documentElement.dataset.density = densityOf(keptDensity.get());
  };
  kept.subscribe(apply);
  keptDensity.subscribe(applyDensity);
}

export type Density = 'compact' | 'comfortable';

/** `first-paint.js` reads it as well. */
const keptDensity = makeKeptStore('lanreach.density');

export function useDensity(): Density {
  return densityOf(keptDensity.use());
}

/** How high the rows of tables are. */
export function chooseDensity(density: Density): void {
  keptDensity.set(density === 'compact' ? null : density);
}

export function chooseTheme(theme: Theme): void {
  kept.set(theme === 'system' ? null : theme);
}

/** One theme after the other. */
export function ThemeButton() {
  const theme = themeOf(kept.use());
  const Icon = ICONS[theme];
  return (
    <IconButton label={texts.theme(texts.themes[theme])} onClick={() => chooseTheme(NEXT[theme])}>
      <Icon />
    </IconButton>
  );
}

function themeOf(text: string | null): Theme {
  return text === 'light' || text === 'dark' ? text : 'system';
}

function densityOf(text: string | null): Density {
  return text === 'comfortable' ? 'comfortable' : 'compact';
}
