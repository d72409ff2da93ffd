/**
 * The language of the console. Its texts are in `messages/`, a file for each language. Which of them a page shows is settled
 * before it is painted (`shell/first-paint.js`), so a change of the language loads the page again.
 */
import { makeKeptStore } from '../ui/store.ts';

/** In the order in which they are offered, each by its own name. A test holds them to the files of `messages/`. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

/** Tests of texts run without a page, and in English. */
const settled = globalThis.document?.documentElement.lang ?? '';
export const spoken: Language = Object.hasOwn(LANGUAGES, settled) ? (settled as Language) : 'en';

/** For tables of words that are no messages. */
export function inLanguage<Texts>(english: Texts, german: NoInfer<Texts>): Texts {
  return spoken === 'de' ? german : english;
}

/** Null: the first of the browser's languages that there are texts in. */
export function chooseLanguage(language: Language | null): void {
  makeKeptStore('lanreach.language').set(language);
  window.location.reload();
}
