/** Light or dark colours, or as the system has them: one after the other. */
import { Moon, Sun, SunMoon } from 'lucide-react';
import { IconButton } from '../ui/button.tsx';
import type { ThemeChoice } from './stored-theme.ts';
import { texts } from './texts.ts';
import { chooseTheme, useThemeChoice } from './theme.ts';

const NEXT: Record<ThemeChoice, ThemeChoice> = { system: 'light', light: 'dark', dark: 'system' };
const ICONS = { system: SunMoon, light: Sun, dark: Moon };

export function ThemeButton() {
  const choice = useThemeChoice();
  const Icon = ICONS[choice];
  return (
    <IconButton label={texts.theme(texts.themes[choice])} onClick={() => chooseTheme(NEXT[choice])}>
      <Icon />
    </IconButton>
  );
}
