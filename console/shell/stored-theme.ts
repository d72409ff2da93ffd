/** What a person has chosen of light and dark, as this browser keeps it. */

export type Theme = 'light' | 'dark';
export type ThemeChoice = Theme | 'system';

export const KEY = 'lanreach.theme';

export function themeChoice(): ThemeChoice {
  try {
    const kept = window.localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system'; // A browser that keeps nothing for this page refuses to read as well.
  }
}
