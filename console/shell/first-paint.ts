/**
 * Runs before anything is painted, so that a page in dark colours does not flash in light ones. It is a script of its own
 * at the head of the page: the Content-Security-Policy forbids inline scripts, and modules run after the first paint.
 */
import { themeChoice } from './stored-theme.ts';

const choice = themeChoice();
const isDark = choice === 'system' ? window.matchMedia('(prefers-color-scheme: dark)').matches : choice === 'dark';
document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
