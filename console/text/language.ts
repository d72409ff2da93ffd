/**
 * The language of the console. Every `texts.ts` has its German beside it, in `texts.de.ts`; which of the two a page shows is
 * settled before it is painted (`shell/first-paint.js`), so a change of the language loads the page again.
 */
import { makeKeptStore } from '../ui/store.ts';

/** In the order in which they are offered, each by its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

/** Tests of texts run without a page, and in English. */
export const spoken: Language = globalThis.document?.documentElement.lang === 'de' ? 'de' : 'en';

/** The texts in the language of the page. The German ones have the same shape: what lacks is an error of types. */
export function inLanguage<Texts>(english: Texts, german: NoInfer<Texts>): Texts {
  return spoken === 'de' ? german : english;
}

/** Null: the first of the browser's languages that there are texts in. */
export function chooseLanguage(language: Language | null): void {
  makeKeptStore('lanreach.language').set(language);
  window.location.reload();
}
